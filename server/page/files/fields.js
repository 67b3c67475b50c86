// Parts of forms.
import {element} from './dom.js';

export const button = (text, className, onClick) => {
  const made = element('button', {type: 'button', className}, text);
  made.addEventListener('click', onClick);
  return made;
};

export const choice = (group, value, ...label) => {
  const id = `${group}-${value}`;
  return element('div', {className: 'choice'},
                 element('input', {type: 'radio', id, name: group, value}),
                 element('label', {htmlFor: id}, ...label));
};

export const chosen = (node, group) => node.querySelector(`input[name="${group}"]:checked`)?.value;

/// A control with an id, below its label; `hint` says more about it.
export function field(label, control, hint = '') {
  if (hint !== '') {
    control.setAttribute('aria-describedby', `${control.id}-hint`);
  }
  return element('div', {className: 'field'},
                 element('label', {htmlFor: control.id}, label), control,
                 hint === '' ? '' : element('p', {className: 'meta', id: `${control.id}-hint`}, hint));
}

/// Random text for ids. crypto.randomUUID is missing where the page comes
/// without TLS.
export const randomText = () => Array.from(crypto.getRandomValues(new Uint32Array(4)),
                                           (each) => each.toString(16).padStart(8, '0')).join('');
