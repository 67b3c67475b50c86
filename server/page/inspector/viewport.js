// What of a session is in view: where an event is on the canvas, which lanes and
// kinds are shown, and how a reader moves.

const axisHeight = 26;
const tokenHeight = 18;
const laneHeight = 30;

class Viewport {
  constructor(canvas) {
    this.canvas = canvas;
    this.session = undefined;
    this.left = 0; // place at the left edge
    this.span = 1; // places in view
    this.top = 0; // first lane's offset, in pixels
    this.lanes = []; // lanes in view, by their number
    this.kinds = new Set();
    this.failedOnly = false;
    this.own = undefined; // whose view it is, as ownView makes it
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
    const margin = this.scale.length * 0.02;
    this.left = -margin;
    this.span = this.scale.length + 2 * margin;
    this.soon();
  }

  get gutter() {
    return this.width < 600 ? 96 : 168;
  }

  get tokensHeight() {
    return Math.max(1, this.session.tokens.length) * tokenHeight + 6;
  }

  get lanesTop() {
    return axisHeight + this.tokensHeight;
  }

  get lanesHeight() {
    return this.lanes.length * laneHeight;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    const most = Math.max(240, Math.min(window.innerHeight * 0.6, 640));
    this.height = Math.min(this.lanesTop + this.lanesHeight + 6, most);
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
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

  laneY(row) {
    return this.lanesTop + row * laneHeight - this.top;
  }

  /// Keeps what is in view within bounds.
  settle() {
    const most = this.scale.length * 1.04;
    this.span = Math.min(Math.max(this.span, this.scale.length / 1e7, 1e-3), most);
    const margin = this.span * 0.5;
    this.left = Math.min(Math.max(this.left, -margin), this.scale.length - this.span + margin);
    const overflow = Math.max(0, this.lanesTop + this.lanesHeight + 6 - this.height);
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

  /// Moves so that an event is in view.
  reveal(event) {
    const place = this.scale.shown[event];
    if (place < this.left || place > this.left + this.span) {
      this.left = place - this.span / 2;
    }
    const row = this.lanes.indexOf(this.session.lane[event]);
    if (row >= 0) {
      const y = this.laneY(row);
      if (y < this.lanesTop) {
        this.top -= this.lanesTop - y;
      } else if (y + laneHeight > this.height) {
        this.top += y + laneHeight - this.height;
      }
    }
    this.settle();
    this.soon();
  }

  set shownLanes(lanes) {
    this.lanes = lanes;
    this.rows = new Map(lanes.map((lane, row) => [lane, row]));
  }

  middle(lane) {
    const row = this.rows.get(lane);
    return row === undefined ? undefined : this.laneY(row) + laneHeight / 2;
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
}
