// The first view: open questions and sessions.
import {get} from './api.js';
import {deadline, element, fill, name, plural, prose, time} from './dom.js';
import {Poll} from './poll.js';
import {keyOf, wantedWords} from './reply.js';

const pageSize = 50;
const states = ['active', 'suspended', 'completed', 'cancelled'];
const beginning = (text, most = 240) => text.length > most ? `${text.slice(0, most)} …` : text;

export const sessionUrl = (id) => `#/session/${encodeURIComponent(id)}`;

/// A participant has at most one open question in a session, so these two name
/// it; its token stays out of the address.
export const questionUrl = (question) =>
    `#/question/${encodeURIComponent(question.session.session_id)}/` +
    encodeURIComponent(question.participant.participant_id);

export const statusBadge = (status) =>
    element('span', {className: `badge is-${states.includes(status) ? status : 'other'}`},
            String(status).replaceAll('_', ' '));

/// What there is to know about a question before it is opened.
export function questionCard(question, {namesSession = true} = {}) {
  const {session, participant} = question;
  const until = question.deadline ? deadline(question.deadline) : '';
  return element('li', {className: 'card question'},
      element('a', {href: questionUrl(question), className: 'strong'},
              name(participant.participant_id), `: ${wantedWords[question.wanted] ?? 'a question'}`),
      element('p', {className: 'meta'},
              namesSession ? ['in ', name(session.title || session.session_id), ' · '] : '', until),
      question.task ? prose(beginning(question.task)) : '');
}

function sessionCard(session) {
  return element('li', {className: 'card'},
      element('a', {href: sessionUrl(session.session_id), className: 'strong'},
              name(session.title || session.session_id)),
      element('p', {className: 'meta'}, statusBadge(session.status),
              ` ${String(session.mode).replaceAll('_', ' ')} · began `, time(session.started_at)));
}

/// As many pages of sessions as are wanted, joined.
async function sessions(status, pages, signal) {
  const all = [];
  let next = null;
  for (let page = 0; page < pages && (page === 0 || next); ++page) {
    const query = new URLSearchParams({limit: pageSize});
    if (status) {
      query.set('status', status);
    }
    if (next) {
      query.set('after', next);
    }
    const got = await get(`/v1/sessions?${query}`, signal);
    all.push(...got.sessions);
    next = got.next;
  }
  return {all, hasMore: Boolean(next)};
}

function sessionsSection(app) {
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'empty', role: 'status'}, 'Loading …');
  const more = element('button', {type: 'button', className: 'quiet', hidden: true}, 'Show more');
  const filter = element('select', {id: 'status'},
                         states.map((each) => element('option', {value: each}, each)),
                         element('option', {value: ''}, 'all'));
  let pages = 1;

  const show = ({all, hasMore}) => {
    fill(list, all, (each) => each.session_id, sessionCard);
    more.hidden = !hasMore;
    empty.textContent = all.length > 0 ? ''
        : filter.value ? `No session is ${filter.value}.` : 'There is no session yet.';
  };
  const poll = new Poll((signal) => sessions(filter.value, pages, signal), {
    onData: show,
    onFailure: (failure) => {
      list.replaceChildren();
      more.hidden = true;
      empty.textContent = `The sessions cannot be shown: ${failure.message}`;
      app.failed(failure);
    },
    onState: (state) => app.connection('sessions', state),
  });
  filter.addEventListener('change', () => {
    pages = 1;
    poll.now();
  });
  more.addEventListener('click', () => {
    pages += 1;
    poll.now();
  });
  const node = element('section', {'aria-labelledby': 'sessions-title'},
      element('div', {className: 'row'},
              element('h2', {id: 'sessions-title'}, 'Sessions'),
              element('label', {htmlFor: 'status'}, 'State ', filter)),
      list, empty, more);
  return {node, poll};
}

export function homeView(app) {
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'empty', role: 'status'}, 'Loading …');
  const title = element('h2', {}, 'Open questions');
  const onQuestions = ({all, failure, loaded, more}) => {
    fill(list, all, keyOf, (each) => questionCard(each));
    title.textContent = all.length > 0 ? plural(all.length, 'open question') : 'Open questions';
    empty.textContent = failure ? `The questions cannot be shown: ${failure.message}`
        : !loaded ? 'Loading …'
        : more ? 'There are more; they are shown once these are answered.'
        : all.length > 0 ? '' : 'Nobody is asked anything.';
  };
  const unwatch = app.watchQuestions(onQuestions);
  const {node, poll} = sessionsSection(app);
  poll.run();
  return {
    title: 'Questions and sessions',
    node: element('div', {},
                  element('h1', {className: 'unseen', tabIndex: -1}, 'Questions and sessions'),
                  element('section', {}, title, list, empty), node),
    stop() {
      unwatch();
      poll.stop();
      app.connection('sessions', {connected: true});
    },
    retry: () => poll.now(),
  };
}
