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
    to.fillStyle = colours.hit;
    for (const event of view.hits) {
      to.fillRect(view.eventX(event) - 1, axisHeight - 8, 2, 8);
    }
    if (view.range !== undefined) {
      const [from, until] = view.range.map((place) => view.x(place));
      to.fillStyle = colours.link;
      to.globalAlpha = 0.15;
      to.fillRect(from, 0, until - from, view.height);
      to.globalAlpha = 1;
      to.fillRect(from, 0, 1, view.height);
      to.fillRect(until, 0, 1, view.height);
    }
    if (view.difference !== undefined) {
      const x = view.eventX(Math.min(view.difference, view.session.number.length - 1));
      to.fillStyle = colours.failed;
      for (let y = 0; y < view.height; y += 8) {
        to.fillRect(x - 1, y, 2, 5);
      }
    }
    if (view.chosen !== undefined) {
      to.fillStyle = colours.chosen;
      to.fillRect(view.eventX(view.chosen) - 1, 0, 2, view.height);
    }
  });
}

class Drawing extends Viewport {
  constructor(canvas) {
    super(canvas);
    this.context = canvas.getContext('2d');
    this.chosen = undefined; // an event
    this.difference = undefined; // the event at which another run differs
    this.range = undefined;
    this.hits = [];
    this.#readColours();
  }

  #readColours() {
    const style = getComputedStyle(document.documentElement);
    this.isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.colours = {};
    for (const name of ['surface', 'sunken', 'line', 'text', 'dim', 'completed', 'failed', 'late', 'declined',
                        'handed', 'open', 'chosen', 'hit', 'on-bar', 'link']) {
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
    this.settle();
    const {context: to, colours} = this;
    to.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    to.font = '13px system-ui, sans-serif';
    to.textBaseline = 'middle';
    clipped(this, this.gutter, 0, this.width - this.gutter, this.height, () => {
      this.#axis();
      this.#tokens();
    });
    clipped(this, 0, this.lanesTop, this.width, this.height - this.lanesTop, () => {
      this.#laneNames();
      clipped(this, this.gutter, this.lanesTop, this.width - this.gutter, this.height, () => {
        this.lanes.forEach((lane, row) => this.#lane(lane, row));
        paintRelations(this);
      });
    });
    to.fillStyle = colours.dim;
    to.fillText('token', 8, axisHeight + this.tokensHeight / 2);
    to.fillStyle = colours.line;
    to.fillRect(this.gutter, 0, 1, this.height);
    to.fillRect(0, this.lanesTop - 1, this.width, 1);
    paintMarked(this);
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
        to.fillStyle = colours.dim;
        to.fillText(words, x + 3, axisHeight / 2);
      }
    }
  }

  #tokens() {
    this.session.tokens.forEach((bars, row) => {
      const y = axisHeight + 3 + row * tokenHeight;
      paintBars(this, bars, y, tokenHeight - 3, (i) => this.session.lanes[this.session.bar.lane[i]].id,
                (i) => this.#laneColour(this.session.bar.lane[i]));
    });
  }

  /// Neighbours in the list of lanes differ.
  #laneColour(lane) {
    return `hsl(${lane * 137 % 360} 45% ${this.isDark ? 70 : 38}%)`;
  }

  #laneNames() {
    const {context: to, colours, session} = this;
    this.lanes.forEach((lane, row) => {
      const y = this.laneY(row);
      if (y + laneHeight < this.lanesTop || y > this.height) {
        return;
      }
      if (row % 2 === 0) {
        to.fillStyle = colours.sunken;
        to.globalAlpha = 0.5;
        to.fillRect(0, y, this.width, laneHeight);
        to.globalAlpha = 1;
      }
      to.fillStyle = lane === 0 ? colours.dim : colours.text;
      const {id, kind} = session.lanes[lane];
      paintWords(this, kind === 'human' ? `${id} (person)` : id, 8, y + laneHeight / 2, this.gutter - 14);
    });
  }

  #lane(lane, row) {
    const y = this.laneY(row);
    if (y + laneHeight < this.lanesTop || y > this.height) {
      return;
    }
    const {session} = this;
    paintBars(this, session.requestsOf[lane], y + 4, laneHeight - 14, (i) => barKinds[session.bar.kind[i]]);
    paintBars(this, session.actionsOf[lane], y + laneHeight - 9, 5);
    if (this.hasMarks(lane)) {
      paintMarks(this, session.marksOf[lane], y);
    }
  }
}
