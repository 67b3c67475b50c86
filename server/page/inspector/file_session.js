// A session of a page of one file: its columns are ready-made.

/// Differences as the numbers themselves.
function sums(list) {
  const all = new Float64Array(list.length);
  let sum = 0;
  for (let i = 0; i < list.length; ++i) {
    sum += list[i];
    all[i] = sum;
  }
  return all;
}

/// Indexes by lane, each in their order.
function byLane(lanes, count, wanted) {
  const all = Array.from({length: count}, () => []);
  for (let i = 0; i < lanes.length; ++i) {
    if (wanted(i)) {
      all[lanes[i]].push(i);
    }
  }
  return all;
}

/// A session's columns, made ready to be drawn, and its story as
/// `convene explain --json` has it.
async function loadSession(index, texts) {
  const read = JSON.parse(await inflate(`s${index}`));
  const story = JSON.parse(await inflate(`t${index}`));
  const {types, lanes, conflicts, handoffs} = read.rest;
  const {bar} = read;
  const from = sums(bar.from);
  const last = read.number.length - 1;
  const to = from.map((begin, i) => (bar.status[i] === 0 ? last : begin + bar.length[i]));
  const markOf = types.map((name) => marks.get(name));
  const isPart = types.map((name) => partTypes.has(name));
  const session = {
    number: sums(read.number),
    time: sums(read.time),
    type: read.type,
    lane: read.lane,
    types,
    lanes: dressed(lanes),
    story,
    conflicts: conflicts.map(([begin, end, sides, winner]) => ({begin, end, sides, winner})),
    broadcasts: broadcastsOf(bar, from, read.lane),
    handoffs: handoffs.map(([begin, end, sides]) => ({begin, end, sides})),
    bar: {kind: bar.kind, lane: bar.lane, status: bar.status, from, to},
    requestsOf: byLane(bar.lane, lanes.length, (i) => bar.kind[i] !== 4),
    actionsOf: byLane(bar.lane, lanes.length, (i) => bar.kind[i] === 4),
    marksOf: byLane(read.lane, lanes.length, (i) => markOf[read.type[i]] !== undefined),
    partsOf: byLane(read.lane, lanes.length, (i) => isPart[read.type[i]]),
    markOf,
    event: (at) => texts.event(session.number[at]),
  };
  session.reachOf = session.requestsOf.map((list) => reaches(list, to));
  session.turnNumbers = turnNumbers(session, 1);
  session.usage = {tokens: tokensIn(story.usage), cost: story.usage.cost_microusd ?? 0};
  session.trouble = troubleOf(session);
  session.guard = guardOf(session);
  session.complete = () => completeSession(session);
  return session;
}

/// The latest event that any bar of a list reaches, up to each of them.
function reaches(list, to) {
  let most = 0;
  return Float64Array.from(list, (i) => {
    most = Math.max(most, to[i]);
    return most;
  });
}

/// Adds what stands in events: the number of the first turn, the task, the budget,
/// what a session without an end has used, and what only the whole text shows.
async function completeSession(session) {
  const {bar, story} = session;
  const first = bar.kind.indexOf(0);
  const spec = story.has_beginning ? (await session.event(0)).payload?.spec : undefined;
  session.task = spec?.task;
  session.budget = spec?.session?.budget?.cost_microusd ?? undefined;
  if (first >= 0 && !story.has_beginning) {
    session.turnNumbers = turnNumbers(session, (await session.event(bar.from[first])).payload?.turn_number ?? 1);
  }
  if (!story.has_end) {
    session.usage = await usageSoFar(session);
  }
  session.whole = await readWhole(session);
}

/// For each bar the number of its turn; 0 for bars of other kinds.
function turnNumbers({bar}, first) {
  let next = first;
  return Uint32Array.from(bar.kind, (kind) => (kind === 0 ? next++ : 0));
}

/// What the last record says.
async function usageSoFar({types, type, event}) {
  const last = type.lastIndexOf(types.indexOf('usage_recorded'));
  const payload = last < 0 ? {} : (await event(last)).payload;
  return {tokens: payload.cumulative_tokens ?? 0, cost: Math.round((payload.cumulative_cost_usd ?? 0) * 1e6)};
}

/// Who asked all others, and the first and the last lane of those.
function broadcastsOf(bar, from, lane) {
  const all = new Map();
  for (let i = 0; i < from.length; ++i) {
    if (bar.kind[i] === 1) {
      const known = all.get(from[i]) ?? {begin: from[i], sender: lane[from[i]], first: Infinity, last: 0};
      known.first = Math.min(known.first, bar.lane[i]);
      known.last = Math.max(known.last, bar.lane[i]);
      all.set(from[i], known);
    }
  }
  return [...all.values()];
}

/// All of a session that is not large, else undefined.
async function readWhole(session) {
  const count = session.number.length;
  if (count > wholeMax) {
    return undefined;
  }
  const whole = new WholeSession();
  const endOf = new Map();
  const {bar, types, type} = session;
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.kind[i] < 2 && bar.status[i] !== 0) {
      endOf.set(bar.to[i], i);
    }
  }
  for (let at = 0; at < count; ++at) {
    if (endOf.has(at) || wholeTypes.has(types[type[at]])) {
      whole.take(session, await session.event(at), endOf.get(at));
    }
  }
  return whole;
}
