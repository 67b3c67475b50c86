// A session as its events arrive: the columns that a file has ready-made, grown
// by each event. cli/commands/view/view_session.cpp makes the same of a log.

const typesMax = 100;
const lanesMax = 10_000;
const openMax = 100_000;
const sidesMax = 64;

const objectIn = (of, name) => (typeof of[name] === 'object' && of[name] !== null && !Array.isArray(of[name]) ? of[name] : {});
const textIn = (of, name) => (typeof of[name] === 'string' ? of[name] : '');
const textsIn = (of, name) => (Array.isArray(of[name]) ? of[name].filter((each) => typeof each === 'string') : []);

const statusNumber = (status) => {
  const at = statusNames.indexOf(status.replace('_', ' '));
  return at > 0 && at < 7 ? at : 7;
};

/// What is said of a session that runs, with its open requests; as outcomeOf.
function outcomeSoFar({lanes, bar, live: {status, reason, asked, waiting}}, open) {
  const people = open.filter((i) => lanes[bar.lane[i]].isHuman);
  const names = [...new Set([...people.map((i) => lanes[bar.lane[i]].id), ...waiting])];
  if (status === 'suspended') {
    return {kind: 'wait', shape: 'stop', badges: [['Suspended', 'wait']], reason: reason === '' ? 'It waits until it is resumed.' : sentence(reason)};
  }
  if (names.length !== 0) {
    const task = people.map((i) => asked.get(i)).find((words) => words);
    return {kind: 'wait', shape: 'wait', badges: [[`Waiting for ${listed(names)}`, 'wait']],
            reason: task === undefined ? `It is ${listed(names)}’s turn.` : firstWords(task, 160)};
  }
  const others = [...new Set(open.map((i) => lanes[bar.lane[i]].id))];
  return {kind: 'run', shape: 'run', badges: [['Running', 'run']], reason: others.length === 0 ? 'No request is open.' : `Working: ${listed(others)}.`};
}

/// Codes of answers to a broadcast that were not needed any more.
const unneededCodes = new Set(['quorum_reached', 'session_ended', 'suspended']);

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

class LiveSession {
  texts = new LineTexts();
  of = {title: '', mode: '', status: '', reason: '', start: 0, end: 0, events: 0, participants: 0, log: 0};
  #open = new Map(); // bars, by what ends them
  #openEntries = new Map(); // by bar
  #conflicts = new Map();
  #conflictEntries = new Map();
  #handoffs = new Map();
  #laneOf = new Map();
  #typeOf = new Map();
  #isPart = [];
  #cause = 0; // the last event that may have led to a question
  #raw = [{id: 'session', role: '', kind: ''}]; // lanes, not dressed
  #areLanesNew = true;
  #isNumberKnown = false;
  closed = []; // entries
  changed = []; // entries that have other content since `settle`
  touched = new Set(); // lanes that have
  writes = 0;

  constructor(id) {
    this.of.id = id;
    const live = {status: 'active', reason: '', asked: new Map(), waiting: [], entries: [], places: undefined};
    this.session = {
      number: [], time: [], type: [], lane: [], types: [], lanes: [], markOf: [],
      bar: {kind: [], lane: [], status: [], from: [], to: []}, turnNumbers: [],
      requestsOf: [[]], actionsOf: [[]], marksOf: [[]], partsOf: [[]], reachOf: [[]], trouble: [0],
      conflicts: [], handoffs: [], broadcasts: [], usage: {tokens: 0, cost: 0}, whole: new WholeSession(), live,
      story: {has_beginning: false, has_end: false, status: '', stop_reason: {}, usage: {}, participants: [], purpose: '',
              ...Object.fromEntries(['happenings', 'conflicts', 'handoffs', 'failures', 'findings'].map((name) => [name, {total: 0, first: [], last: []}]))},
      event: (at) => this.texts.event(at),
      complete: async () => {},
    };
    live.places = new EntryPlaces(this.session, live.entries);
    live.outcome = (open) => outcomeSoFar(this.session, open);
  }

  /// What `convene explain --json` has of the session so far.
  tell(story) {
    const {has_end: hasEnd, status, stop_reason: reason, usage} = this.session.story;
    this.session.story = hasEnd ? {...story, has_end: hasEnd, status, stop_reason: reason, usage} : {...story, has_end: false};
  }

  #lane(participant) {
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

  #type(name) {
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

  /// The session's next event, and its text.
  take(event, text) {
    const {session, of} = this;
    const {number, time} = session;
    const at = number.length;
    const type = textIn(event, 'event_type');
    const payload = objectIn(event, 'payload');
    const stamp = Date.parse(event.timestamp);
    if (!Number.isNaN(stamp)) {
      of.start ||= stamp;
      of.end = Math.max(of.end, stamp);
    }
    if (type === 'MAPRolesAssigned') {
      this.#takeRoles(payload);
    }
    time.length = at; // without the place of now
    number.push(at);
    time.push(of.end === 0 ? 0 : of.end - of.start);
    session.type.push(this.#type(type));
    const who = ['participant_id', 'receiver_participant', 'broadcaster_participant', 'from_participant', 'winning_participant']
        .map((name) => textIn(payload, name)).find((each) => each !== '') ?? '';
    const lane = this.#lane(who);
    session.lane.push(lane);
    this.texts.all.push(text);
    of.events = at + 1;
    this.#spend(objectIn(payload, type === 'action_ended' ? 'result' : 'reply').usage);
    const ended = this.#takeEvent(at, type, payload, event);
    this.#note(at, lane);
    if (at < wholeMax && (ended !== undefined || wholeTypes.has(session.types[session.type[at]]))) {
      session.whole.take(session, event, ended);
    }
    if (type.startsWith('MAP') || type === 'session_input') {
      this.#cause = at;
    }
  }

  /// What a reply or an action used, until the end has the sum.
  #spend(used) {
    const {usage} = this.session;
    usage.tokens += Number(tokensIn(used)) || 0;
    usage.cost += Number(used?.cost_microusd) || 0;
  }

  #note(at, lane) {
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

  /// Returns the bar that it ends, if that is a turn's or an answer's.
  #takeEvent(at, type, payload, event) {
    const {session} = this;
    const who = textIn(payload, 'participant_id');
    const key = `${textIn(payload, 'token_id')} ${who}`;
    switch (type) {
      case 'MAPSessionStarted':
        return this.#takeStart(at, payload);
      case 'MAPTurnDispatched':
        this.#begin(key, 0, this.#lane(who), at, payload.task, payload.turn_number);
        if (this.#handoffs.has(textIn(payload, 'handoff_id'))) {
          this.#handoffs.get(payload.handoff_id).end = at;
        }
        return undefined;
      case 'MAPTurnCompleted':
        return this.#end(key, statusNumber(textIn(payload, 'status')), at);
      case 'MAPBroadcastSent':
        return this.#takeBroadcast(at, payload);
      case 'MAPBroadcastReceived':
        return this.#end(`${textIn(payload, 'broadcast_ref')} ${textIn(payload, 'receiver_participant')}`,
                         statusNumber(unneededCodes.has(objectIn(payload, 'error').code) ? 'cancelled' : textIn(payload, 'status')), at);
      case 'action_started':
        this.#begin(`action ${event.execution_id}`, 4, this.#lane(who), at);
        return undefined;
      case 'action_ended':
        this.#end(`action ${event.execution_id}`, statusNumber(textIn(objectIn(payload, 'result'), 'status')), at);
        return undefined;
      case 'session_input':
        return this.#takeInput(at, payload, textIn(payload, 'input'));
      case 'MAPConflictDetected': case 'MAPConflictResolved':
        return this.#takeConflict(at, payload);
      case 'MAPHandoffInitiated':
        return this.#takeHandoff(at, payload);
      case 'resource_written':
        ++this.writes;
        return undefined;
      case 'MAPSessionCompleted':
        return this.#takeEnd(at, payload);
      default: return undefined;
    }
  }

  #add(entry) {
    this.closed.push(entry);
    this.session.live.places.add(entry);
  }

  #takeStart(at, payload) {
    const {session, of} = this;
    const spec = objectIn(payload, 'spec');
    Object.assign(of, {title: textIn(payload, 'title'), mode: textIn(payload, 'mode')});
    session.story.has_beginning = true;
    session.task = spec.task;
    session.budget = objectIn(objectIn(spec, 'session'), 'budget').cost_microusd ?? undefined;
    this.#add({kind: 'start', at});
  }

  #takeEnd(at, payload) {
    const {session, of} = this;
    of.status = textIn(payload, 'status');
    of.reason = textIn(objectIn(payload, 'stop_reason'), 'condition');
    const usage = objectIn(payload, 'usage');
    Object.assign(session.story, {has_end: true, status: of.status, stop_reason: objectIn(payload, 'stop_reason'), usage});
    session.usage = {tokens: tokensIn(usage), cost: usage.cost_microusd ?? 0};
    session.guard = guardOf(session);
    this.#add({kind: 'end', at});
  }

  #takeRoles(payload) {
    for (const one of Array.isArray(payload.assignments) ? payload.assignments : []) {
      const lane = typeof one === 'object' && one !== null ? this.#lane(textIn(one, 'participant_id')) : 0;
      if (lane !== 0) {
        Object.assign(this.#raw[lane], {role: textIn(one, 'role_name') || textIn(one, 'role_id'), kind: textIn(one, 'kind')});
        this.#areLanesNew = true;
      }
    }
  }

  #takeBroadcast(at, payload) {
    const {session} = this;
    const lanes = textsIn(payload, 'target_participants').map((who) => {
      const lane = this.#lane(who);
      this.#begin(`${textIn(payload, 'broadcast_id')} ${who}`, 1, lane, at, objectIn(payload, 'message').task);
      return lane;
    });
    if (lanes.length !== 0) {
      const [first, last] = lanes.reduce(([least, most], each) => [Math.min(least, each), Math.max(most, each)], [Infinity, 0]);
      session.broadcasts.push({begin: at, sender: session.lane[at], first, last});
    }
  }

  /// A decision or a vote: when it was asked for is not on the log.
  #takeInput(at, payload, input) {
    const {live} = this.session;
    if (input === 'suspend' || input === 'resume') {
      Object.assign(live, {status: input === 'suspend' ? 'suspended' : 'active', reason: textIn(payload, 'reason')});
    }
    const isDecision = input.startsWith('decision');
    if (isDecision || input.startsWith('vote') || input.startsWith('escalation')) {
      this.#begin('question', isDecision ? 2 : 3, this.#lane(textIn(payload, 'participant_id')), this.#cause);
      this.#end('question', statusNumber(input.endsWith('timed_out') ? 'timed_out' : 'refused' in payload ? 'failed' : 'completed'), at);
    } else {
      this.#add({kind: 'input', at});
    }
  }

  #takeConflict(at, payload) {
    const {conflicts} = this.session;
    const known = this.#conflicts.get(payload.conflict_id);
    if (known !== undefined) {
      Object.assign(conflicts[known], {end: at, winner: this.#lane(textIn(payload, 'winning_participant'))});
      this.changed.push(this.#conflictEntries.get(known));
      return;
    }
    this.#conflicts.set(payload.conflict_id, conflicts.length);
    conflicts.push({begin: at, end: null, winner: 0,
                    sides: textsIn(payload, 'conflicting_participants').slice(0, sidesMax).map((who) => this.#lane(who))});
    const entry = {kind: 'conflict', conflict: conflicts.length - 1, at};
    this.#conflictEntries.set(entry.conflict, entry);
    this.#add(entry);
  }

  #takeHandoff(at, payload) {
    const handoff = {begin: at, end: null, sides: ['from_participant', 'to_participant'].map((name) => this.#lane(textIn(payload, name)))};
    const id = textIn(payload, 'handoff_id');
    if (id !== '' && !this.#handoffs.has(id)) {
      this.#handoffs.set(id, handoff);
    }
    this.session.handoffs.push(handoff);
  }

  #begin(key, kind, lane, from, task = '', number = 0) {
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

  #end(key, status, at) {
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
    this.#add(entry);
    this.changed.push(entry);
    return bar.kind[i] < 2 ? i : undefined;
  }

  get isOver() {
    return this.session.story.has_end;
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
    if (!this.isOver && session.live.status !== 'suspended') {
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
