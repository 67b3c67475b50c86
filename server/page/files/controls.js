// Buttons that suspend, pause, resume or cancel; each asks once more.
import {Failure, post} from './api.js';
import {announce, element} from './dom.js';
import {button, field, randomText} from './fields.js';

const reasonMax = 1000; // characters

/// Asks whether that is meant, and why. Resolves with the reason, or undefined.
function confirmed({title, text, verb, tone}) {
  const reason = element('input', {id: 'why', autocomplete: 'off', dir: 'auto',
                                   maxLength: reasonMax});
  const dialog = element('dialog', {className: 'forms', 'aria-labelledby': 'confirm-title'});
  return new Promise((end) => {
    let given;
    const form = element('form', {noValidate: true},
        element('h2', {id: 'confirm-title'}, title), element('p', {}, text),
        field('Why (may be empty)', reason),
        element('div', {className: 'buttons'},
                element('button', {className: tone || 'primary'}, `Yes, ${verb.toLowerCase()} it`),
                button('Back', 'quiet', () => dialog.close())));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      given = reason.value.trim();
      dialog.close();
    });
    dialog.append(form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      end(given);
    }, {once: true});
    document.body.append(dialog);
    dialog.showModal();
  });
}

/// `actions` are {name, path, when(status), title, text, tone}. {node,
/// show(status)}: shows the buttons that fit, if the key may cancel runs.
export function controls(actions, app) {
  const complaint = element('p', {role: 'alert', className: 'complaint'});
  let isAllowed = false;
  let status = '';
  const act = async ({name, path, title, text, tone}) => {
    const reason = await confirmed({title, text, verb: name, tone});
    if (reason === undefined) {
      return;
    }
    complaint.textContent = '';
    try {
      await post(path, reason === '' ? {} : {reason}, randomText());
      announce('The server has taken it.');
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      app.failed(failure);
      complaint.textContent = `That was not done: ${failure.message}`;
    }
  };
  const buttons = actions.map((action) => ({
    action,
    node: button(action.name, action.tone ?? '', () => act(action)),
  }));
  const row = element('div', {className: 'buttons', hidden: true});
  const draw = () => {
    const fitting = buttons.filter(({action}) => isAllowed && action.when(status))
                           .map(({node}) => node);
    if (fitting.length !== row.childElementCount || fitting.some((each, i) => each !== row.children[i])) {
      const hadFocus = row.contains(document.activeElement);
      row.replaceChildren(...fitting);
      row.hidden = fitting.length === 0;
      if (hadFocus) {
        (fitting[0] ?? document.querySelector('h1')).focus();
      }
    }
  };
  app.caller().then(({scopes, session_id: session}) => {
    isAllowed = scopes.includes('runs:cancel') && session === undefined;
    draw();
  });
  return {
    node: element('div', {className: 'controls'}, row, complaint),
    show(to) {
      status = to;
      draw();
    },
  };
}
