// The open questions of a session, the first with its form.
import {answerForm} from './answer_form.js';
import {withChanges} from './changes.js';
import {deadline, element, name, replaceIn} from './dom.js';
import {button} from './fields.js';
import {backgroundOf, subjectOf} from './question.js';
import {keyOf, wantedOf} from './reply.js';

const othersMax = 20; // that are named

/// The dialog and the writes before it, which are fetched once it is opened.
function background(question, signal) {
  const node = element('details', {className: 'panel'}, element('summary', {}, 'What was said and changed'));
  node.addEventListener('toggle', async () => {
    if (node.open && node.childElementCount === 1) {
      const whole = question.approval ? question : await withChanges(question, signal).catch(() => question);
      const parts = backgroundOf(whole).filter((each) => each !== '');
      node.append(...(parts.length === 0 ? [element('p', {className: 'meta'}, 'Nothing so far.')] : parts));
    }
  });
  return node;
}

export class Asked {
  node = element('section', {className: 'asked forms', 'aria-label': 'Open questions', hidden: true});
  #app;
  #id;
  #shown; // the question with its form
  #form;
  #all = [];
  #sent = element('p', {role: 'status', className: 'sent', hidden: true});
  #others = element('p', {className: 'others'});
  #body = element('div', {className: 'asked-body'});
  #life = new AbortController();

  /// `onChange` gets the ids of the people with open questions.
  constructor(app, id, onChange) {
    this.#app = app;
    this.#id = id;
    this.node.append(this.#sent, this.#others, this.#body);
    app.watchQuestions(({all}) => {
      this.#all = all.filter((each) => each.session?.session_id === id);
      this.#draw();
      onChange([...new Set(this.#all.map((each) => each.participant.participant_id))]);
    });
  }

  #draw() {
    const isOpen = this.#shown !== undefined && this.#all.some((each) => keyOf(each) === keyOf(this.#shown));
    this.#form?.setOpen(isOpen);
    // An answer that was begun stays.
    if (!isOpen && this.#all.length > 0 && !this.#hasDraft()) {
      this.#show(this.#all[0]);
    } else if (!isOpen && !this.#hasDraft()) {
      this.#clear();
    }
    const others = this.#all.filter((each) => this.#shown === undefined || keyOf(each) !== keyOf(this.#shown));
    this.#others.replaceChildren(...(others.length === 0 ? [] : [
      `${this.#all.length} open questions. `,
      ...others.slice(0, othersMax).map((each) => button(`${each.participant.participant_id}: ${wantedOf(each)}`, 'quiet', () => {
        this.#show(each);
        this.#draw();
        this.#form.focus();
      }))]));
    this.node.hidden = this.#shown === undefined && this.#all.length === 0 && this.#sent.hidden;
  }

  #hasDraft() {
    return this.#shown !== undefined && [...this.#body.querySelectorAll('#answer')].some((each) => each.value !== '');
  }

  #clear() {
    this.#shown = undefined;
    this.#form = undefined;
    this.#body.replaceChildren();
  }

  #show(question) {
    this.#shown = question;
    this.#form = answerForm(question, {app: this.#app, onSent: (words) => {
      this.#sent.textContent = words;
      this.#sent.hidden = false;
      this.#clear();
      this.#app.questionsChanged();
    }});
    const who = question.participant.participant_id;
    replaceIn(this.#body,
        element('h2', {tabIndex: -1}, name(who), `: ${wantedOf(question)}`),
        element('p', {className: 'meta'}, deadline(question.deadline)),
        element('div', {className: 'facts'}, subjectOf(question)),
        this.#form.node, background(question, this.#life.signal));
  }
}
