// Draws the part of a session that is in view on a canvas.

const axisHeight = 26;
const tokenHeight = 18;
const laneHeight = 30;

class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.session = undefined;
    this.left = 0; // place at the left edge
    this.span = 1; // places in view
    this.top = 0; // first lane's offset, in pixels
    this.lanes = []; // lanes in view, by their number
    this.kinds = new Set();
    this.failedOnly = false;
    this.chosen = undefined;
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
    this.#clipped(this.gutter, 0, this.width - this.gutter, this.height, () => {
      this.#axis();
      this.#tokens();
    });
    this.#clipped(0, this.lanesTop, this.width, this.height - this.lanesTop, () => {
      this.#laneNames();
      this.#clipped(this.gutter, this.lanesTop, this.width - this.gutter, this.height, () => {
        this.lanes.forEach((lane, row) => this.#lane(lane, row));
        this.#relations();
      });
    });
    to.fillStyle = colours.dim;
    to.fillText('token', 8, axisHeight + this.tokensHeight / 2);
    to.fillStyle = colours.line;
    to.fillRect(this.gutter, 0, 1, this.height);
    to.fillRect(0, this.lanesTop - 1, this.width, 1);
    this.#over();
  }

  #clipped(x, y, width, height, draw) {
    const {context: to} = this;
    to.save();
    to.beginPath();
    to.rect(x, y, width, height);
    to.clip();
    draw();
    to.restore();
  }

  #axis() {
    const {context: to, colours, scale} = this;
    const label = 84;
    const step = Math.max(niceStep(this.span * label / (this.width - this.gutter)), scale.kind === 'order' ? 1 : 0);
    const first = Math.max(0, Math.ceil(this.left / step));
    const last = Math.min(scale.length, this.left + this.span) / step;
    for (let i = first; i <= last; ++i) {
      const x = this.x(i * step);
      to.fillStyle = colours.line;
      to.fillRect(x, axisHeight - 6, 1, this.height);
      to.fillStyle = colours.dim;
      to.fillText(scale.kind === 'order' ? `event ${Math.round(i * step) + 1}` : timeWords(scale.timeAt(i * step)),
                  x + 3, axisHeight / 2);
    }
  }

  #tokens() {
    this.session.tokens.forEach((bars, row) => {
      const y = axisHeight + 3 + row * tokenHeight;
      this.#bars(bars, y, tokenHeight - 3, (i) => this.session.lanes[this.session.bar.lane[i]].id,
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
      this.#fitted(kind === 'human' ? `${id} (person)` : id, 8, y + laneHeight / 2, this.gutter - 14);
    });
  }

  #fitted(words, x, y, width) {
    const {context: to} = this;
    let shown = words;
    if (to.measureText(shown).width > width) {
      let fits = Math.min(shown.length, Math.floor(width / 4));
      while (fits > 0 && to.measureText(`${shown.slice(0, fits)}…`).width > width) {
        --fits;
      }
      shown = `${shown.slice(0, fits)}…`;
    }
    to.fillText(shown, x, y);
  }

  isShown(i) {
    const {bar} = this.session;
    return this.kinds.has(barKinds[bar.kind[i]]) && (!this.failedOnly || isFailure(bar.status[i]));
  }

  /// Those narrower than a pixel are drawn once for each pixel; what failed is
  /// drawn over the others, so that it always shows.
  #bars(list, y, height, words, colourOf) {
    const {context: to, colours, session} = this;
    const {bar} = session;
    const {shown} = this.scale;
    const from = this.left;
    const until = this.left + this.span;
    const labels = [];
    for (const failed of [false, true]) {
      let painted = -1;
      for (const i of list) {
        // In the order of their beginnings.
        if (shown[bar.from[i]] > until) {
          break;
        }
        const status = bar.status[i];
        if (isFailure(status) !== failed || shown[bar.to[i]] < from) {
          continue;
        }
        const begin = this.x(shown[bar.from[i]]);
        const end = this.x(shown[bar.to[i]]);
        if (Math.floor(end) <= painted || !this.isShown(i)) {
          continue;
        }
        painted = Math.floor(end);
        to.fillStyle = colourOf === undefined ? colours[statusColours[status]] : colourOf(i);
        to.globalAlpha = bar.kind[i] === 0 ? 1 : 0.75;
        to.fillRect(begin, y, Math.max(1.5, end - begin - 1), height);
        to.globalAlpha = 1;
        if (end - begin > 8 && session.lanes[bar.lane[i]].kind === 'human' && colourOf === undefined) {
          this.#stripes(begin, y, end - begin - 1, height);
        }
        if (words !== undefined && end - begin > 48) {
          labels.push([i, begin, end]);
        }
      }
    }
    let free = 0;
    for (const [i, begin, end] of labels) {
      const x = Math.max(begin, this.gutter);
      if (x >= free) {
        to.fillStyle = colours['on-bar'];
        this.#fitted(words(i), x + 5, y + height / 2, Math.min(end, this.width) - x - 10);
        free = end;
      }
    }
  }

  /// A person is waited for.
  #stripes(x, y, width, height) {
    const {context: to, colours} = this;
    const begin = Math.max(x, this.gutter);
    const end = Math.min(x + width, this.width);
    this.#clipped(begin, y, end - begin, height, () => {
      to.strokeStyle = colours.surface;
      to.globalAlpha = 0.2;
      to.lineWidth = 3;
      to.beginPath();
      for (let at = begin - height; at < end; at += 9) {
        to.moveTo(at, y + height);
        to.lineTo(at + height, y);
      }
      to.stroke();
      to.globalAlpha = 1;
    });
  }

  #lane(lane, row) {
    const y = this.laneY(row);
    if (y + laneHeight < this.lanesTop || y > this.height) {
      return;
    }
    const {session} = this;
    this.#bars(session.requestsOf[lane], y + 4, laneHeight - 14, (i) => barKinds[session.bar.kind[i]]);
    this.#bars(session.actionsOf[lane], y + laneHeight - 9, 5);
    if (this.kinds.has('mark')) {
      this.#marks(session.marksOf[lane], y);
    }
  }

  #marks(list, y) {
    const {context: to, colours, session} = this;
    const {shown} = this.scale;
    let painted = -10;
    for (const i of list) {
      if (shown[i] > this.left + this.span) {
        break;
      }
      if (shown[i] < this.left) {
        continue;
      }
      const kind = session.markOf[session.type[i]];
      const x = this.x(shown[i]);
      if (x - painted < 1 || (this.failedOnly && kind !== 'refused')) {
        continue;
      }
      painted = x;
      const middle = y + laneHeight - 6;
      to.fillStyle = colours[{write: 'text', claim: 'handed', refused: 'failed'}[kind]];
      to.beginPath();
      to.moveTo(x, middle - 5);
      to.lineTo(x + 4, middle);
      to.lineTo(x, middle + 5);
      to.lineTo(x - 4, middle);
      to.fill();
    }
  }

  set shownLanes(lanes) {
    this.lanes = lanes;
    this.rows = new Map(lanes.map((lane, row) => [lane, row]));
  }

  #middle(lane) {
    const row = this.rows.get(lane);
    return row === undefined ? undefined : this.laneY(row) + laneHeight / 2;
  }

  #relations() {
    const {context: to, colours, session} = this;
    to.lineWidth = 2;
    if (this.kinds.has('conflict')) {
      for (const {begin, end, sides, winner} of session.conflicts) {
        const x = this.eventX(begin);
        const until = end === null ? x : this.eventX(end);
        if (until < this.gutter || x > this.width) {
          continue;
        }
        const at = sides.map((lane) => [lane, this.#middle(lane)]).filter(([, y]) => y !== undefined);
        to.strokeStyle = colours.failed;
        to.beginPath();
        const heights = at.map(([, y]) => y);
        to.moveTo(x, Math.min(...heights));
        to.lineTo(x, Math.max(...heights));
        to.stroke();
        for (const [lane, y] of at) {
          to.beginPath();
          to.arc(x, y, 5, 0, 2 * Math.PI);
          to.fillStyle = lane === winner ? colours.failed : colours.surface;
          to.fill();
          to.stroke();
        }
      }
    }
    if (this.kinds.has('broadcast')) {
      for (const {begin, sender, first, last} of session.broadcasts) {
        this.#broadcast(this.eventX(begin), this.#middle(sender), this.#middle(first), this.#middle(last));
      }
    }
    if (this.kinds.has('handoff')) {
      for (const {begin, end, sides: [giver, receiver]} of session.handoffs) {
        this.#arrow(this.eventX(begin), this.#middle(giver), this.eventX(end ?? begin), this.#middle(receiver));
      }
    }
  }

  /// From who asks to all that are asked.
  #broadcast(x, y, firstY, lastY) {
    const heights = [y, firstY, lastY].filter((each) => each !== undefined);
    if (x < this.gutter || x > this.width || heights.length === 0) {
      return;
    }
    const {context: to, colours} = this;
    to.strokeStyle = colours.link;
    to.fillStyle = colours.link;
    to.setLineDash([2, 3]);
    to.beginPath();
    to.moveTo(x, Math.min(...heights));
    to.lineTo(x, Math.max(...heights));
    to.stroke();
    to.setLineDash([]);
    if (y !== undefined) {
      to.beginPath();
      to.moveTo(x + 7, y);
      to.lineTo(x - 2, y - 6);
      to.lineTo(x - 2, y + 6);
      to.fill();
    }
  }

  #arrow(x, y, toX, toY) {
    if (y === undefined || toY === undefined || Math.max(x, toX) < this.gutter || Math.min(x, toX) > this.width) {
      return;
    }
    const {context: to, colours} = this;
    to.strokeStyle = colours.handed;
    to.fillStyle = colours.handed;
    to.beginPath();
    to.moveTo(x, y);
    const bend = Math.max(12, (toX - x) / 2);
    to.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
    to.stroke();
    to.beginPath();
    to.moveTo(toX + 2, toY);
    to.lineTo(toX - 7, toY - 5);
    to.lineTo(toX - 7, toY + 5);
    to.fill();
  }

  /// What a reader has marked.
  #over() {
    const {context: to, colours} = this;
    this.#clipped(this.gutter, 0, this.width - this.gutter, this.height, () => {
      to.fillStyle = colours.hit;
      for (const event of this.hits) {
        to.fillRect(this.eventX(event) - 1, axisHeight - 8, 2, 8);
      }
      if (this.range !== undefined) {
        const [from, until] = this.range.map((place) => this.x(place));
        to.fillStyle = colours.link;
        to.globalAlpha = 0.15;
        to.fillRect(from, 0, until - from, this.height);
        to.globalAlpha = 1;
        to.fillRect(from, 0, 1, this.height);
        to.fillRect(until, 0, 1, this.height);
      }
      if (this.chosen !== undefined) {
        to.fillStyle = colours.chosen;
        to.fillRect(this.eventX(this.chosen) - 1, 0, 2, this.height);
      }
    });
  }

  /// The event that is drawn at a point; undefined if there is none.
  eventAt(x, y) {
    const {session} = this;
    const {shown} = this.scale;
    const near = 7;
    if (x < this.gutter) {
      return undefined;
    }
    for (const {begin, sides} of this.kinds.has('conflict') ? session.conflicts : []) {
      if (Math.abs(this.eventX(begin) - x) <= near
          && sides.some((lane) => Math.abs((this.#middle(lane) ?? -100) - y) <= near)) {
        return begin;
      }
    }
    for (const {begin, sender} of this.kinds.has('broadcast') ? session.broadcasts : []) {
      if (Math.abs(this.eventX(begin) - x) <= near && Math.abs((this.#middle(sender) ?? -100) - y) <= near) {
        return begin;
      }
    }
    const hit = (list) => list.find((i) => this.isShown(i) && this.x(shown[session.bar.from[i]]) <= x + 1
                                           && this.x(shown[session.bar.to[i]]) >= x - 2);
    if (y < this.lanesTop) {
      const bars = session.tokens[Math.floor((y - axisHeight - 3) / tokenHeight)];
      const found = bars === undefined ? undefined : hit(bars);
      return found === undefined ? undefined : session.bar.from[found];
    }
    const row = Math.floor((y - this.lanesTop + this.top) / laneHeight);
    const lane = this.lanes[row];
    if (lane === undefined) {
      return undefined;
    }
    const isLow = y - this.laneY(row) > laneHeight - 12;
    if (isLow && this.kinds.has('mark')) {
      const mark = session.marksOf[lane].find((i) => Math.abs(this.x(shown[i]) - x) <= near);
      if (mark !== undefined) {
        return mark;
      }
    }
    const found = (isLow ? hit(session.actionsOf[lane]) : undefined) ?? hit(session.requestsOf[lane]);
    return found === undefined ? undefined : session.bar.from[found];
  }
}
