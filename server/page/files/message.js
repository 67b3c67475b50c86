// A message to a session that answers no request.
import {sessionPath} from './api.js';
import {announce, element} from './dom.js';
import {button, field} from './fields.js';
import {Sender, sendForm} from './send_form.js';

/// Asks what to say. `speakers` are the people and systems of the session.
function messageDialog(id, speakers, app) {
  const dialog = element('dialog', {className: 'forms', 'aria-labelledby': 'message-title'});
  const text = element('textarea', {id: 'message', rows: 4, dir: 'auto'});
  const who = element('select', {id: 'message-from'}, element('option', {value: ''}, 'no participant: the session itself'),
                      speakers.map((each) => element('option', {value: each}, each)));
  const sender = new Sender(`${sessionPath(id)}/messages`);
  const message = () => {
    if (text.value.trim() === '') {
      throw new SyntaxError('the message is empty');
    }
    return {content: text.value, ...(who.value !== '' && {participant_id: who.value})};
  };
  const form = sendForm({
    id: 'message', title: 'Say something', app,
    makeFields: (send) => [
      field('Message', text, 'It is in the dialog that everybody is shown from now on. It answers nothing.'),
      speakers.length === 0 ? '' : field('From', who),
      element('div', {className: 'buttons'}, button('Send', 'primary', () => send(message, 'The message was sent.')),
              button('Back', 'quiet', () => dialog.close())),
    ],
    deliver: (what) => sender.send(what),
    onTaken(words) {
      announce(words);
      dialog.close();
    },
  });
  dialog.append(form.node);
  dialog.addEventListener('close', () => dialog.remove(), {once: true});
  document.body.append(dialog);
  dialog.showModal();
  form.focus();
}

/// {node, show(status)}: a button, if the key may speak. `speakersOf()` has the
/// session's people and systems.
export function messageButton(id, speakersOf, app) {
  const node = button('Message', '', () => messageDialog(id, speakersOf(), app));
  node.hidden = true;
  let mayAnswer = false;
  let status = '';
  const draw = () => {
    node.hidden = !(mayAnswer && ['active', 'suspended'].includes(status));
  };
  app.caller().then(({scopes, participant_id: own}) => {
    mayAnswer = scopes.includes('approvals:respond');
    if (own !== undefined) {
      speakersOf = () => []; // it speaks for itself
    }
    draw();
  });
  return {node, show(to) {
    status = to;
    draw();
  }};
}
