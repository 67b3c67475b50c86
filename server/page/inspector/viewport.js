// What of a session is in view: where an event is on the canvas, which lanes and
// kinds are shown, and how a reader moves.

const axisHeight = 24;
const conflictsHeight = 44; // of their histogram
const conflictMarksMax = 30; // drawn one by one

class Viewport {
  constructor(canvas) {
    this.canvas = canvas;
    this.session = undefined;
    this.left = 0; // place at the left edge
    this.span = 1; // places in view
    this.top = 0; // first lane's offset, in pixels
    this.lanes = []; // lanes that are shown, by their number
    this.grouping = 'trouble';
    this.folded = new Set(); // keys of groups
    this.rows = [];
    this.kinds = new Set();
    this.failedOnly = false;
    this.own = undefined; // whose view it is, as ownView makes it
    this.changes = 0; // rises with what the whole strip shows
    this.width = 0;
  }

  /// Shows another session, all of it.
  show(session, scale) {
    this.session = session;
    this.scale = scale;
    this.top = 0;
    this.resize();
    this.whole();
  }

  whole() {
    this.#fit();
    this.soon();
  }

  #fit() {
    const margin = this.scale.length * 0.01;
    this.left = -margin;
    this.span = this.scale.length + 2 * margin;
  }

  /// The session has grown by so much of the scale: what was whole stays whole,
  /// what was at the end stays there.
  grown(by) {
    const wasAtEnd = this.left + this.span >= this.scale.length - by;
    if (wasAtEnd && this.left <= 0) {
      this.#fit();
    } else if (wasAtEnd) {
      this.left += by;
    }
  }

  get isNarrow() {
    return this.width < 600;
  }

  get gutter() {
    return this.isNarrow ? 40 : 160;
  }

  get hasHistogram() {
    return this.kinds.has('conflict') && this.session.conflicts.length > conflictMarksMax;
  }

  get lanesTop() {
    return axisHeight + (this.hasHistogram ? conflictsHeight : 0);
  }

  get guardHeight() {
    return this.session.guard === undefined ? 0 : 20;
  }

  #place() {
    const {rows, height} = laneRows(laneGroups(this.session, this.lanes, this.grouping), this.folded, this.isNarrow);
    this.rows = rows;
    this.lanesHeight = height;
    this.rowOf = new Map();
    for (const row of rows) {
      (row.lanes ?? (row.lane === undefined ? [] : [row.lane])).forEach((lane) => this.rowOf.set(lane, row));
    }
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.#place();
    const most = Math.max(180, Math.min(window.innerHeight * (window.innerWidth >= 1100 ? 0.44 : 0.5), 640));
    this.height = Math.min(this.lanesTop + this.lanesHeight + this.guardHeight + 4, most);
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.style.height = `${this.height}px`;
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.ratio = ratio;
  }

  x(place) {
    return this.gutter + (place - this.left) / this.span * (this.width - this.gutter);
  }

  placeAt(x) {
    return this.left + (x - this.gutter) / (this.width - this.gutter) * this.span;
  }

  eventX(event) {
    return this.x(this.scale.shown[event]);
  }

  rowY(row) {
    return this.lanesTop + row.y - this.top;
  }

  rowAt(y) {
    const at = y - this.lanesTop + this.top;
    return y < this.lanesTop ? undefined : this.rows.find((row) => at >= row.y && at < row.y + row.height);
  }

  /// Keeps what is in view within bounds.
  settle() {
    const most = this.scale.length * 1.02;
    this.span = Math.min(Math.max(this.span, this.scale.length / 1e7, 1e-3), most);
    const margin = this.span * 0.5;
    this.left = Math.min(Math.max(this.left, -margin), this.scale.length - this.span + margin);
    const overflow = Math.max(0, this.lanesTop + this.lanesHeight + this.guardHeight + 4 - this.height);
    this.top = Math.min(Math.max(this.top, 0), overflow);
  }

  zoom(factor, x = this.gutter + (this.width - this.gutter) / 2) {
    const fixed = this.placeAt(x);
    const before = this.span;
    this.span *= factor;
    this.settle();
    this.left = fixed - (fixed - this.left) * this.span / before;
    this.settle();
    this.soon();
  }

  pan(share) {
    this.left += this.span * share;
    this.settle();
    this.soon();
  }

  /// Moves so that an event is in view, and its lane.
  reveal(event, lane = this.session.lane[event]) {
    const place = this.scale.shown[event];
    if (place < this.left || place > this.left + this.span) {
      this.left = place - this.span / 2;
    }
    const row = this.rowOf?.get(lane);
    if (row !== undefined) {
      const y = this.rowY(row);
      if (y < this.lanesTop) {
        this.top -= this.lanesTop - y;
      } else if (y + row.height > this.height) {
        this.top += y + row.height - this.height;
      }
    }
    this.settle();
    this.soon();
  }

  middle(lane) {
    const row = this.rowOf.get(lane);
    return row === undefined ? undefined : this.rowY(row) + row.height / 2;
  }

  isShown(i) {
    const {bar} = this.session;
    return this.kinds.has(barKinds[bar.kind[i]]) && (!this.failedOnly || isFailure(bar.status[i]))
        && (this.own === undefined || bar.lane[i] === this.own.lane);
  }

  /// Marks of a lane, or of any: whether they are shown.
  hasMarks(lane) {
    return this.kinds.has('mark') && (this.own === undefined || this.own.lane === lane);
  }

  /// Of conflicts or handoffs those that are shown.
  ofOwn(relations) {
    return this.own === undefined ? relations : relations.filter(({sides}) => sides.includes(this.own.lane));
  }

  ownBroadcasts() {
    const {own, session: {broadcasts}} = this;
    return own === undefined ? broadcasts
        : broadcasts.filter(({begin, sender}) => sender === own.lane || own.asked.has(begin));
  }

  /// Conflicts that are drawn one by one: few enough are in view.
  conflictsInView() {
    if (!this.kinds.has('conflict')) {
      return [];
    }
    const {shown} = this.scale;
    const inView = this.ofOwn(this.session.conflicts).filter(({begin, end}) => shown[end ?? begin] >= this.left
                                                                     && shown[begin] <= this.left + this.span);
    return inView.length > conflictMarksMax ? [] : inView;
  }
}
