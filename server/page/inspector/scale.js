// Where an event is on the horizontal axis: by its time, by its time without
// the parts in which nothing happens, or by its order.

/// What is longer than so many times the usual pause counts as idle.
const idleFactor = 20;

/// How many requests are open between each event and the one before.
function openBetween({bar}, count) {
  const open = new Int32Array(count + 1);
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.kind[i] !== 4) {
      ++open[bar.from[i] + 1];
      --open[bar.to[i] + 1];
    }
  }
  for (let i = 1; i <= count; ++i) {
    open[i] += open[i - 1];
  }
  return open;
}

class Scale {
  /// `shown` has the place of each event, from 0 to `length`; `breaks` where time
  /// was left out, which is never while a request is open.
  constructor(kind, session) {
    this.kind = kind;
    this.time = session.time;
    this.breaks = [];
    this.shown = kind === 'time' ? this.time : [];
    if (kind === 'busy') {
      this.#skip(session);
    }
    this.grow();
  }

  /// Takes events that came since.
  grow() {
    if (this.kind === 'order') {
      this.shown.length = Math.min(this.shown.length, this.time.length);
      for (let i = this.shown.length; i < this.time.length; ++i) {
        this.shown.push(i);
      }
    }
  }

  get length() {
    return Math.max(this.shown.at(-1) ?? 0, 1);
  }

  #skip(session) {
    const {time} = this;
    const pauses = [];
    for (let i = 1; i < time.length; ++i) {
      const pause = time[i] - time[i - 1];
      if (pause > 0) {
        pauses.push(pause);
      }
    }
    const usual = Float64Array.from(pauses).sort()[pauses.length >> 1] ?? 0;
    const most = Math.max(1, usual * idleFactor);
    const open = openBetween(session, time.length);
    this.shown = new Float64Array(time.length);
    for (let i = 1; i < time.length; ++i) {
      const pause = time[i] - time[i - 1];
      const isCut = pause > most && open[i] === 0;
      this.shown[i] = this.shown[i - 1] + (isCut ? most : pause);
      if (isCut) {
        this.breaks.push({place: this.shown[i] - most / 2, left: pause - most});
      }
    }
  }

  /// The event that is last at or before that place.
  eventAt(place) {
    return Math.max(0, lastAtMost(this.shown, place));
  }

  /// The time at a place, in milliseconds since the session's beginning.
  timeAt(place) {
    const event = this.eventAt(place);
    if (this.kind === 'order') {
      return this.time[event] ?? 0;
    }
    const next = this.time[event + 1] ?? Infinity;
    return Math.min((this.time[event] ?? 0) + Math.max(0, place - this.shown[event]), next);
  }
}

function timeWords(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 120) {
    return `${seconds.toFixed(seconds < 10 ? 3 : 1)} s`;
  }
  const minutes = seconds / 60;
  return minutes < 120 ? `${minutes.toFixed(1)} min` : `${(minutes / 60).toFixed(1)} h`;
}

/// As above, but what is `step` apart differs.
function tickWords(milliseconds, step) {
  const seconds = milliseconds / 1000;
  if (seconds === 0) {
    return '0 s';
  }
  if (seconds >= 120 && step >= (seconds < 7200 ? 6e3 : 360e3)) {
    return timeWords(milliseconds);
  }
  const digits = step >= 1000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
  if (seconds < 120) {
    return `${seconds.toFixed(digits)} s`;
  }
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  const rest = (seconds % 60).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0');
  return `${Math.floor(seconds / 3600)}:${two(seconds / 60 % 60)}:${rest}`;
}
