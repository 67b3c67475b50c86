// The form that starts a session from a scenario.
import {Failure, getText, hasKey, postText, sessionPath} from './api.js';
import {announce, element, plain} from './dom.js';
import {exactText, parseExact} from './exact_json.js';
import {examples} from './examples.js';
import {button, field, randomText} from './fields.js';
import {sessionUrl} from './session_rows.js';

const errorsMax = 20; // that are shown
const bytesMax = 8 * 1024 * 1024;
const indented = (value) => JSON.stringify(value, null, 2);

/// The body of a request. It keeps the text of the scenario: JavaScript would
/// round large integers.
const bodyOf = (text, isDraft) => `{"scenario": ${text}, "start": ${!isDraft}}`;

/// The same by curl, for a shell.
function curlLine(text, isDraft) {
  const body = bodyOf(text, isDraft).replaceAll("'", "'\\''");
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
  #changes = 0; // of the form: a late answer to an earlier choice is ignored

  /// `from` is the id of a session whose scenario is to be started again.
  constructor(app, {title = 'Start a session', from} = {}) {
    this.#app = app;
    this.#heading = element('h1', {tabIndex: -1}, title);
    this.node = element('section', {className: 'first'}, this.#heading, this.#body);
    app.caller().then(({scopes, session_id: session}) => {
      this.#body.replaceChildren(...(scopes.includes('runs:create') && session === undefined ? this.#form(from)
        : [element('p', {}, 'This key may not start sessions. It needs the scope runs:create '
                            + '(convene keys new --scope read,run).')]));
    });
  }

  stop() {}

  retry() {}

  #form(from) {
    const example = element('select', {id: 'example'}, from === undefined ? '' : element('option', {value: 'from'}, 'The same scenario again'),
                            examples.map(([words], at) => element('option', {value: String(at)}, words)));
    example.addEventListener('change', () => {
      this.#changes += 1;
      if (example.value === 'from') {
        this.#takeFrom(from);
      } else {
        this.#show(indented(examples[Number(example.value)][1]));
      }
    });
    const file = element('input', {id: 'scenario-file', type: 'file', accept: '.json,application/json'});
    file.addEventListener('change', () => {
      this.#changes += 1;
      this.#takeFile(file.files[0]);
    });
    this.#text.addEventListener('input', () => {
      this.#changes += 1;
      this.#showCurl();
    });
    this.#draft.addEventListener('change', () => this.#showCurl());
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
    const isDraft = this.#draft.checked;
    this.#curl.textContent = this.#text.value.length > shownMax ? `curl -s … -d @session.json, with ${bodyOf('…', isDraft)} in that file`
        : plain(curlLine(this.#text.value, isDraft));
  }

  #complain(...words) {
    this.#complaint.replaceChildren(...words);
  }

  async #takeFrom(id) {
    const changes = this.#changes;
    try {
      const scenario = parseExact(await getText(`${sessionPath(id)}/documents/scenario`));
      if (changes !== this.#changes) {
        return;
      }
      delete scenario.origin;
      delete scenario.collab?.collab_id; // each session has its own
      this.#show(exactText(scenario, 2));
    } catch (failure) {
      if (changes === this.#changes) {
        this.#failed(failure, 'The scenario cannot be read');
      }
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
    const changes = this.#changes;
    const text = await file.text();
    if (changes === this.#changes) {
      this.#show(text);
    }
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
    const isDraft = this.#draft.checked;
    try {
      JSON.parse(this.#text.value);
    } catch (error) {
      this.#complain(`This is not JSON: ${plain(error.message)}`);
      return;
    }
    const text = bodyOf(this.#text.value, isDraft);
    // Sent again after a lost connection, it begins no second session.
    this.#sent = this.#sent[0] === text ? this.#sent : [text, randomText()];
    this.#complain();
    this.#start.disabled = true;
    try {
      const {session_id: id} = await postText('/v1/sessions', text, this.#sent[1]);
      this.#sent = ['', ''];
      announce(isDraft ? 'The draft is kept.' : 'The session has started.');
      location.assign(sessionUrl(id));
    } catch (failure) {
      this.#failed(failure, 'The session was not started');
    } finally {
      this.#start.disabled = false;
    }
  }
}
