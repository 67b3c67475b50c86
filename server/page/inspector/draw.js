// Draws the part of a session that is in view on a canvas.

/// Whatever is painted meanwhile stays within the rectangle.
function clipped({context: to}, x, y, width, height, paint) {
  to.save();
  to.beginPath();
  to.rect(x, y, width, height);
  to.clip();
  paint();
  to.restore();
}

/// As much of the words as fits.
function paintWords({context: to}, words, x, y, width) {
  to.fillText(shortened(words, width, (each) => to.measureText(each).width), x, y);
}

/// What a reader has marked.
function paintMarked(view) {
  const {context: to, colours} = view;
  clipped(view, view.gutter, 0, view.width - view.gutter, view.height, () => {
    to.fillStyle = colours.wait;
    for (const event of view.hits) {
      to.fillRect(view.eventX(event) - 1, axisHeight - 8, 2, 8);
    }
    if (view.range !== undefined) {
      const [from, until] = view.range.map((place) => view.x(place));
      to.fillStyle = colours.accent;
      to.globalAlpha = 0.12;
      to.fillRect(from, 0, until - from, view.height);
      to.globalAlpha = 1;
      to.fillRect(from, 0, 1, view.height);
      to.fillRect(until, 0, 1, view.height);
    }
    if (view.difference !== undefined) {
      const x = view.eventX(Math.min(view.difference, view.session.number.length - 1));
      to.fillStyle = colours.stop;
      for (let y = 0; y < view.height; y += 8) {
        to.fillRect(x - 1, y, 2, 5);
      }
    }
    if (view.chosen !== undefined) {
      to.fillStyle = colours.accent;
      to.fillRect(view.eventX(view.chosen) - 0.75, 0, 1.5, view.height);
    }
  });
}

const colourNames = ['surface', 'sunken', 'line', 'line-2', 'ink', 'ink-2', 'ink-3', 'accent', 'on-color', 'done', 'fail', 'fail-bg',
                     'stop', 'stop-bg', 'wait', 'wait-bg', ...[1, 2, 3, 4, 5, 6].flatMap((hue) => [`p${hue}`, `p${hue}-bg`])];

class Drawing extends Viewport {
  constructor(canvas) {
    super(canvas);
    this.context = canvas.getContext('2d');
    this.chosen = undefined; // an event
    this.chosenBar = undefined;
    this.difference = undefined; // the event at which another run differs
    this.range = undefined;
    this.hits = [];
    this.labels = undefined; // words of bars
    this.onDraw = () => {};
    this.#readColours();
  }

  #readColours() {
    const style = getComputedStyle(document.documentElement);
    this.font = getComputedStyle(document.body).fontFamily;
    this.colours = {};
    for (const name of colourNames) {
      this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
  }

  coloursChanged() {
    this.#readColours();
    this.soon();
  }

  /// Draws once before the browser paints again, however often it is called.
  soon() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw();
      });
    }
  }

  draw() {
    if (this.session === undefined) {
      return;
    }
    this.resize();
    if (this.width <= this.gutter) {
      return;
    }
    this.settle();
    const {context: to, colours} = this;
    to.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    to.font = `11px ${this.font}`;
    to.textBaseline = 'middle';
    clipped(this, this.gutter, 0, this.width - this.gutter, this.height, () => {
      this.#axis();
      this.#guard();
      this.#breaks();
      if (this.hasHistogram) {
        paintHistogram(this);
      }
    });
    if (this.hasHistogram) {
      to.fillStyle = colours.wait;
      to.font = `600 12px ${this.font}`;
      to.fillText(this.isNarrow ? String(this.session.conflicts.length) : `${this.session.conflicts.length.toLocaleString('en')} conflicts`,
                  8, axisHeight + conflictsHeight / 2);
    }
    to.fillStyle = colours.line;
    to.fillRect(this.gutter, 0, 1, this.height);
    to.fillRect(0, this.lanesTop - 1, this.width, 1);
    clipped(this, 0, this.lanesTop, this.width, this.height - this.lanesTop, () => {
      this.rows.forEach((row) => this.#row(row));
      clipped(this, this.gutter, this.lanesTop, this.width - this.gutter, this.height, () => paintRelations(this));
    });
    paintMarked(this);
    this.onDraw();
  }

  #axis() {
    const {context: to, colours, scale} = this;
    const label = 84;
    // A log has no part of a millisecond, nor of an event.
    const step = Math.max(niceStep(this.span * label / (this.width - this.gutter)), 1);
    const first = Math.max(0, Math.ceil(this.left / step));
    const last = Math.min(scale.length, this.left + this.span) / step;
    for (let i = first; i <= last; ++i) {
      const x = this.x(i * step);
      to.fillStyle = colours.line;
      to.fillRect(x, axisHeight - 6, 1, this.height);
      const words = scale.kind === 'order' ? `event ${i * step + 1}` : tickWords(scale.timeAt(i * step), step);
      if (x + 3 + to.measureText(words).width <= this.width) {
        to.fillStyle = colours['ink-3'];
        to.fillText(words, x + 3, axisHeight / 2);
      }
    }
  }

  /// The stretch that a guard counted, and where it ended the session.
  #guard() {
    const {context: to, colours, session: {guard, number}} = this;
    if (guard === undefined) {
      return;
    }
    const end = this.eventX(number.length - 1);
    const x = this.eventX(guard.from);
    if (end - x > 2) {
      hatched(this, x, axisHeight, end - x, this.height - axisHeight, colours.stop, 0.13, 11);
    }
    to.fillStyle = colours.stop;
    to.fillRect(end - 1, axisHeight, 2, this.height);
    to.font = `600 11px ${this.font}`;
    const width = to.measureText(guard.words).width;
    const left = Math.max(this.gutter + 4, Math.min(Math.max(x + 5, this.gutter + 5), end - width - 6));
    to.fillStyle = colours.surface;
    to.fillRect(left - 3, this.height - 18, width + 6, 15);
    to.fillStyle = colours.stop;
    to.fillText(guard.words, left, this.height - 10);
    to.font = `11px ${this.font}`;
  }

  /// A zigzag where time is left out, with how much.
  #breaks() {
    const {context: to, colours} = this;
    let free = 0;
    for (const {place, left} of this.scale.breaks) {
      const x = this.x(place);
      if (x < this.gutter || x > this.width) {
        continue;
      }
      to.strokeStyle = colours['ink-3'];
      to.lineWidth = 1;
      to.beginPath();
      for (let y = axisHeight; y < this.height; y += 6) {
        to.lineTo(x + (y / 6 % 2 < 1 ? -2.5 : 2.5), y);
      }
      to.stroke();
      const words = `+${lasting(left)}`;
      if (x > free) {
        to.fillStyle = colours['ink-3'];
        to.fillText(words, x + 5, this.lanesTop + 6);
        free = x + to.measureText(words).width + 10;
      }
    }
  }

  #row(row) {
    const y = this.rowY(row);
    if (y + row.height < this.lanesTop || y > this.height) {
      return;
    }
    const {context: to, colours} = this;
    to.fillStyle = colours.line;
    to.fillRect(0, y + row.height - 1, this.width, 1);
    if (row.kind === 'head') {
      to.fillStyle = colours.sunken;
      to.fillRect(0, y, this.width, row.height - 1);
      to.fillStyle = colours.ink;
      to.font = `600 12px ${this.font}`;
      const words = `${this.folded.has(row.group.key) ? '▸' : '▾'} ${plain(row.group.title)}`;
      to.fillText(words, 8, y + row.height / 2);
      const width = to.measureText(words).width;
      to.font = `12px ${this.font}`;
      to.fillStyle = colours['ink-3'];
      paintWords(this, row.group.note, 18 + width, y + row.height / 2, this.width - width - 30);
      return;
    }
    const inLane = (paint) => clipped(this, this.gutter, this.lanesTop, this.width - this.gutter, this.height, paint);
    if (row.kind === 'band') {
      inLane(() => row.lanes.slice(0, 200).forEach((lane, at) => paintBars(this, this.session.requestsOf[lane], this.session.reachOf[lane],
                                                                             y + 2 + at % 8 * 2, 1.5)));
      return;
    }
    this.#laneName(row, y);
    const {session} = this;
    const inset = row.height < 24 ? 4 : 5;
    const height = row.height - inset - (row.height < 24 ? 5 : 7);
    inLane(() => {
      paintBars(this, session.requestsOf[row.lane], session.reachOf[row.lane], y + inset, height);
      if (this.kinds.has('action')) {
        paintActions(this, session.actionsOf[row.lane], y + inset + height + 1);
      }
      if (this.hasMarks(row.lane)) {
        paintMarks(this, session.marksOf[row.lane], y + inset, height);
      }
    });
  }

  #laneName({lane, height}, y) {
    const {context: to, colours, session} = this;
    const {id, hue, isHuman, monogram} = session.lanes[lane];
    const middle = y + height / 2;
    const bad = session.trouble[lane];
    let left = 8;
    if (height >= 24 || this.isNarrow) {
      const size = height < 24 ? 7 : 10;
      to.beginPath();
      if (isHuman) {
        to.arc(left + size, middle, size, 0, 2 * Math.PI);
      } else {
        to.rect(left, middle - size, 2 * size, 2 * size);
      }
      to.fillStyle = colours[`p${hue}-bg`];
      to.fill();
      to.strokeStyle = colours[`p${hue}`];
      to.lineWidth = 1.5;
      to.stroke();
      to.fillStyle = colours[`p${hue}`];
      to.font = `700 ${height < 24 ? 8 : 10}px ${this.font}`;
      to.textAlign = 'center';
      to.fillText(monogram, left + size, middle + 0.5);
      to.textAlign = 'start';
      left += 2 * size + 8;
    }
    if (this.isNarrow) {
      return;
    }
    const count = session.requestsOf[lane].length.toLocaleString('en');
    to.font = `${bad > 0 ? 600 : 400} 11px ${this.font}`;
    to.fillStyle = bad > 0 ? colours.fail : colours['ink-3'];
    const note = bad > 0 ? `${bad} ✕` : count;
    const width = to.measureText(note).width;
    to.fillText(note, this.gutter - width - 8, middle);
    to.font = `${height < 24 ? 11 : 13}px ${this.font}`;
    to.fillStyle = colours.ink;
    paintWords(this, plain(id), left, middle, this.gutter - left - width - 14);
  }
}
