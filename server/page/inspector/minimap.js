// All of the session in one strip: who had a turn when, what failed, and the
// part that is in view, which can be dragged.

const minimapHeight = 30;

class Minimap {
  #canvas;
  #view;

  constructor(canvas, view) {
    this.#canvas = canvas;
    this.#view = view;
    let grabbed; // {kind: 'left', 'right' or 'window', by}
    const placeAt = (x) => this.#placeAt(x);
    canvas.addEventListener('pointerdown', ({offsetX, pointerId}) => {
      if (view.session === undefined) {
        return;
      }
      canvas.setPointerCapture(pointerId);
      const [from, until] = this.#window();
      const place = placeAt(offsetX);
      if (Math.abs(offsetX - from) < 7) {
        grabbed = {kind: 'left'};
      } else if (Math.abs(offsetX - until) < 7) {
        grabbed = {kind: 'right'};
      } else {
        const isInside = offsetX > from && offsetX < until;
        grabbed = {kind: 'window', by: isInside ? place - view.left : view.span / 2};
        this.#move(grabbed, place);
      }
    });
    canvas.addEventListener('pointermove', ({offsetX}) => {
      if (grabbed !== undefined) {
        this.#move(grabbed, placeAt(offsetX));
      }
    });
    for (const end of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(end, () => {
        grabbed = undefined;
      });
    }
  }

  #move({kind, by}, place) {
    const view = this.#view;
    const right = view.left + view.span;
    const least = view.scale.length / 1000;
    if (kind === 'window') {
      view.left = place - by;
    } else if (kind === 'right') {
      view.span = Math.max(least, place - view.left);
    } else {
      view.left = Math.min(place, right - least);
      view.span = right - view.left;
    }
    view.settle();
    view.soon();
  }

  #placeAt(x) {
    const {gutter, width, scale} = this.#view;
    return (x - gutter) / Math.max(1, width - gutter) * scale.length * 1.02 - scale.length * 0.01;
  }

  #x(place) {
    const {gutter, width, scale} = this.#view;
    return gutter + (place + scale.length * 0.01) / (scale.length * 1.02) * (width - gutter);
  }

  #window() {
    const {left, span, gutter, width} = this.#view;
    return [Math.max(gutter + 1, this.#x(left)), Math.min(width - 1, this.#x(left + span))];
  }

  /// Painted once for each session, scale and width; the window over it each time.
  draw() {
    const view = this.#view;
    const {session: {bar, lanes}, colours, ratio, width} = view;
    const to = this.#canvas.getContext('2d');
    const [wide, high] = [Math.round(width * ratio), Math.round(minimapHeight * ratio)];
    if (this.painted?.scale !== view.scale || this.painted.changes !== view.changes || this.painted.wide !== wide || this.painted.colours !== colours) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
      to.setTransform(ratio, 0, 0, ratio, 0, 0);
      to.fillStyle = colours.sunken;
      to.fillRect(view.gutter, 0, width - view.gutter, minimapHeight);
      for (const failed of [false, true]) {
        const ends = new Map();
        for (let i = 0; i < bar.from.length; ++i) {
          if (bar.kind[i] === 4 || isFailure(bar.status[i]) !== failed) {
            continue;
          }
          const row = bar.lane[i] % 8;
          const isTick = failed && lanes.length > 9; // lanes share rows
          const end = this.#x(view.scale.shown[bar.to[i]]);
          if (Math.floor(end) <= (ends.get(row) ?? -1)) {
            continue;
          }
          ends.set(row, Math.floor(end));
          const begin = this.#x(view.scale.shown[bar.from[i]]);
          const lane = lanes[bar.lane[i]];
          to.fillStyle = failed ? colours[bar.status[i] === 3 ? 'wait' : 'fail'] : lane.isHuman ? colours.wait : colours[`p${lane.hue}`];
          if (isTick) {
            to.fillRect(end - 2, 1, 2.5, 8);
          } else {
            to.globalAlpha = lanes.length > 9 ? 0.5 : 1;
            to.fillRect(begin, 4 + row * 2.75 - (failed ? 1 : 0), Math.max(failed ? 2 : 1, end - begin - 0.5), failed ? 4 : 2);
            to.globalAlpha = 1;
          }
        }
      }
      this.painted = {scale: view.scale, changes: view.changes, wide, colours, image: to.getImageData(0, 0, wide, high)};
    } else {
      to.putImageData(this.painted.image, 0, 0);
    }
    const [from, until] = this.#window();
    to.strokeStyle = colours.accent;
    to.lineWidth = 1.5;
    to.strokeRect(from, 1, Math.max(2, until - from), minimapHeight - 2);
    to.globalAlpha = 0.06;
    to.fillStyle = colours.accent;
    to.fillRect(from, 1, Math.max(2, until - from), minimapHeight - 2);
    to.globalAlpha = 1;
    for (const x of [from, until]) {
      to.fillRect(x - 2, minimapHeight / 2 - 6, 4, 12);
    }
  }
}
