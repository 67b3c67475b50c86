// The form that starts a session from a scenario.
import {Failure, get, hasKey, post, sessionPath} from './api.js';
import {announce, element, plain} from './dom.js';
import {examples} from './examples.js';
import {button, field, randomText} from './fields.js';
import {sessionUrl} from './session_rows.js';

const errorsMax = 20; // that are shown
const bytesMax = 8 * 1024 * 1024;
const indented = (value) => JSON.stringify(value, null, 2);

/// The same by curl, for a shell.
function curlLine(text) {
  const body = `{"scenario": ${text}}`.replaceAll("'", "'\\''");
  const key = hasKey() ? ' -H "Authorization: Bearer $KEY"' : '';
  return `curl -s${key} -H 'Content-Type: application/json' ${location.origin}/v1/sessions -d '${body}'`;
}

function errorsOf(failure) {
  const errors = failure.details?.errors ?? [];
  return errors.length === 0 ? []
      : [element('ul', {}, errors.slice(0, errorsMax).map(({instance, message}) =>
          element('li', {}, instance ? element('code', {}, plain(instance)) : '', instance ? ': ' : '', plain(message)))),
         errors.length > errorsMax ? element('p', {}, `${errors.length - errorsMax} more.`) : ''];
}

export class NewSession {
  title = 'New session';
  #app;
  #text = element('textarea', {id: 'scenario', className: 'code', spellcheck: false, rows: 16});
  #draft = element('input', {id: 'as-draft', type: 'checkbox'});
  #complaint = element('div', {className: 'complaint', role: 'alert', tabIndex: -1});
  #curl = element('pre', {tabIndex: 0});
  #start = element('button', {className: 'primary'}, 'Start session');
  #heading;
  #body = element('div', {}, element('p', {className: 'meta'}, 'Loading …'));
  #sent = ['', '']; // what was sent last, and its key

  /// `from` is the id of a session whose scenario is to be started again.
  constructor(app, {title = 'Start a session', from} = {}) {
    this.#app = app;
    this.#heading = element('h1', {tabIndex: -1}, title);
    this.node = element('section', {className: 'first'}, this.#heading, this.#body);
    app.caller().then(({scopes, session_id: session}) => {
      this.#body.replaceChildren(...(scopes.includes('runs:create') && session === undefined ? this.#form(from)
        : [element('p', {}, 'This key may not start sessions. It needs the scope runs:create '
                            + '(convene keys new --scope run).')]));
    });
  }

  stop() {}

  retry() {}

  #form(from) {
    const example = element('select', {id: 'example'}, from === undefined ? '' : element('option', {value: 'from'}, 'The same scenario again'),
                            examples.map(([words], at) => element('option', {value: String(at)}, words)));
    example.addEventListener('change', () => {
      if (example.value === 'from') {
        this.#takeFrom(from);
      } else {
        this.#show(indented(examples[Number(example.value)][1]));
      }
    });
    const file = element('input', {id: 'scenario-file', type: 'file', accept: '.json,application/json'});
    file.addEventListener('change', () => this.#takeFile(file.files[0]));
    this.#text.addEventListener('input', () => this.#showCurl());
    const form = element('form', {noValidate: true},
        element('p', {}, 'A scenario names who takes part, how turns pass, and the task. These examples need no model.'),
        field('Example', example), field('Or a scenario file', file), field('Scenario (JSON)', this.#text),
        element('div', {className: 'choice'}, this.#draft, element('label', {htmlFor: 'as-draft'}, 'Keep it as a draft; start it later')),
        this.#complaint, element('div', {className: 'buttons'}, this.#start),
        element('details', {}, element('summary', {}, 'The same from a terminal'), this.#curl));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    if (from === undefined) {
      this.#show(indented(examples[0][1]));
    } else {
      this.#takeFrom(from);
    }
    return [form];
  }

  #show(text) {
    this.#text.value = text;
    this.#complain();
    this.#showCurl();
  }

  #showCurl() {
    const shownMax = 20_000;
    this.#curl.textContent = this.#text.value.length > shownMax ? 'curl -s … -d @session.json, with {"scenario": …} in that file'
        : plain(curlLine(this.#text.value));
  }

  #complain(...words) {
    this.#complaint.replaceChildren(...words);
  }

  async #takeFrom(id) {
    try {
      const scenario = await get(`${sessionPath(id)}/documents/scenario`);
      delete scenario.origin;
      delete scenario.collab?.collab_id; // each session has its own
      this.#show(indented(scenario));
    } catch (failure) {
      this.#failed(failure, 'The scenario cannot be read');
    }
  }

  async #takeFile(file) {
    if (file === undefined) {
      return;
    }
    if (file.size > bytesMax) {
      this.#complain('The file has more than 8 MiB.');
      return;
    }
    this.#show(await file.text());
  }

  #failed(failure, words) {
    if (!(failure instanceof Failure)) {
      throw failure;
    }
    this.#app.failed(failure);
    this.#complain(element('p', {}, `${words}: ${plain(failure.message)}`), ...errorsOf(failure));
    this.#complaint.focus();
  }

  async #send() {
    let scenario;
    try {
      scenario = JSON.parse(this.#text.value);
    } catch (error) {
      this.#complain(`This is not JSON: ${plain(error.message)}`);
      return;
    }
    const body = {scenario, start: !this.#draft.checked};
    const text = JSON.stringify(body);
    // Sent again after a lost connection, it begins no second session.
    this.#sent = this.#sent[0] === text ? this.#sent : [text, randomText()];
    this.#complain();
    this.#start.disabled = true;
    try {
      const {session_id: id} = await post('/v1/sessions', body, this.#sent[1]);
      this.#sent = ['', ''];
      announce(this.#draft.checked ? 'The draft is kept.' : 'The session has started.');
      location.assign(sessionUrl(id));
    } catch (failure) {
      this.#failed(failure, 'The session was not started');
    } finally {
      this.#start.disabled = false;
    }
  }
}
