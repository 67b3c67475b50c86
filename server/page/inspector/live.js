// The inspector of a session that a server has: its events come one by one, and
// what they change is shown without drawing all of it again.

const growMs = 50; // events that come together are shown together
const tickMs = 1000;
const storyMs = 2000;

/// Calls `act` a while after it was asked for, so seldom that it takes a
/// twentieth of the time.
class Seldom {
  #act;
  #leastMs;
  #timer;
  #last = -Infinity;
  #cost = 0;

  constructor(act, leastMs) {
    this.#act = act;
    this.#leastMs = leastMs;
  }

  soon() {
    if (this.#timer !== undefined) {
      return;
    }
    const waitMs = this.#last + Math.max(this.#leastMs, 20 * this.#cost) - performance.now();
    this.#timer = setTimeout(async () => {
      const begun = performance.now();
      try {
        await this.#act();
      } finally {
        this.#last = performance.now();
        this.#cost = this.#last - begun;
        this.#timer = undefined;
      }
    }, Math.max(0, waitMs));
  }
}

function append(list, more) {
  for (const each of more) {
    list.push(each);
  }
}

class LiveView {
  #live;
  #fetchStory;
  #skewMs = 0; // of the server's clock
  #growing;
  #openShown = '';
  #newRows = 0;
  #isShown = false;
  #outcome = new Seldom(() => this.#showOutcome(), 500);
  #canvas = new Seldom(() => this.#draw(), growMs);
  #strip = new Seldom(() => this.#drawStrip(), 1000);
  #anew = new Seldom(() => this.#showAnew(), 1000);
  #story = new Seldom(() => this.#takeStory(), storyMs);
  onChange = () => {}; // of status

  /// `fetchStory` resolves with what `convene explain --json` has, or undefined.
  constructor(id, fetchStory) {
    this.#live = new LiveSession(id);
    this.#fetchStory = fetchStory;
    index = {logs: [''], sessions: [this.#live.of], pairs: []};
    texts = this.#live.texts;
    panel = new Panel(texts, open);
    load = async () => this.#live.session;
    onRows = (those) => this.#rowsAreShown(those);
    begin();
    byId('newer').addEventListener('click', () => this.#toNewest());
    byId('transcript').addEventListener('scroll', () => {
      if (transcript.isAtEnd) {
        this.#countNew(-this.#newRows);
      }
    });
    setInterval(() => {
      if (this.#isShown && !this.#live.isOver && !document.hidden) {
        this.#growSoon();
      }
    }, tickMs);
  }

  get events() {
    return this.#live.of.events + this.#come.length;
  }

  /// draft, active, suspended, or how it ended.
  get status() {
    return this.#live.of.status || this.#live.session.live.status;
  }

  get title() {
    return this.#live.of.title || this.#live.of.id;
  }

  /// How many resources were written.
  get writes() {
    return this.#live.writes;
  }

  /// Which session it was forked from on this server: {session_id, event_id}.
  get origin() {
    const {log, ...origin} = this.#live.session.origin;
    return log === 'server' && typeof origin.session_id === 'string' ? origin : undefined;
  }

  /// What is chosen, as texts of events: {title, begin}, and of a turn or an
  /// answer to a broadcast the {participant}, and, once it has ended, its {end}.
  get chosen() {
    const {chosen, chosenBar: i} = drawing;
    if (chosen === undefined) {
      return undefined;
    }
    const {number, bar, lanes} = session;
    const text = (at) => this.#live.texts.all[number[at]];
    if (i === undefined || bar.kind[i] > 1) {
      return {title: `after event ${chosen + 1}`, begin: text(chosen)};
    }
    const {id} = lanes[bar.lane[i]];
    return {title: `at ${bar.kind[i] === 0 ? `turn ${session.turnNumbers[i]}` : 'the answer'} of ${id}`, begin: text(bar.from[i]),
            participant: id, end: bar.status[i] === 0 ? undefined : text(bar.to[i])};
  }

  /// The place of an event, by its id.
  #placeOf(id) {
    const at = this.#live.texts.all.findIndex((each) => each.includes(id) && JSON.parse(each).event_id === id);
    return at < 0 ? undefined : at;
  }

  /// The people and systems of the session.
  get speakers() {
    return this.#live.session.lanes.filter(({kind}) => kind === 'human' || kind === 'external').map(({id}) => id);
  }

  /// Names the open requests of people.
  get peopleAsked() {
    const {bar, lanes} = this.#live.session;
    return this.#live.open.map(({bar: i}) => i).filter((i) => lanes[bar.lane[i]].isHuman).join();
  }

  /// Milliseconds that the server's clock is ahead.
  set skewMs(to) {
    this.#skewMs = to;
  }

  /// Participants with open questions.
  set waiting(names) {
    this.#live.session.live.waiting = names;
    this.#outcome.soon();
  }

  /// The session's next event. Returns whether more may follow.
  take(text) {
    let event;
    try {
      event = Object(JSON.parse(text));
    } catch {
      event = {}; // it is shown as an event of no kind
    }
    this.#come.push([event, text]);
    this.#growSoon();
    return event.event_type !== 'MAPSessionCompleted';
  }

  /// Shows what came so far, and what comes from now on.
  async show() {
    const {s, e, p} = fromAddress();
    const byName = new URLSearchParams(location.hash.slice(1)).get('id');
    await this.#takeStory();
    this.#settle();
    await showSession(s, byName ? this.#placeOf(byName) : e, p);
    this.#isShown = true;
    this.#openShown = this.#openWords();
    if (e === undefined && !this.#live.isOver) {
      await transcript.toEnd();
    }
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
    this.onChange();
    this.#growSoon();
  }

  /// By a timer: a hidden tab has no frames.
  #growSoon() {
    this.#growing ??= setTimeout(() => {
      this.#growing = undefined;
      if (this.#isShown) {
        this.#grow();
      }
    }, growMs);
  }

  /// Brings columns, lanes and the list of entries up to date. Returns the number
  /// of entries that are unchanged.
  #settle() {
    const {live} = this.#live.session;
    for (const [event, text] of this.#come.splice(0)) {
      this.#live.take(event, text);
    }
    const closed = live.entries.length - this.#openCount;
    const areNew = this.#live.settle(Date.now() + this.#skewMs);
    const {open} = this.#live;
    live.entries.length = closed;
    append(live.entries, this.#live.closed.splice(0));
    append(live.entries, open);
    this.#openCount = open.length;
    if (areNew && this.#isShown) {
      ownChoices();
      byId('own').value = String(drawing.own?.lane ?? 0);
      filterLanes();
      chooseGrouping();
    }
    return closed;
  }

  #come = []; // events that are not in the columns yet
  #openCount = 0;

  #openWords() {
    return this.#live.open.map(({bar}) => bar).join();
  }

  #grow() {
    const {scale} = drawing;
    const before = scale.length;
    const events = this.#shownEvents;
    const closed = this.#settle();
    scale.grow();
    drawing.grown(scale.length - before);
    const {changed, touched} = this.#live;
    this.#live.changed = [];
    this.#live.touched = new Set();
    this.#showEntries(closed, changed, touched);
    if (this.#live.of.events !== events) {
      this.#shownEvents = this.#live.of.events;
      this.#story.soon();
      this.onChange();
    }
    this.#outcome.soon();
    this.#canvas.soon();
    this.#strip.soon();
  }

  #shownEvents = 0;

  #showEntries(closed, changed, touched) {
    changed.filter(({kind}) => kind === 'bar').forEach(({bar}) => drawing.labels.forget(bar));
    const chosen = changed.find((each) => each === chosenEntry);
    if (chosen !== undefined) {
      panel.showEvent(session, drawing.chosen, linkTo(drawing.chosen), chosen);
    }
    const words = this.#openWords();
    const added = entries.length - this.#openCount - closed;
    const isSame = added === 0 && words === this.#openShown;
    this.#openShown = words;
    if (rowsShown === 'story') {
      return;
    }
    if (rowsShown === 'state') {
      this.#anew.soon();
      return;
    }
    if (rowsShown === 'trouble' || drawing.own !== undefined) {
      if (!isSame) {
        this.#anew.soon();
      }
      return;
    }
    if (!isSame) {
      this.#appendEntries(closed, added);
    }
    changed.filter(({kind}) => kind === 'conflict').forEach((each) => transcript.again(each));
    this.#live.open.filter(({bar}) => touched.has(session.bar.lane[bar])).forEach((each) => transcript.again(each));
  }

  /// Rows of those that ended since, and of what is open.
  async #appendEntries(closed, added) {
    const kept = this.#rowsClosed;
    const rows = entries.slice(closed, closed + added).filter(isWanted);
    this.#rows.length = kept;
    append(this.#rows, rows);
    append(this.#rows, entries.slice(closed + added).filter(isWanted));
    this.#rowsClosed += rows.length;
    byId('transcript-count').textContent = counted(this.#rows.length, 'row');
    const isAtEnd = await transcript.update(this.#rows, kept);
    this.#countNew(isAtEnd ? -this.#newRows : rows.length);
  }

  /// All rows of the filter were shown again.
  #rowsAreShown(those) {
    this.#rows = those;
    this.#rowsClosed = those.length - this.#live.open.filter(isWanted).length;
    this.#countNew(-this.#newRows);
  }

  #rows = [];
  #rowsClosed = 0;

  #countNew(by) {
    this.#newRows += by;
    byId('newer').hidden = this.#newRows === 0;
    byId('newer').textContent = `${this.#newRows.toLocaleString('en')} new`;
  }

  async #toNewest() {
    await transcript.toEnd();
    this.#countNew(-this.#newRows);
  }

  #showOutcome() {
    if (this.#isShown) {
      showStory();
    }
  }

  /// Rows that are grouped, or of one participant.
  #showAnew() {
    const {scrollTop} = byId('transcript');
    if (drawing.own !== undefined) {
      drawing.own = ownView(session, drawing.own.lane);
    }
    showRows();
    byId('transcript').scrollTop = scrollTop;
  }

  /// What costs as much as the session is long.
  #drawStrip() {
    ++drawing.changes;
    if (drawing.scale.kind === 'busy') {
      drawing.scale = new Scale('busy', session);
    }
    this.#draw();
  }

  /// Costs as much as there is in view.
  #draw() {
    if (!document.hidden) {
      drawing.draw();
    }
  }

  async #takeStory() {
    const story = await this.#fetchStory();
    if (story !== undefined) {
      this.#live.tell(story);
      this.#outcome.soon();
    }
    // It may have grown meanwhile.
    if (story !== undefined && story.events < this.#live.of.events) {
      this.#story.soon();
    }
  }
}
