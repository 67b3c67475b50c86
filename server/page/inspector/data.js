// Reads what the page brings: blocks of deflated text, inflated when they are
// wanted. Logged text is only ever text here: it is parsed as JSON, and shown
// by textContent.

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

/// The index of the last number that is not above `value`, in ascending ones.
function lastAtMost(list, value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

const barKinds = ['turn', 'broadcast', 'decision', 'vote', 'action'];
const statusNames = ['open', 'completed', 'failed', 'timed out', 'declined', 'cancelled', 'handed off', 'other'];
const isFailure = (status) => status === 2 || status === 3 || status === 4;

/// Events that show as marks on their lane, and how.
const marks = new Map(Object.entries({
  resource_written: 'write',
  claim_taken: 'claim',
  claim_handed_over: 'claim',
  claim_released: 'claim',
  write_refused: 'refused',
  claim_refused: 'refused',
  budget_exceeded: 'refused',
}));

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
    markOf,
    event: (at) => texts.event(session.number[at]),
  };
  session.reachOf = session.requestsOf.map((list) => reaches(list, to));
  session.turnNumbers = turnNumbers(session, 1);
  session.usage = {tokens: tokensIn(story.usage), cost: story.usage.cost_microusd ?? 0};
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
/// and what a session without an end has used.
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
}

/// The numbers of turns, by their bars; 0 for what is no turn.
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

/// The text of events, by their number on the page; the latest blocks are kept.
class EventTexts {
  #starts;
  #blocks = new Map(); // promises of lines, the latest last
  #parsed = new Map();

  constructor(starts) {
    this.#starts = starts;
  }

  get blocks() {
    return this.#starts.length;
  }

  lines(block) {
    const blocksMax = 24;
    const lines = this.#blocks.get(block) ?? inflate(`b${block}`).then((text) => text.split('\n'));
    this.#blocks.delete(block);
    this.#blocks.set(block, lines);
    if (this.#blocks.size > blocksMax) {
      this.#blocks.delete(this.#blocks.keys().next().value);
    }
    return lines;
  }

  first(block) {
    return this.#starts[block];
  }

  async text(number) {
    const block = lastAtMost(this.#starts, number);
    return (await this.lines(block))[number - this.#starts[block]];
  }

  /// The event, parsed.
  async event(number) {
    const parsedMax = 20_000;
    const known = this.#parsed.get(number);
    if (known !== undefined) {
      return known;
    }
    const event = JSON.parse(await this.text(number));
    if (this.#parsed.size >= parsedMax) {
      this.#parsed.clear();
    }
    this.#parsed.set(number, event);
    return event;
  }
}
