// The first view: what people are asked, sessions and runs.
import {get} from './api.js';
import {dashboard} from './dashboard.js';
import {deadline, element, fill, name, plain, plural, prose, time} from './dom.js';
import {NewSession} from './new_session.js';
import {Poll} from './poll.js';
import {askedWords, keyOf, markOf, wantedOf} from './reply.js';
import {SessionRows} from './session_rows.js';

const pageSize = 50;
const states = ['active', 'suspended', 'completed', 'cancelled'];
const looks = {running: 'active', 'waiting-approval': 'suspended', 'waiting-input': 'suspended',
               'waiting-external': 'suspended', paused: 'suspended', failed: 'cancelled'};
const waiting = 'waiting-approval,waiting-input,waiting-external';
const shortId = (id) => plain(id).slice(0, 8); // tells runs of one workflow apart
const beginning = (text, most = 240) => text.length > most ? `${text.slice(0, most)} …` : text;

export {sessionUrl} from './session_rows.js';

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

function runCard({runId, workflowId, status, startedAt, error}) {
  return element('li', {className: 'card'},
      element('a', {href: runUrl(runId), className: 'strong'}, name(workflowId)),
      element('p', {className: 'meta'}, statusBadge(status), ` ${shortId(runId)} · began `, time(startedAt)),
      error ? element('p', {className: 'meta'}, name(error.message)) : '');
}

/// As many pages of runs as are wanted, joined.
async function listedRuns(status, pages, signal) {
  const all = [];
  let next = null;
  for (let page = 0; page < pages && (page === 0 || next); ++page) {
    const query = new URLSearchParams({limit: pageSize, ...(status && {status}), ...(next && {after: next})});
    const got = await get(`/v1/runs?${query}`, signal);
    all.push(...got.runs);
    next = got.next;
  }
  return {all, hasMore: Boolean(next)};
}

const runFilters = [['', 'All'], [`running,paused,${waiting}`, 'Not ended'], [waiting, 'Waiting'],
                    ...['paused', 'completed', 'failed', 'cancelled'].map((each) => [each, each[0].toUpperCase() + each.slice(1)])];

/// The runs of workflows, which are not shown where there is none.
function runsSection(app) {
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'empty', role: 'status'});
  const more = element('button', {type: 'button', className: 'quiet', hidden: true}, 'Show more runs');
  const filter = element('select', {id: 'run-status'}, runFilters.map(([value, words]) => element('option', {value}, words)));
  const node = element('section', {'aria-labelledby': 'runs-title', hidden: true},
      element('div', {className: 'row'}, element('h2', {id: 'runs-title'}, 'Runs of workflows'),
              element('label', {htmlFor: filter.id}, 'State ', filter)), list, empty, more);
  let pages = 1;
  const poll = new Poll((signal) => listedRuns(filter.value, pages, signal), {
    onData({all, hasMore}) {
      fill(list, all, (each) => each.runId, runCard);
      more.hidden = !hasMore;
      node.hidden = all.length === 0 && filter.value === '';
      empty.textContent = all.length > 0 ? '' : 'No run is in this state.';
    },
    onFailure(failure) {
      list.replaceChildren();
      more.hidden = true;
      node.hidden = failure.status === 403;
      empty.textContent = `The runs cannot be shown: ${failure.message}`;
      app.failed(failure);
    },
    onState: (state) => app.connection('run', state),
  });
  filter.addEventListener('change', () => {
    pages = 1;
    poll.now();
  });
  more.addEventListener('click', () => {
    pages += 1;
    poll.now();
  });
  poll.run();
  return {
    node,
    now: () => poll.now(),
    stop() {
      poll.stop();
      app.connection('run', {connected: true});
    },
  };
}

/// The people with open questions, by session.
function askedBySession(questions) {
  const made = new Map();
  for (const {session, participant} of questions.filter((each) => each.session !== undefined)) {
    const names = made.get(session.session_id) ?? [];
    made.set(session.session_id, names.includes(participant.participant_id) ? names : [...names, participant.participant_id]);
  }
  return made;
}

export function homeView(app, parameters) {
  const list = element('ul', {className: 'cards'});
  const empty = element('p', {className: 'none-asked', role: 'status'}, 'Loading …');
  const title = element('h2', {}, 'Open questions');
  const asks = element('section', {className: 'asks', hidden: true}, title, list);
  const first = element('div');
  let begins; // the form for a first session
  const sessions = new SessionRows(app, parameters, (isEmpty) => {
    if (isEmpty && begins === undefined) {
      begins = new NewSession(app, {title: 'Start a first session'});
      first.replaceChildren(begins.node);
    } else if (!isEmpty && begins !== undefined) {
      begins = undefined;
      first.replaceChildren();
    }
    sessions.node.hidden = isEmpty;
  });
  const unwatch = app.watchQuestions(({all, failure, loaded, more}) => {
    fill(list, all, keyOf, (each) => each.run ? requestCard(each) : questionCard(each));
    asks.hidden = all.length === 0;
    title.textContent = plural(all.length, 'open question');
    empty.textContent = failure ? `The questions cannot be shown: ${failure.message}`
        : !loaded ? 'Loading …'
        : more ? 'There are more questions. They are shown once these are answered.'
        : '';
    sessions.asked = askedBySession(all);
  });
  const sections = [dashboard(app), sessions, runsSection(app)];
  return {
    title: 'Questions, sessions and runs',
    node: element('div', {},
                  element('h1', {className: 'unseen', tabIndex: -1}, 'Questions, sessions and runs'),
                  asks, empty, first, sections.map((each) => each.node)),
    stop() {
      unwatch();
      sections.forEach((each) => each.stop());
    },
    retry: () => sections.forEach((each) => each.now()),
  };
}
