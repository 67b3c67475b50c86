// One open question, and the form that answers it.
import {deadline, element, name, plural, prose, replaceIn, time, valueText} from './dom.js';
import {answerForm} from './answer_form.js';
import {withChanges} from './changes.js';
import {sessionUrl} from './home.js';
import {keyOf, markOf, saidSince, wantedOf} from './reply.js';

const called = (resource) => `${resource.resource_type}/${resource.resource_id}`;

function section(title, ...children) {
  const shown = children.flat().filter((each) => each !== undefined && each !== '');
  return shown.length === 0 ? '' : element('section', {}, element('h2', {}, title), ...shown);
}

function folded(title, ...children) {
  return element('details', {className: 'panel'},
                 element('summary', {}, element('h2', {}, title)), ...children);
}

const messageNode = (said) => element('li', {className: 'event'},
    element('div', {className: 'event-head'}, time(said.at), ' ',
            element('strong', {}, said.participant ? name(said.participant) : 'session')),
    prose(said.content));

const answerNode = (each) => element('li', {className: 'event'},
    element('div', {className: 'event-head'}, element('strong', {}, name(each.participant)), ' ',
            element('span', {className: 'what'}, String(each.status).replaceAll('_', ' '))),
    prose(each.content));

const events = (children) => element('ol', {className: 'timeline'}, children);

const resourceNode = (resource) => element('li', {className: 'event'},
    element('div', {className: 'event-head'}, element('strong', {}, name(called(resource))),
            resource.deleted ? ' was deleted' : ` is at version ${resource.version}`,
            resource.participant_id ? [' by ', name(resource.participant_id)] : ''),
    resource.deleted ? '' : prose(valueText(resource.value), 'code'));

function conversation(question) {
  const since = saidSince(question);
  const earlier = question.dialog.slice(0, question.dialog.length - since.length);
  return [
    section('Said since', since.length > 0 ? events(since.map(messageNode)) : ''),
    earlier.length > 0 ? folded(`Said before (${earlier.length})`, events(earlier.map(messageNode)))
                       : '',
  ];
}

function resources({changes = [], resources: all = []}) {
  const changed = new Set(changes.map(called));
  const others = all.filter((each) => !changed.has(called(each)));
  return [
    section('Changed since', changes.length > 0 ? events(changes.map(resourceNode)) : ''),
    others.length > 0 ? folded(`Resources (${others.length})`, events(others.map(resourceNode))) : '',
  ];
}

function dispute({dispute: what}) {
  if (what === undefined) {
    return '';
  }
  return section(`Two versions of ${called(what)}`, what.sides.map((side, index) =>
      element('div', {className: 'event'},
              element('h3', {}, index === 0 ? 'The version before it, by ' : 'The new version, by ',
                      name(side.participant)),
              side.deleted ? element('p', {className: 'meta'}, '(deleted)')
                           : prose(valueText(side.value), 'code'))));
}

function toDecide({decide}) {
  if (decide === undefined) {
    return '';
  }
  const {last, also_closed: also = [], ready = [], responses = []} = decide;
  return [
    decide.refused ? section('Your last decision was refused', prose(decide.refused)) : '',
    section('What has been done', [...also, last].filter(Boolean).length > 0
        ? events([...also, last].filter(Boolean).map(answerNode)) : ''),
    section('Answers to the last broadcast',
            responses.length > 0 ? events(responses.map(answerNode)) : ''),
    section('Ready steps', ready.length > 0
        ? element('ul', {}, ready.map((step) =>
              element('li', {}, name(step.description), step.agent_role ? ' (' : '',
                      step.agent_role ? name(step.agent_role) : '', step.agent_role ? ')' : '')))
        : ''),
    decide.steps_total > 0
        ? element('p', {className: 'meta'}, `${decide.steps_open} of ` +
                  `${plural(decide.steps_total, 'step')} open, ${decide.steps_failed} failed; ` +
                  `${plural(decide.outstanding, 'turn')} under way`)
        : '',
  ];
}

/// The call that is to be approved, with all of its arguments.
function calledNode({approval}) {
  if (approval === undefined) {
    return '';
  }
  const {participant, kind, name: tool, arguments: given, sha256} = approval;
  return section(`${participant} wants to call ${tool} (${kind})`,
                 prose(JSON.stringify(given, null, 2), 'code'),
                 element('p', {className: 'meta'}, `SHA-256 ${sha256}`));
}

function heading(question, toAnswer) {
  const {session, participant} = question;
  const answer = element('button', {type: 'button', className: 'quiet'}, 'Go to the answer');
  answer.addEventListener('click', toAnswer);
  const facts = [
    String(session.mode).replaceAll('_', ' '),
    question.turn_number ? `turn ${question.turn_number}` : '',
    question.round ? `round ${question.round}` : '',
    question.attempt > 1 ? `attempt ${question.attempt}` : '',
    question.duty && !question.approval ? `as ${question.duty}` : '',
  ].filter(Boolean).join(', ');
  return element('div', {className: 'head'},
      element('h1', {tabIndex: -1}, name(participant.participant_id),
              `: ${wantedOf(question)}`),
      element('p', {className: 'meta'}, 'in ',
              element('a', {href: sessionUrl(session.session_id)},
                      name(session.title || session.session_id)),
              ` · ${facts} · `, deadline(question.deadline)),
      session.purpose ? prose(session.purpose) : '', element('div', {}, answer));
}

/// What is to be answered.
export function subjectOf(question) {
  const {handoff, missed_quorum: missed} = question;
  return [
      question.task ? section('Task', prose(question.task)) : '',
      handoff ? section(`Handed to you by ${handoff.from}`,
                        prose([handoff.instructions, handoff.reason].filter(Boolean).join('\n')))
              : '',
      missed ? element('p', {}, `The quorum of the round before was missed: ${missed.answered} of ` +
                                `the ${missed.needed} needed answered.`)
             : '',
      dispute(question),
      ...[toDecide(question)].flat(),
      calledNode(question),
  ];
}

/// What was said and written before.
export function backgroundOf(question) {
  const {responses = []} = question;
  return [
      section('Answers of the round before',
              responses.length > 0 ? events(responses.map(answerNode)) : ''),
      ...conversation({dialog: [], ...question}),
      ...resources(question.workspace ?? {}),
  ];
}

const facts = (question) =>
    element('div', {className: 'facts'}, subjectOf(question), backgroundOf(question));

export function questionView(app, sessionId, participantId, mark) {
  const node = element('article', {className: 'question-view'},
                       element('h1', {tabIndex: -1}, 'Question'),
                       element('p', {role: 'status'}, 'Loading …'));
  const life = new AbortController();
  let shown; // the question on the page
  let form;
  let said = ''; // instead of a question
  let sent = ''; // what was done with the question before

  const isOurs = (each) => each.session?.session_id === sessionId &&
                           each.participant.participant_id === participantId;
  /// The one that the address names; once that was answered, this person's next.
  const find = (all) => {
    const ours = all.filter(isOurs);
    return mark === undefined || sent !== '' ? ours[0] : ours.find((each) => markOf(each) === mark);
  };
  const say = (text) => {
    if (text === said) {
      return;
    }
    said = text;
    replaceIn(node, element('h1', {tabIndex: -1}, 'Question'),
              element('p', {role: 'status'}, text),
              element('p', {}, element('a', {href: sessionUrl(sessionId)}, 'The session'), ' · ',
                      element('a', {href: '/#/'}, 'All open questions')));
  };
  const onSent = (words) => {
    shown = undefined;
    form = undefined;
    sent = words;
    say(words);
    app.questionsChanged();
  };
  const show = (question) => {
    said = '';
    form = answerForm(question, {onSent, app});
    replaceIn(node, sent ? element('p', {role: 'status', className: 'sent'}, sent) : '',
              heading(question, () => form.focus()), facts(question), form.node);
    app.titled(`${participantId}: ${wantedOf(question)}`);
  };
  const load = async (question) => {
    shown = question;
    // Without its changes, if they cannot be had. A question about a call has none.
    const whole = question.approval
        ? question : await withChanges(question, life.signal).catch(() => question);
    if (!life.signal.aborted) {
      show(whole);
    }
  };
  const unwatch = app.watchQuestions(({all, loaded, failure}) => {
    const question = find(all);
    if (form !== undefined) {
      form.setOpen(all.some((each) => keyOf(each) === keyOf(shown)));
    } else if (shown !== undefined) {
      return; // it is being loaded
    } else if (question !== undefined) {
      load(question);
    } else if (failure) {
      say(`The questions cannot be shown: ${failure.message}`);
    } else if (loaded && said === '') {
      say('This question is not open, or no longer.');
    }
  });
  return {
    title: 'Question',
    node,
    stop() {
      unwatch();
      life.abort();
    },
    retry() {},
  };
}
