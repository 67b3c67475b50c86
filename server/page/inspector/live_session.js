// A session as its events arrive: the columns that a file has ready-made, grown
// by each event. cli/commands/view/view_session.cpp makes the same of a log.

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

class LiveSession extends LiveColumns {
  #conflicts = new Map();
  #conflictEntries = new Map();
  #handoffs = new Map();
  #cause = 0; // the last event that may have led to a question
  writes = 0;

  /// What `convene explain --json` has of the session so far.
  tell(story) {
    const {has_end: hasEnd, status, stop_reason: reason, usage} = this.session.story;
    this.session.story = hasEnd ? {...story, has_end: hasEnd, status, stop_reason: reason, usage} : {...story, has_end: false};
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
    session.type.push(this.typeOf(type));
    const who = ['participant_id', 'receiver_participant', 'broadcaster_participant', 'from_participant', 'winning_participant']
        .map((name) => textIn(payload, name)).find((each) => each !== '') ?? '';
    const lane = this.laneOf(who);
    session.lane.push(lane);
    this.texts.all.push(text);
    of.events = at + 1;
    this.#spend(objectIn(payload, type === 'action_ended' ? 'result' : 'reply').usage);
    const ended = this.#takeEvent(at, type, payload, event);
    this.note(at, lane);
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

  /// Returns the bar that it ends, if that is a turn's or an answer's.
  #takeEvent(at, type, payload, event) {
    const {session} = this;
    const who = textIn(payload, 'participant_id');
    const key = `${textIn(payload, 'token_id')} ${who}`;
    switch (type) {
      case 'MAPSessionStarted':
        return this.#takeStart(at, payload);
      case 'MAPTurnDispatched':
        this.begin(key, 0, this.laneOf(who), at, payload.task, payload.turn_number);
        if (this.#handoffs.has(textIn(payload, 'handoff_id'))) {
          this.#handoffs.get(payload.handoff_id).end = at;
        }
        return undefined;
      case 'MAPTurnCompleted':
        return this.end(key, statusNumber(textIn(payload, 'status')), at);
      case 'MAPBroadcastSent':
        return this.#takeBroadcast(at, payload);
      case 'MAPBroadcastReceived':
        return this.end(`${textIn(payload, 'broadcast_ref')} ${textIn(payload, 'receiver_participant')}`,
                         statusNumber(unneededCodes.has(objectIn(payload, 'error').code) ? 'cancelled' : textIn(payload, 'status')), at);
      case 'action_started':
        this.begin(`action ${event.execution_id}`, 4, this.laneOf(who), at);
        return undefined;
      case 'action_ended':
        this.end(`action ${event.execution_id}`, statusNumber(textIn(objectIn(payload, 'result'), 'status')), at);
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

  #takeStart(at, payload) {
    const {session, of} = this;
    const spec = objectIn(payload, 'spec');
    Object.assign(of, {title: textIn(payload, 'title'), mode: textIn(payload, 'mode')});
    session.story.has_beginning = true;
    session.task = spec.task;
    session.origin = objectIn(spec, 'origin');
    session.budget = objectIn(objectIn(spec, 'session'), 'budget').cost_microusd ?? undefined;
    this.add({kind: 'start', at});
  }

  #takeEnd(at, payload) {
    const {session, of} = this;
    of.status = textIn(payload, 'status');
    const usage = objectIn(payload, 'usage');
    Object.assign(session.story, {has_end: true, status: of.status, stop_reason: objectIn(payload, 'stop_reason'), usage});
    session.usage = {tokens: tokensIn(usage), cost: usage.cost_microusd ?? 0};
    session.guard = guardOf(session);
    this.add({kind: 'end', at});
  }

  #takeRoles(payload) {
    for (const one of Array.isArray(payload.assignments) ? payload.assignments : []) {
      if (typeof one === 'object' && one !== null) {
        this.describe(textIn(one, 'participant_id'), textIn(one, 'role_name') || textIn(one, 'role_id'), textIn(one, 'kind'));
      }
    }
  }

  #takeBroadcast(at, payload) {
    const {session} = this;
    const lanes = textsIn(payload, 'target_participants').map((who) => {
      const lane = this.laneOf(who);
      this.begin(`${textIn(payload, 'broadcast_id')} ${who}`, 1, lane, at, objectIn(payload, 'message').task);
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
      this.begin('question', isDecision ? 2 : 3, this.laneOf(textIn(payload, 'participant_id')), this.#cause);
      this.end('question', statusNumber(input.endsWith('timed_out') ? 'timed_out' : 'refused' in payload ? 'failed' : 'completed'), at);
    } else {
      this.add({kind: 'input', at});
    }
  }

  #takeConflict(at, payload) {
    const {conflicts} = this.session;
    const known = this.#conflicts.get(payload.conflict_id);
    if (known !== undefined) {
      Object.assign(conflicts[known], {end: at, winner: this.laneOf(textIn(payload, 'winning_participant'))});
      this.changed.push(this.#conflictEntries.get(known));
      return;
    }
    this.#conflicts.set(payload.conflict_id, conflicts.length);
    conflicts.push({begin: at, end: null, winner: 0,
                    sides: textsIn(payload, 'conflicting_participants').slice(0, sidesMax).map((who) => this.laneOf(who))});
    const entry = {kind: 'conflict', conflict: conflicts.length - 1, at};
    this.#conflictEntries.set(entry.conflict, entry);
    this.add(entry);
  }

  #takeHandoff(at, payload) {
    const handoff = {begin: at, end: null, sides: ['from_participant', 'to_participant'].map((name) => this.laneOf(textIn(payload, name)))};
    const id = textIn(payload, 'handoff_id');
    if (id !== '' && !this.#handoffs.has(id)) {
      this.#handoffs.set(id, handoff);
    }
    this.session.handoffs.push(handoff);
  }

  get isOver() {
    return this.session.story.has_end;
  }
}

