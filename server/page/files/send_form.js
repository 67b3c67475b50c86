// A form whose content is sent once, or again until it is taken. What is filled
// in stays until then.
import {Failure, post} from './api.js';
import {element} from './dom.js';
import {randomText} from './fields.js';

/// Posts to one path: the same body under the same key, so that sending it again
/// after a lost connection does no harm.
export class Sender {
  #body = '';
  #key = '';

  constructor(path) {
    this.path = path;
  }

  async send(what) {
    const body = JSON.stringify(what);
    if (body !== this.#body) {
      this.#body = body;
      this.#key = randomText();
    }
    try {
      return await post(this.path, what, this.#key);
    } catch (failure) {
      if (failure.status !== 0) {
        this.#body = ''; // that answer would come again
      }
      throw failure;
    }
  }
}

/// {node, focus(), setOpen(isOpen)}. `makeFields(send)` returns what is to be
/// filled in; its buttons call `send(make, words)`, where `make` returns what is
/// passed to `deliver`, or throws a SyntaxError that says what is missing. Once
/// that is delivered, `onTaken(words, what)` is called.
export function sendForm({id, title, makeFields, deliver, onTaken, app}) {
  const complaint = element('p', {role: 'alert', className: 'complaint', tabIndex: -1});
  const closed = element('p', {role: 'status', className: 'complaint'});
  let sending = false;
  let open = true;

  const complain = (text) => {
    complaint.textContent = text;
    complaint.focus();
  };
  const send = async (make, words) => {
    if (sending || !open) {
      return;
    }
    let made;
    complaint.textContent = '';
    try {
      made = make();
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
      complain(`Not sent: ${error.message}.`);
      return;
    }
    sending = true;
    node.setAttribute('aria-busy', 'true');
    try {
      await deliver(made);
      onTaken(words, made);
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      app.failed(failure);
      complain(failure.mayPass
          ? `Not sent: ${failure.message}. Your answer is still here: try again.`
          : `The answer was refused: ${failure.message}`);
    } finally {
      sending = false;
      node.removeAttribute('aria-busy');
    }
  };

  const node = element('section', {className: 'answer', 'aria-labelledby': `${id}-title`},
      element('h2', {id: `${id}-title`, tabIndex: -1}, title), closed,
      element('form', {noValidate: true}, makeFields(send)), complaint);
  node.querySelector('form').addEventListener('submit', (event) => event.preventDefault());
  return {
    node,
    focus: () => (node.querySelector('form :is(input, textarea, select)') ??
                  node.querySelector('h2')).focus(),
    setOpen(isOpen) {
      if (isOpen !== open) {
        open = isOpen;
        closed.textContent = open ? ''
            : 'This question is over: it was answered, or its time is up. What you wrote stays ' +
              'here to be copied.';
        node.querySelectorAll('form button').forEach((each) => {
          each.disabled = !open;
        });
      }
    },
  };
}
