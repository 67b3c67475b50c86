// A new session that shares the beginning of this one: from the event that is
// chosen, with another answer or other settings.
import {Failure, postText, sessionPath} from './api.js';
import {element, plain} from './dom.js';
import {exactText, parseExact} from './exact_json.js';
import {button, choice, chosen, field, randomText} from './fields.js';
import {sessionUrl} from './session_rows.js';

/// The reply that a request got, without what it cost: {content, rest}.
function recordedReply(text) {
  const {reply} = text === undefined ? {} : parseExact(text).payload;
  if (typeof reply !== 'object' || reply === null) {
    return undefined;
  }
  const {content = '', usage, ...rest} = reply;
  return {content, rest};
}

/// The fields of the answer that is given instead of asking again.
function answerFields(who, reply) {
  const group = 'fork-how';
  const content = element('textarea', {id: 'fork-content', rows: 6, dir: 'auto', value: reply?.content ?? ''});
  const rest = element('textarea', {id: 'fork-rest', className: 'code', rows: 6, spellcheck: false,
                                    value: exactText(reply?.rest ?? {}, 2)});
  const fields = element('div', {}, field('Answer', content),
      element('details', {}, element('summary', {}, 'The rest of the reply'),
              field('Reply without its text (JSON)', rest, 'Writes, handoff, vote: what the answer does besides.')));
  const node = element('fieldset', {}, element('legend', {}, 'What happens then'),
      choice(group, 'answer', reply === undefined ? 'Answer for ' : 'Edit the answer of ', element('bdi', {}, plain(who))),
      choice(group, 'again', 'Ask ', element('bdi', {}, plain(who)), reply === undefined ? '' : ' again'), fields);
  const [first] = node.querySelectorAll('input');
  first.checked = true;
  node.addEventListener('change', () => {
    fields.hidden = chosen(node, group) === 'again';
  });
  /// JSON, or undefined: the participant is asked.
  const read = () => {
    if (chosen(node, group) === 'again') {
      return undefined;
    }
    let others;
    try {
      others = parseExact(rest.value);
    } catch (error) {
      throw new SyntaxError(`the rest of the reply is not JSON: ${error.message}`);
    }
    if (typeof others !== 'object' || others === null || Array.isArray(others)) {
      throw new SyntaxError('the rest of the reply must be a JSON object');
    }
    return {participant_id: who, reply: {...others, content: content.value}};
  };
  return {node, read};
}

/// Asks how to fork. `place` is as `LiveView.chosen`.
function forkDialog(id, place, app) {
  const {event_id: event} = JSON.parse(place.begin);
  const answer = place.participant === undefined ? undefined : answerFields(place.participant, recordedReply(place.end));
  const settings = element('textarea', {id: 'fork-set', className: 'code', rows: 3, spellcheck: false});
  const complaint = element('p', {role: 'alert', className: 'complaint', tabIndex: -1});
  const start = element('button', {className: 'primary'}, 'Start the fork');
  const dialog = element('dialog', {className: 'forms fork', 'aria-labelledby': 'fork-title'});
  let sent = ['', '']; // the last body, and its key
  const form = element('form', {noValidate: true},
      element('h2', {id: 'fork-title'}, 'Fork ', plain(place.title)),
      element('p', {}, place.participant === undefined
          ? 'A new session shares everything up to this event. Then it continues by itself: participants who are asked there are asked again.'
          : 'A new session shares everything before this answer. This session stays as it is.'),
      answer?.node ?? '',
      element('details', {}, element('summary', {}, 'Other settings'),
              field('Members of the scenario to change', settings,
                    'One KEY=VALUE a line, such as session.max_turns=20. They must not change what is shared.')),
      complaint,
      element('div', {className: 'buttons'}, start, button('Back', 'quiet', () => dialog.close())));
  const complain = (words) => {
    complaint.textContent = words;
    complaint.focus();
  };
  form.addEventListener('submit', async (submitted) => {
    submitted.preventDefault();
    complaint.textContent = '';
    let body;
    try {
      const set = settings.value.split('\n').map((each) => each.trim()).filter((each) => each !== '');
      body = exactText({event_id: event, ...(set.length > 0 && {set}), ...(answer !== undefined && {answer: answer.read()})});
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
      complain(`Not forked: ${plain(error.message)}.`);
      return;
    }
    sent = sent[0] === body ? sent : [body, randomText()];
    start.disabled = true;
    try {
      const made = await postText(`${sessionPath(id)}/fork`, body, sent[1]);
      location.assign(sessionUrl(made.session_id));
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      if (failure.status !== 0) {
        sent = ['', '']; // that answer would come again
      }
      app.failed(failure);
      const places = failure.details?.errors?.map(({message}) => message) ?? [];
      complain(`Not forked: ${plain([failure.message, ...places].join('; '))}`);
    } finally {
      start.disabled = false;
    }
  });
  dialog.append(form);
  dialog.addEventListener('close', () => dialog.remove(), {once: true});
  document.body.append(dialog);
  dialog.showModal();
}

/// A button beside the event that is chosen. `chosenOf()` is that one.
export function forkButton(id, chosenOf, app) {
  return button('Fork here …', '', () => {
    const place = chosenOf();
    if (place !== undefined) {
      forkDialog(id, place, app);
    }
  });
}

/// Says where a session comes from; `origin` is of its scenario.
export const originLine = ({session_id: id, event_id: event}) =>
    element('p', {id: 'origin'}, 'Forked from ',
            element('a', {href: `${sessionUrl(id)}#id=${encodeURIComponent(event)}`}, `session ${plain(id)}`));
