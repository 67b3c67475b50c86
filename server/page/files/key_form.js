// The form that asks for a key.
import {hasKey, setKey} from './api.js';
import {element} from './dom.js';

/// {node, focus()}. `onUse` is called once the tab has another key, or none.
export function keyForm(why, onUse) {
  const input = element('input', {id: 'key', type: 'password', autocomplete: 'off',
                                  spellcheck: false, 'aria-describedby': 'key-hint'});
  const node = element('form', {className: 'key answer', noValidate: true},
      element('h1', {tabIndex: -1}, 'Your key'),
      element('p', {role: 'status'}, why),
      element('div', {className: 'field'}, element('label', {htmlFor: 'key'}, 'Key'), input,
              element('p', {className: 'meta', id: 'key-hint'},
                      'It stays in this tab until the tab is closed, and is sent to this server only.')),
      element('div', {className: 'buttons'},
              element('button', {className: 'primary'}, 'Use this key'),
              hasKey() ? element('button', {type: 'button', className: 'quiet', id: 'forget'},
                                 'Forget the key')
                       : ''));
  const use = (key) => {
    setKey(key);
    onUse();
  };
  node.addEventListener('submit', (event) => {
    event.preventDefault();
    use(input.value.trim());
  });
  node.querySelector('#forget')?.addEventListener('click', () => use(''));
  return {node, focus: () => input.focus()};
}
