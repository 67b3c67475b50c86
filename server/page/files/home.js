// The first view: open questions, runs and sessions.
import {get} from './api.js';
import {deadline, element, fill, name, plain, plural, prose, time} from './dom.js';
import {Poll} from './poll.js';
import {askedWords, keyOf, markOf, wantedOf} from './reply.js';

const pageSize = 50;
const states = ['active', 'suspended', 'completed', 'cancelled'];
const looks = {running: 'active', 'waiting-approval': 'suspended', 'waiting-input': 'suspended',
               'waiting-external': 'suspended', paused: 'suspended', failed: 'cancelled'};
const waiting = 'waiting-approval,waiting-input,waiting-external';
const shortId = (id) => plain(id).slice(0, 8); // tells runs of one workflow apart
const beginning = (text, most = 240) => text.length > most ? `${text.slice(0, most)} …` : text;

export const sessionUrl = (id) => `/session/${encodeURIComponent(id)}`;

export const runUrl = (id, node) => `/#/run/${encodeURIComponent(id)}` +
    (node === undefined ? '' : `/${encodeURIComponent(node)}`);

/// A participant may have several open questions in a session, so the address
/// has a mark of this one; its token stays out of it.
export const questionUrl = (question) =>
    `/#/question/${encodeURIComponent(question.session.session_id)}/` +
    `${encodeURIComponent(question.participant.participant_id)}/${markOf(question)}`;

export const statusBadge = (status) =>
    element('span', {className: `badge is-${states.includes(status) ? status
                                            : Object.hasOwn(looks, status) ? looks[status] : 'other'}`},
            String(status).replaceAll(/[_-]/g, ' '));

function requestCard({run, nodeId, kind, deadline: until}) {
  return element('li', {className: 'card question'},
      element('a', {href: runUrl(run.runId, nodeId), className: 'strong'},
              name(nodeId), `: ${askedWords(kind)}`),
      element('p', {className: 'meta'}, `in the run ${shortId(run.runId)} of `, name(run.workflowId),
              until ? ' · ' : '', until ? deadline(until) : ''));
}

/// What there is to know about a question before it is opened.
export function questionCard(question, {namesSession = true} = {}) {
  const {session, participant} = question;
  const until = question.deadline ? deadline(question.deadline) : '';
  return element('li', {className: 'card question'},
      element('a', {href: questionUrl(question), className: 'strong'},
              name(participant.participant_id), `: ${wantedOf(question)}`),
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

function runCard({runId, workflowId, status, startedAt, error}) {
  return element('li', {className: 'card'},
      element('a', {href: runUrl(runId), className: 'strong'}, name(workflowId)),
      element('p', {className: 'meta'}, statusBadge(status), ` ${shortId(runId)} · began `, time(startedAt)),
      error ? element('p', {className: 'meta'}, name(error.message)) : '');
}

/// As many pages as are wanted, joined.
async function listed({path, member}, status, pages, signal) {
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
    const got = await get(`${path}?${query}`, signal);
    all.push(...got[member]);
    next = got.next;
  }
  return {all, hasMore: Boolean(next)};
}

const lists = {
  sessions: {
    path: '/v1/sessions', member: 'sessions', title: 'Sessions', noun: 'session',
    filters: [...states.map((each) => [each, each]), ['', 'all']],
    keyOf: (each) => each.session_id, card: sessionCard,
  },
  runs: {
    path: '/v1/runs', member: 'runs', title: 'Runs', noun: 'run',
    filters: [[`running,paused,${waiting}`, 'going on'], [waiting, 'waiting'],
              ...['paused', 'completed', 'failed', 'cancelled'].map((each) => [each, each]),
              ['', 'all']],
    keyOf: (each) => each.runId, card: runCard,
  },
};

/// A list that is asked for again and again.
function listSection(app, which) {
  const {title, noun, filters, keyOf: key, card} = which;
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'empty', role: 'status'}, 'Loading …');
  const more = element('button', {type: 'button', className: 'quiet', hidden: true},
                       `Show more ${noun}s`);
  const filter = element('select', {id: `${noun}-status`},
                         filters.map(([value, words]) => element('option', {value}, words)));
  let pages = 1;

  const poll = new Poll((signal) => listed(which, filter.value, pages, signal), {
    onData({all, hasMore}) {
      fill(list, all, key, card);
      more.hidden = !hasMore;
      empty.textContent = all.length > 0 ? ''
          : filter.value ? `No ${noun} is ${filter.selectedOptions[0].textContent}.`
          : `There is no ${noun} yet.`;
    },
    onFailure(failure) {
      list.replaceChildren();
      more.hidden = true;
      empty.textContent = `The ${noun}s cannot be shown: ${failure.message}`;
      app.failed(failure);
    },
    onState: (state) => app.connection(noun, state),
  });
  filter.addEventListener('change', () => {
    pages = 1;
    poll.now();
  });
  more.addEventListener('click', () => {
    pages += 1;
    poll.now();
  });
  const node = element('section', {'aria-labelledby': `${noun}s-title`},
      element('div', {className: 'row'},
              element('h2', {id: `${noun}s-title`}, title),
              element('label', {htmlFor: filter.id}, 'State ', filter)),
      list, empty, more);
  poll.run();
  return {
    node,
    now: () => poll.now(),
    stop() {
      poll.stop();
      app.connection(noun, {connected: true});
    },
  };
}

export function homeView(app) {
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'empty', role: 'status'}, 'Loading …');
  const title = element('h2', {}, 'Open questions');
  const onQuestions = ({all, failure, loaded, more}) => {
    fill(list, all, keyOf, (each) => each.run ? requestCard(each) : questionCard(each));
    title.textContent = all.length > 0 ? plural(all.length, 'open question') : 'Open questions';
    empty.textContent = failure ? `The questions cannot be shown: ${failure.message}`
        : !loaded ? 'Loading …'
        : more ? 'There are more; they are shown once these are answered.'
        : all.length > 0 ? '' : 'No open questions.';
  };
  const unwatch = app.watchQuestions(onQuestions);
  const sections = [listSection(app, lists.runs), listSection(app, lists.sessions)];
  return {
    title: 'Questions, sessions and runs',
    node: element('div', {},
                  element('h1', {className: 'unseen', tabIndex: -1}, 'Questions, sessions and runs'),
                  element('section', {}, title, list, empty), sections.map((each) => each.node)),
    stop() {
      unwatch();
      sections.forEach((each) => each.stop());
    },
    retry: () => sections.forEach((each) => each.now()),
  };
}
