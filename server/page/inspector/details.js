// Reads from the events of a session what an entry of the transcript shows.

const partsMax = 200; // events within one turn
const backMax = 2000; // events that are looked through for the other side of a conflict

const partTypes = new Set(['resource_written', 'write_refused', 'claim_taken', 'claim_handed_over', 'claim_released',
                           'claim_refused', 'action_started', 'action_ended', 'usage_recorded', 'coordination_reasoning',
                           'budget_exceeded']);

/// A turn, an answer to a broadcast, a decision or a vote:
/// {begin, end, task, reply, error, parts: [[index, event]], usage, handoff}
async function requestDetails(session, i) {
  const {bar, handoffs} = session;
  const [from, to] = [bar.from[i], bar.to[i]];
  const isOpen = bar.status[i] === 0;
  const begin = (await session.event(from)).payload ?? {};
  const end = isOpen ? undefined : (await session.event(to)).payload ?? {};
  const isQuestion = bar.kind[i] > 1;
  const token = isQuestion ? end?.request_id : begin.token_id ?? begin.broadcast_id;
  const parts = [];
  const own = session.partsOf[bar.lane[i]];
  for (let k = lastAtMost(own, from) + 1; k < own.length && (isOpen || own[k] < to) && parts.length < partsMax; ++k) {
    const event = await session.event(own[k]);
    if (event.payload?.token_id === token) {
      parts.push([own[k], event]);
    }
  }
  const given = handoffs.find(({begin: at, sides}) => at > to && at <= to + 4 && sides[0] === bar.lane[i]);
  const reply = end?.reply ?? {};
  const usage = {tokens: tokensIn(reply.usage), cost: reply.usage?.cost_microusd ?? 0};
  for (const [, {event_type: name, payload}] of parts) {
    const used = name === 'action_ended' ? payload.result?.usage : undefined;
    usage.tokens += tokensIn(used);
    usage.cost += used?.cost_microusd ?? 0;
  }
  return {begin, end, reply, parts, usage,
          task: isQuestion ? '' : begin.task ?? begin.message?.task ?? '',
          error: end?.error ?? end?.refused,
          handoff: given === undefined ? undefined : (await session.event(given.begin)).payload};
}

/// The write of a side that a conflict is about, as it is in its answer.
async function presented(session, conflict, payload, who) {
  const {bar, lanes, requestsOf} = session;
  const lane = lanes.findIndex(({id}, at) => at > 0 && id === who);
  const open = (requestsOf[lane] ?? []).find((i) => bar.from[i] <= conflict.begin && bar.to[i] >= conflict.begin
                                                    && bar.status[i] !== 0);
  if (open === undefined) {
    return undefined;
  }
  const {reply} = (await session.event(bar.to[open])).payload ?? {};
  return reply?.writes?.find((each) => resourceOf(each) === resourceOf(payload));
}

/// The write that was there before.
async function written(session, conflict, payload, who) {
  const {types, type} = session;
  const kind = types.indexOf('resource_written');
  for (let at = conflict.begin - 1; at >= Math.max(0, conflict.begin - backMax); --at) {
    if (type[at] === kind) {
      const {payload: write} = await session.event(at);
      if (resourceOf(write) === resourceOf(payload) && (who === undefined || write.participant_id === who)) {
        return write;
      }
    }
  }
  return undefined;
}

/// {payload, ruling, sides: [{who, write, stands}]}
async function conflictDetails(session, index) {
  const conflict = session.conflicts[index];
  const {payload} = await session.event(conflict.begin);
  const ruling = conflict.end === null ? undefined : (await session.event(conflict.end)).payload;
  const later = payload.details?.participant_id;
  const sides = [];
  for (const who of payload.conflicting_participants ?? []) {
    const write = who === later ? await presented(session, conflict, payload, who) : await written(session, conflict, payload, who);
    const isLost = ruling?.losing_participants?.includes(who)
        || (ruling?.resolution_strategy === 'reject' && who === later);
    sides.push({who, write: write ?? {}, stands: ruling === undefined ? undefined : !isLost});
  }
  return {payload, ruling, sides};
}

/// What only the text of a whole session shows: texts that come again, versions
/// of resources, reasons and steps.
class WholeSession {
  sameAs = new Map(); // turn's bar to the first bar with the same words
  versions = new Map(); // values by resource and version
  errors = new Map(); // by bar
  steps = new Map(); // what each is about
  #first = new Map();

  /// The session's next event that has any of it; `bar` is the request it ends.
  take({bar}, {event_type: name, payload = {}}, ended) {
    if (ended !== undefined) {
      this.#answer(bar, ended, payload);
    } else if (name === 'resource_written') {
      this.versions.set(`${resourceOf(payload)} ${payload.version}`, payload.op === 'put' ? payload.value : undefined);
    } else if (name === 'plan_created' || name === 'step_added') {
      for (const each of payload.plan?.steps ?? [payload.step]) {
        this.steps.set(each?.step_id, `“${firstWords(String(each?.description ?? each?.title ?? ''), 80)}”`);
      }
    } else {
      for (const each of payload.spec?.workspace ?? []) {
        this.versions.set(`${resourceOf(each)} 1`, each.value);
      }
    }
  }

  #answer(bar, i, {reply, error}) {
    const content = reply?.content;
    if (isFailure(bar.status[i])) {
      this.errors.set(i, error === undefined ? statusNames[bar.status[i]] : error.message || error.code);
    }
    if (typeof content === 'string' && content.trim() !== '') {
      const key = `${bar.lane[i]} ${content}`;
      const known = this.#first.get(key);
      if (known === undefined) {
        this.#first.set(key, i);
      } else if (bar.kind[i] === 0 && !(reply.writes?.length > 0)) {
        this.sameAs.set(i, known);
      }
    }
  }
}

const wholeTypes = new Set(['resource_written', 'MAPSessionStarted', 'plan_created', 'step_added']);
const wholeMax = 10_000; // events of a session that is read whole
