// What the transcript has: each answer, decision, conflict and turning point, in
// the order of their ends; what is open is last.

const turningPoints = new Map([['MAPSessionStarted', 'start'], ['MAPSessionCompleted', 'end'], ['session_input', 'input']]);

/// {kind: 'bar', 'conflict', 'input', 'start' or 'end', at: its event, bar or
/// conflict: its index}
function entriesOf(session) {
  const {bar, conflicts, type, types} = session;
  const last = session.number.length - 1;
  const entries = [];
  const open = [];
  const told = new Set(); // session_inputs that end a bar
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.kind[i] !== 4) {
      const isOpen = bar.status[i] === 0;
      (isOpen ? open : entries).push({kind: 'bar', bar: i, at: isOpen ? last : bar.to[i]});
      told.add(bar.to[i]);
    }
  }
  conflicts.forEach(({begin}, conflict) => entries.push({kind: 'conflict', conflict, at: begin}));
  const kinds = types.map((name) => turningPoints.get(name));
  for (let at = 0; at <= last; ++at) {
    const kind = kinds[type[at]];
    if (kind !== undefined && !(kind === 'input' && told.has(at))) {
      entries.push({kind, at});
    }
  }
  entries.sort((one, two) => one.at - two.at);
  return [...entries, ...open];
}

/// Finds the entry that an event belongs to.
class EntryPlaces {
  #exact; // entries by event
  #session;
  #entries;

  constructor(session, entries) {
    this.#session = session;
    this.#entries = entries;
    this.#exact = new Array(session.number.length);
    entries.forEach((entry) => this.add(entry));
  }

  add(entry) {
    const {bar, conflicts} = this.#session;
    const set = (at, isFirst) => {
      // The event that asks several at a time belongs to the first answer.
      if (isFirst || this.#exact[at] === undefined) {
        this.#exact[at] = entry;
      }
    };
    if (entry.kind === 'bar') {
      set(entry.at, false);
      set(bar.from[entry.bar], false);
    } else if (entry.kind === 'conflict') {
      set(conflicts[entry.conflict].end ?? entry.at, true);
      set(entry.at, true);
    } else {
      set(entry.at, false);
    }
  }

  /// The entry of a lane's bar that ended last before an event.
  #lastOn(lane, event) {
    const {bar} = this.#session;
    return this.#entries.findLast((entry) => entry.kind === 'bar' && bar.lane[entry.bar] === lane && bar.to[entry.bar] <= event
                                             && bar.status[entry.bar] !== 0);
  }

  of(event) {
    const exact = this.#exact[event];
    if (exact !== undefined) {
      return exact;
    }
    const given = this.#session.handoffs.find(({begin}) => begin === event);
    if (given !== undefined) {
      return this.#lastOn(given.sides[0], event);
    }
    const {bar, lane} = this.#session;
    return this.#entries.find((entry) => entry.kind === 'bar' && bar.lane[entry.bar] === lane[event]
                                         && bar.from[entry.bar] <= event && bar.to[entry.bar] >= event);
  }
}

/// Whether an entry is among those of a filter: all, said, changes, trouble.
function isAmong(session, entry, filter) {
  const {bar, markOf, type, marksOf} = session;
  if (filter === 'all') {
    return true;
  }
  if (entry.kind === 'conflict') {
    return filter !== 'said';
  }
  if (entry.kind !== 'bar') {
    return false;
  }
  const i = entry.bar;
  const has = (kind) => {
    const own = marksOf[bar.lane[i]];
    for (let at = lastAtMost(own, bar.from[i]) + 1; at < own.length && own[at] <= bar.to[i]; ++at) {
      if (markOf[type[own[at]]] === kind) {
        return true;
      }
    }
    return false;
  };
  if (filter === 'said') {
    return bar.kind[i] < 2;
  }
  return filter === 'changes' ? has('write') || has('claim') : isFailure(bar.status[i]) || has('refused');
}
