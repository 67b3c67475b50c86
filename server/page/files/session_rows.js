// The sessions of a server as a list: live, found and filtered by the server, a
// page at a time.
import {get, sessionPath} from './api.js';
import {controls} from './controls.js';
import {element, plain} from './dom.js';
import {button} from './fields.js';
import {kindsOfSessions, SessionFinder, SessionList, outcomesChart, soughtFrom, soughtTo} from './list.js';
import {Poll} from './poll.js';
import {actionsOf} from './session_actions.js';

const pageSize = 50;
const typingMs = 150;

/// What a query has for each kind.
const queries = {
  running: {status: 'active'},
  suspended: {status: 'suspended'},
  draft: {status: 'draft'},
  cancelled: {status: 'cancelled'},
  failures: {status: 'completed', failures: 'yes'},
  completed: {status: 'completed', failures: 'no'},
};

const reasons = {down: 'is down', not_connected: 'is not connected to this node', refused: 'refuses this key',
                 unreadable: 'gave an answer that cannot be read'};

/// Which nodes of a cluster the list lacks; empty: none.
const missingWords = (missing = []) => missing.length === 0 ? ''
    : `Not listed: ${missing.map(({node, reason}) => node === '*' ? 'sessions of other nodes (the database does not answer)'
        : `sessions of ${plain(node)}, which ${reasons[reason] ?? 'does not answer'}`).join('; ')}.`;

export const sessionUrl = (id) => `/session/${encodeURIComponent(id)}`;

const timeOf = (stamp) => (stamp === null ? undefined : Date.parse(stamp));

/// As list.js has it; `asked` are people with questions.
function rowOf(session, asked) {
  const {session_id: id, title, mode, status, node, started_at: began, last_event_at: last} = session;
  return {key: id, href: sessionUrl(id), id, title, mode, status, isLive: true, start: timeOf(began),
          end: status === 'active' ? undefined : timeOf(last), gist: session, node,
          ...(asked.length > 0 && status === 'active' && {asked})};
}

const sumsOf = ({statuses, modes, conditions, completed_with_failures: failures}) => ({
  kinds: {running: statuses.active, suspended: statuses.suspended, draft: statuses.draft, cancelled: statuses.cancelled,
          failures, completed: (statuses.completed ?? 0) - failures},
  modes, reasons: conditions,
  total: Object.values(statuses).reduce((all, each) => all + each, 0),
});

export class SessionRows {
  node = element('section', {id: 'sessions-part', 'aria-label': 'Sessions'});
  #app;
  #finder;
  #list;
  #pages = [0]; // what each page, up to the one that is shown, begins after
  #next = null; // what the next page begins after, once this one is shown
  #poll;
  #typing;
  #asked = new Map(); // people with questions, by session
  #shown;
  #chart = element('div');
  #found = element('p', {className: 'dim found', role: 'status'}, 'Loading …');
  #missing = element('p', {className: 'dim missing', role: 'status', hidden: true});
  #newer = button('Newer', '', () => this.#turn(-1));
  #older = button('Older', '', () => this.#turn(1));
  #onEmpty;
  #controls = new Map(); // by session

  /// `parameters` are those of the address; `onEmpty(isEmpty)` is called with
  /// whether the server has no session at all.
  constructor(app, parameters, onEmpty) {
    this.#app = app;
    this.#onEmpty = onEmpty;
    this.#finder = new SessionFinder(soughtFrom(parameters), Object.keys(queries).filter((each) => kindsOfSessions.has(each)),
                                     [['', 'Newest first'], ['oldest', 'Oldest first']], (sought) => this.#seek(sought));
    this.#list = new SessionList((row) => this.#actions(row));
    this.node.append(element('div', {className: 'list-head'}, element('h2', {}, 'Sessions'), this.#finder.search),
                     this.#chart, this.#finder.node, this.#found, this.#missing, this.#list.node,
                     element('div', {className: 'buttons pages'}, this.#newer, this.#older));
    this.#poll = new Poll((signal) => this.#ask(signal), {
      onData: (got) => this.#take(got),
      onFailure: (failure) => {
        this.#list.show([]);
        this.#allow(failure.status !== 403);
        this.#found.textContent = failure.status === 403 ? 'This key may not list sessions.'
            : `The sessions cannot be shown: ${failure.message}`;
        this.#pageButtons();
        app.failed(failure);
      },
      onState: (state) => app.connection('session', state),
    });
    this.#pageButtons();
    this.#poll.run();
  }

  /// People who are asked something, by session.
  set asked(bySession) {
    this.#asked = bySession;
    if (this.#shown !== undefined) {
      this.#show();
    }
  }

  now() {
    this.#poll.now();
  }

  stop() {
    this.#poll.stop();
    clearTimeout(this.#typing);
    this.#list.stop();
    this.#app.connection('session', {connected: true});
  }

  /// Whether there is anything that can be searched.
  #allow(isAllowed) {
    this.#finder.search.hidden = !isAllowed;
    this.#finder.node.hidden = !isAllowed;
    this.#chart.hidden = !isAllowed;
  }

  #seek(sought) {
    const query = String(soughtTo(sought));
    history.replaceState(null, '', `#/${query === '' ? '' : `?${query}`}`);
    this.#pages = [0];
    this.#next = null;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#poll.now(), typingMs);
  }

  #turn(by) {
    if (by > 0 ? this.#next === null : this.#pages.length < 2) {
      return; // the page that was asked for is still to come
    }
    this.#pages = by > 0 ? [...this.#pages, this.#next] : this.#pages.slice(0, -1);
    this.#next = null;
    this.#poll.now();
    this.node.scrollIntoView();
  }

  /// What is asked for now.
  #query() {
    const {text, kind, mode, reason, order} = this.#finder.sought;
    const query = new URLSearchParams({limit: pageSize, sums: 'yes', order: order === 'oldest' ? 'oldest' : 'newest',
                                       after: this.#pages.at(-1),
                                       ...(Object.hasOwn(queries, kind) && queries[kind])});
    for (const [name, value] of [['text', text], ['mode', mode], ['condition', reason]]) {
      if (value !== '') {
        query.set(name, value);
      }
    }
    return String(query);
  }

  async #ask(signal) {
    const query = this.#query();
    const got = await get(`/v1/sessions?${query}`, signal);
    return {...got, query};
  }

  #take(got) {
    if (got.query !== this.#query()) {
      return; // others are wanted by now
    }
    this.#allow(true);
    this.#shown = got;
    this.#next = got.next;
    this.#finder.count(sumsOf(got.sums));
    this.#onEmpty(Object.keys(got.sums.statuses).length === 0 && !got.missing?.length);
    this.#pageButtons();
    this.#show();
  }

  #show() {
    const {sessions, sums} = this.#shown;
    const rows = sessions.map((each) => rowOf(each, this.#asked.get(each.session_id) ?? []));
    this.#list.show(rows);
    this.#missing.textContent = missingWords(this.#shown.missing);
    this.#missing.hidden = this.#missing.textContent === '';
    const inOrder = this.#finder.sought.order === 'oldest' ? rows : rows.toReversed();
    const title = sums.matching > rows.length ? `Outcomes of the ${rows.length} sessions on this page, in order` : undefined;
    this.#chart.replaceChildren(...(rows.length > 1 ? [outcomesChart(inOrder, title)] : []));
    const first = (this.#pages.length - 1) * pageSize + 1;
    const many = (number) => number.toLocaleString('en');
    this.#found.textContent = rows.length === 0
        ? (this.#finder.isSeeking ? 'No session matches. Clear the search, or choose All.' : 'There is no session yet.')
        : sums.matching <= rows.length ? `${many(sums.matching)} session${sums.matching === 1 ? '' : 's'}`
          : `${many(first)} to ${many(first + rows.length - 1)} of ${many(sums.matching)} sessions`;
  }

  #pageButtons() {
    this.#newer.hidden = this.#pages.length < 2;
    this.#older.hidden = this.#next === null;
    const isOldest = this.#finder.sought.order === 'oldest';
    this.#newer.textContent = isOldest ? 'Older' : 'Newer';
    this.#older.textContent = isOldest ? 'Newer' : 'Older';
  }

  /// They stay what they are while the row around them changes.
  #actions({id, status}) {
    const made = this.#controls.get(id) ?? controls(actionsOf(sessionPath(id)), this.#app);
    this.#controls.delete(id);
    this.#controls.set(id, made);
    if (this.#controls.size > 4 * pageSize) {
      this.#controls.delete(this.#controls.keys().next().value);
    }
    made.show(status);
    return made.node;
  }
}
