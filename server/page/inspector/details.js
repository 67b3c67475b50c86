// Reads from the events of a session what an entry of the transcript shows.

const partsMax = 200; // events within one turn
const backMax = 2000; // events that are looked through for the other side of a conflict

const partTypes = new Set(['resource_written', 'write_refused', 'claim_taken', 'claim_handed_over', 'claim_released',
                           'claim_refused', 'action_started', 'action_ended', 'usage_recorded', 'coordination_reasoning',
                           'budget_exceeded']);

/// A turn, an answer to a broadcast, a decision or a vote:
/// {begin, end, task, reply, error, parts: [[index, event]], usage, handoff}
async function requestDetails(session, i) {
  const {bar, types, type, lane, handoffs} = session;
  const [from, to] = [bar.from[i], bar.to[i]];
  const isOpen = bar.status[i] === 0;
  const begin = (await session.event(from)).payload ?? {};
  const end = isOpen ? undefined : (await session.event(to)).payload ?? {};
  const isQuestion = bar.kind[i] > 1;
  const token = isQuestion ? end?.request_id : begin.token_id ?? begin.broadcast_id;
  const parts = [];
  for (let at = from + 1; at < to + (isOpen ? 1 : 0) && parts.length < partsMax; ++at) {
    if (lane[at] === bar.lane[i] && partTypes.has(types[type[at]])) {
      const event = await session.event(at);
      if (event.payload?.token_id === token) {
        parts.push([at, event]);
      }
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

const wholeTypes = new Set(['resource_written', 'MAPSessionStarted', 'plan_created', 'step_added']);

/// Reads all of a session that is not large, so that texts which come again and
/// versions of resources are known: {sameAs, versions, errors, steps}: the first
/// bar with the same words, values by resource and version, reasons and steps.
async function readWhole(session) {
  const eventsMax = 10_000;
  const count = session.number.length;
  if (count > eventsMax) {
    return undefined;
  }
  const first = new Map();
  const sameAs = new Map(); // turn's bar to the first bar with the same words
  const versions = new Map();
  const errors = new Map();
  const steps = new Map(); // what each is about
  const endOf = new Map();
  const {bar, types, type} = session;
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.kind[i] < 2 && bar.status[i] !== 0) {
      endOf.set(bar.to[i], i);
    }
  }
  for (let at = 0; at < count; ++at) {
    const name = types[type[at]];
    const bars = endOf.get(at);
    if (bars === undefined && !wholeTypes.has(name)) {
      continue;
    }
    const {payload} = await session.event(at);
    if (bars !== undefined) {
      const content = payload.reply?.content;
      const error = payload.error;
      if (isFailure(bar.status[bars])) {
        errors.set(bars, error === undefined ? statusNames[bar.status[bars]] : error.message || error.code);
      }
      if (typeof content === 'string' && content.trim() !== '') {
        const key = `${bar.lane[bars]} ${content}`;
        const known = first.get(key);
        if (known === undefined) {
          first.set(key, bars);
        } else if (bar.kind[bars] === 0 && !(payload.reply.writes?.length > 0)) {
          sameAs.set(bars, known);
        }
      }
    } else if (name === 'resource_written') {
      versions.set(`${resourceOf(payload)} ${payload.version}`, payload.op === 'put' ? payload.value : undefined);
    } else if (name === 'plan_created' || name === 'step_added') {
      for (const each of payload.plan?.steps ?? [payload.step]) {
        steps.set(each?.step_id, `“${firstWords(String(each?.description ?? each?.title ?? ''), 80)}”`);
      }
    } else {
      for (const each of payload.spec?.workspace ?? []) {
        versions.set(`${resourceOf(each)} 1`, each.value);
      }
    }
  }
  return {sameAs, versions, errors, steps};
}
