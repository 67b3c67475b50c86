// The form that answers what a node of a run asks.
import {runPath} from './api.js';
import {element, plain, prose, valueText} from './dom.js';
import {button, field, randomText} from './fields.js';
import {schemaFields} from './schema_form.js';
import {Sender, sendForm} from './send_form.js';

const listed = (value) => Array.isArray(value) ? value : [];
const textOf = (value) => typeof value === 'string' ? value : '';
const sentence = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/// What this page shows of a request's data by itself; the rest is shown as it is.
const known = ['title', 'description', 'actions', 'questions', 'prompt', 'initialPrompt',
               'conversationId', 'initialTurn', 'capabilities', 'schema', 'operation', 'agentId',
               'turnIndex'];

/// What is known of the request, above its form.
export function aboutRequest({data}) {
  const others = Object.entries(data).filter(([key]) => !known.includes(key));
  return [
    data.title ? prose(valueText(data.title), 'strong') : '',
    data.description ? prose(valueText(data.description)) : '',
    others.length > 0 ? element('details', {className: 'panel'},
        element('summary', {}, 'What else was given'),
        prose(JSON.stringify(Object.fromEntries(others), null, 2), 'code')) : '',
  ];
}

const tones = new Map([['accept', 'good'], ['approve', 'good'], ['reject', 'bad']]);

function approvalFields({data}, id, send) {
  return element('div', {className: 'buttons'}, listed(data.actions).map((action) =>
      button(sentence(plain(action)), tones.get(action) ?? '',
             () => send(() => ({action}), `You answered: ${plain(action)}.`))));
}

function clarificationFields({data}, id, send) {
  const parts = listed(data.questions).map((each, index) => ({
    key: each.id,
    isNeeded: each.required !== false,
    ...schemaFields(`${id}-${index}`, plain(textOf(each.question) || each.id) +
                                      (each.required === false ? ' (may be empty)' : ''),
                    each.schema),
  }));
  const answers = () => {
    const made = {};
    for (const {key, isNeeded, value} of parts) {
      try {
        made[key] = value();
      } catch (error) {
        if (isNeeded || !(error instanceof SyntaxError) || !error.message.endsWith('is empty')) {
          throw error;
        }
      }
    }
    return {answers: made};
  };
  return [...parts.map((each) => each.node), element('div', {className: 'buttons'},
      button('Send', 'primary', () => send(answers, 'Your answers were sent.')))];
}

function otherFields({resumeSchema}, id, send) {
  const given = schemaFields(`${id}-value`, 'Your answer', resumeSchema ?? {});
  return [given.node, element('div', {className: 'buttons'},
      button('Send', 'primary', () => send(given.value, 'Your answer was sent.')))];
}

/// A turn is made once: what is sent again after a lost connection is the same
/// turn, which the server takes once.
class Turns {
  #said = '';
  #turn;

  constructor(interrupt) {
    this.interrupt = interrupt;
  }

  /// Forgets what was said, as the server has it.
  clear() {
    this.#said = '';
  }

  make(from, content) {
    const said = JSON.stringify([from, content]);
    const {turns} = this.interrupt;
    const index = turns.length;
    const fits = () => this.#turn.turnIndex >= index || // else somebody else was faster
                       turns.some((each) => each.messageId === this.#turn.messageId);
    if (said !== this.#said || !fits()) {
      this.#said = said;
      this.#turn = {messageId: randomText(), from, role: 'user', turnIndex: index, ts: Date.now(),
                    content};
    }
    return this.#turn;
  }
}

function conversationFields(interrupt, id, send) {
  const turns = new Turns(interrupt);
  const holder = element('div', {className: 'field'});
  let said;
  const clear = () => {
    turns.clear();
    said = schemaFields(`${id}-text`, 'What you say', interrupt.schema);
    holder.replaceChildren(said.node);
  };
  clear();
  const from = element('input', {id: `${id}-from`, value: 'user', autocomplete: 'off', dir: 'auto',
                                 maxLength: 256});
  const outcome = element('textarea', {id: `${id}-outcome`, rows: 3, dir: 'auto'});
  const turn = () => {
    const name = from.value.trim();
    if (name === '') {
      throw new SyntaxError('who speaks is empty');
    }
    return turns.make(name, said.value());
  };
  const isEmpty = () => [...holder.querySelectorAll('input, textarea, select')]
      .every((each) => each.value.trim() === '');
  const exchange = () => ({operation: 'exchange', turn: turn()});
  const close = () => ({operation: 'close', ...(!isEmpty() && {turn: turn()}),
                        ...(outcome.value.trim() !== '' && {outcome: outcome.value.trim()})});
  return {
    clear,
    nodes: [
      holder,
      element('details', {className: 'panel'}, element('summary', {}, 'Who speaks, and the outcome'),
              field('Who speaks', from),
              field('Outcome', outcome, 'The outcome, if you close the conversation.')),
      element('div', {className: 'buttons'},
              button('Send', 'primary', () => send(exchange, 'Your turn was sent.')),
              button('Close the conversation', '', () => send(close, 'You closed the conversation.'))),
    ],
  };
}

/// A decision that its orchestrator is not sure of is shown above the form.
function ratificationFields(interrupt, id, send) {
  return approvalFields({data: {actions: ['accept', 'reject']}}, id, send);
}

const fields = {approval: approvalFields, clarification: clarificationFields,
                'low-confidence': ratificationFields};
export const isConversation = (kind) => String(kind).startsWith('conversation');

/// {node, focus(), setOpen(isOpen)}, as `sendForm` has it. `onDone(words)` is
/// called once it was answered for good.
export function interruptForm(runId, interrupt, id, {onDone, onTurn, app}) {
  const sender = new Sender(`${runPath(runId)}/interrupts/${encodeURIComponent(interrupt.nodeId)}`);
  let talk;
  const form = sendForm({
    id,
    title: 'Your answer',
    app,
    makeFields(send) {
      if (!isConversation(interrupt.kind)) {
        return (fields[interrupt.kind] ?? otherFields)(interrupt, id, send);
      }
      talk = conversationFields(interrupt, id, send);
      return talk.nodes;
    },
    deliver: (resumeValue) => sender.send({resumeValue}),
    onTaken(words, {operation}) {
      if (operation === 'exchange') {
        talk.clear();
        form.focus();
        onTurn(words);
      } else {
        onDone(words);
      }
    },
  });
  return form;
}
