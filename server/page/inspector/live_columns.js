// The columns of a session that grow: lanes, types, bars, and the entries of the
// transcript.

const typesMax = 100;
const lanesMax = 10_000;
const openMax = 100_000;

/// Lines of events, by their number.
class LineTexts extends ParsedEvents {
  all = [];
  blocks = 1;

  first() {
    return 0;
  }

  async lines() {
    return this.all;
  }

  async text(number) {
    return this.all[number];
  }
}

class LiveColumns {
  texts = new LineTexts();
  of = {title: '', mode: '', status: '', reason: '', start: 0, end: 0, events: 0, participants: 0, log: 0};
  #open = new Map(); // bars, by what ends them
  #openEntries = new Map(); // by bar
  #laneOf = new Map();
  #typeOf = new Map();
  #isPart = [];
  #raw = [{id: 'session', role: '', kind: ''}]; // lanes, not dressed
  #areLanesNew = true;
  closed = []; // entries
  changed = []; // entries that have other content since `settle`
  touched = new Set(); // lanes that have

  constructor(id) {
    this.of.id = id;
    const live = {status: 'active', reason: '', asked: new Map(), waiting: [], entries: [], places: undefined};
    this.session = {
      number: [], time: [], type: [], lane: [], types: [], lanes: [], markOf: [],
      bar: {kind: [], lane: [], status: [], from: [], to: []}, turnNumbers: [],
      requestsOf: [[]], actionsOf: [[]], marksOf: [[]], partsOf: [[]], reachOf: [[]], trouble: [0],
      conflicts: [], handoffs: [], broadcasts: [], usage: {tokens: 0, cost: 0}, whole: new WholeSession(), live, origin: {},
      story: {has_beginning: false, has_end: false, status: '', stop_reason: {}, usage: {}, participants: [], purpose: '',
              ...Object.fromEntries(['happenings', 'conflicts', 'handoffs', 'failures', 'findings'].map((name) => [name, {total: 0, first: [], last: []}]))},
      event: (at) => this.texts.event(at),
      complete: async () => {},
    };
    live.places = new EntryPlaces(this.session, live.entries);
    live.outcome = (open) => outcomeSoFar(this.session, open);
  }

  laneOf(participant) {
    if (participant === '') {
      return 0;
    }
    const known = this.#laneOf.get(participant);
    if (known !== undefined) {
      return known;
    }
    if (this.#raw.length > lanesMax) {
      return 0;
    }
    const {session} = this;
    const lane = this.#raw.length;
    this.#laneOf.set(participant, lane);
    this.#raw.push({id: participant, role: '', kind: ''});
    this.#areLanesNew = true;
    for (const lists of [session.requestsOf, session.actionsOf, session.marksOf, session.partsOf, session.reachOf]) {
      lists.push([]);
    }
    session.trouble.push(0);
    return lane;
  }

  describe(participant, role, kind) {
    const lane = this.laneOf(participant);
    if (lane !== 0) {
      Object.assign(this.#raw[lane], {role, kind});
      this.#areLanesNew = true;
    }
  }

  typeOf(name) {
    const known = this.#typeOf.get(name);
    if (known !== undefined) {
      return known;
    }
    const {types, markOf} = this.session;
    const shown = types.length >= typesMax ? 'other' : name;
    if (shown !== name && this.#typeOf.has(shown)) {
      return this.#typeOf.get(shown);
    }
    this.#typeOf.set(shown, types.length);
    types.push(shown);
    markOf.push(marks.get(shown));
    this.#isPart.push(partTypes.has(shown));
    return types.length - 1;
  }

  /// An event is on its lane.
  note(at, lane) {
    const {session} = this;
    const mark = session.markOf[session.type[at]];
    if (mark !== undefined) {
      session.marksOf[lane].push(at);
      session.trouble[lane] += mark === 'refused' ? 1 : 0;
    }
    if (this.#isPart[session.type[at]]) {
      session.partsOf[lane].push(at);
      this.touched.add(lane);
    }
  }

  add(entry) {
    this.closed.push(entry);
    this.session.live.places.add(entry);
  }

  begin(key, kind, lane, from, task = '', number = 0) {
    const {session} = this;
    const {bar} = session;
    if (this.#open.size === openMax || this.#open.has(key)) {
      return;
    }
    const i = bar.from.length;
    this.#open.set(key, i);
    bar.kind.push(kind);
    bar.lane.push(lane);
    bar.status.push(0);
    bar.from.push(from);
    bar.to.push(from);
    session.turnNumbers.push(kind === 0 && Number.isInteger(number) ? number : 0);
    if (kind === 4) {
      session.actionsOf[lane].push(i);
      return;
    }
    session.requestsOf[lane].push(i);
    session.reachOf[lane].push(Infinity); // until it ends
    const entry = {kind: 'bar', bar: i, at: from};
    this.#openEntries.set(i, entry);
    if (typeof task === 'string' && task !== '') {
      session.live.asked.set(i, task);
    }
    if (kind < 2) {
      session.live.places.add(entry);
    }
  }

  end(key, status, at) {
    const {session} = this;
    const {bar} = session;
    const i = this.#open.get(key);
    if (i === undefined) {
      return undefined;
    }
    this.#open.delete(key);
    bar.to[i] = at;
    bar.status[i] = status;
    if (bar.kind[i] === 4) {
      return undefined;
    }
    const lane = bar.lane[i];
    session.trouble[lane] += isFailure(status) ? 1 : 0;
    session.live.asked.delete(i);
    const list = session.requestsOf[lane];
    for (let k = list.lastIndexOf(i); k < list.length; ++k) {
      session.reachOf[lane][k] = Math.max(session.reachOf[lane][k - 1] ?? 0, bar.status[list[k]] === 0 ? Infinity : bar.to[list[k]]);
    }
    const entry = this.#openEntries.get(i);
    this.#openEntries.delete(i);
    entry.at = at;
    this.add(entry);
    this.changed.push(entry);
    return bar.kind[i] < 2 ? i : undefined;
  }

  /// Open entries, in their order.
  get open() {
    return [...this.#openEntries.values()];
  }

  /// Makes ready to be drawn: what is open lasts until now, in milliseconds since
  /// the epoch. Returns whether there are other lanes.
  settle(now) {
    const {session, of} = this;
    const count = session.number.length;
    session.time.length = count;
    if (!this.session.story.has_end && session.live.status !== 'suspended') {
      session.time.push(Math.max(session.time[count - 1] ?? 0, now - of.start));
    }
    for (const i of this.#open.values()) {
      session.bar.to[i] = session.time.length - 1;
    }
    this.#openEntries.forEach((entry) => {
      entry.at = count - 1;
    });
    const areNew = this.#areLanesNew;
    if (areNew) {
      session.lanes = dressed(this.#raw);
      of.participants = this.#raw.length - 1;
      this.#areLanesNew = false;
    }
    return areNew;
  }
}
