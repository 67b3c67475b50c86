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
const statusColours = ['open', 'completed', 'failed', 'late', 'declined', 'declined', 'handed', 'declined'];
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

/// A session's columns, made ready to be drawn.
async function loadSession(index) {
  const read = JSON.parse(await inflate(`s${index}`));
  const {types, lanes, conflicts, handoffs} = read.rest;
  const {bar} = read;
  const from = sums(bar.from);
  const last = read.number.length - 1;
  const to = from.map((begin, i) => (bar.status[i] === 0 ? last : begin + bar.length[i]));
  const markOf = types.map((name) => marks.get(name));
  return {
    number: sums(read.number),
    time: sums(read.time),
    type: read.type,
    lane: read.lane,
    types,
    lanes,
    conflicts: conflicts.map(([begin, end, sides, winner]) => ({begin, end, sides, winner})),
    broadcasts: broadcastsOf(bar, from, read.lane),
    handoffs: handoffs.map(([begin, end, sides]) => ({begin, end, sides})),
    bar: {kind: bar.kind, lane: bar.lane, status: bar.status, from, to},
    requestsOf: byLane(bar.lane, lanes.length, (i) => bar.kind[i] !== 4),
    actionsOf: byLane(bar.lane, lanes.length, (i) => bar.kind[i] === 4),
    marksOf: byLane(read.lane, lanes.length, (i) => markOf[read.type[i]] !== undefined),
    markOf,
    tokens: tokenRows(bar, from, to),
  };
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

/// Who holds a token: turns, in rows of which each has one at a time.
function tokenRows(bar, from, to) {
  const tokenRowsMax = 8;
  const rows = [];
  for (let i = 0; i < from.length; ++i) {
    if (bar.kind[i] !== 0) {
      continue;
    }
    let row = rows.find((each) => each.end <= from[i]);
    if (row === undefined) {
      if (rows.length === tokenRowsMax) {
        row = rows[tokenRowsMax - 1];
      } else {
        row = {end: 0, bars: []};
        rows.push(row);
      }
    }
    row.end = Math.max(row.end, to[i]);
    row.bars.push(i);
  }
  return rows.map((each) => each.bars);
}

/// The text of events, by their number on the page.
class EventTexts {
  #starts;
  #block = -1;
  #lines = [];

  constructor(starts) {
    this.#starts = starts;
  }

  get blocks() {
    return this.#starts.length;
  }

  async lines(block) {
    if (block !== this.#block) {
      this.#lines = (await inflate(`b${block}`)).split('\n');
      this.#block = block;
    }
    return this.#lines;
  }

  first(block) {
    return this.#starts[block];
  }

  async text(number) {
    const block = lastAtMost(this.#starts, number);
    return (await this.lines(block))[number - this.#starts[block]];
  }
}
