// The timelines of two runs, one above the other: in both the first difference is
// at the same place, and they are moved together.

/// A timeline whose place and scale are those of the other run, too. `shared` has
/// the left edge and the span, relative to the difference.
class SideTimeline extends Drawing {
  #shared;

  constructor(canvas, {session, name}, at, {shared, kind}) {
    super(canvas);
    this.#shared = shared;
    this.difference = at;
    this.kinds = drawing.kinds;
    this.lanes = [...session.lanes.keys()].slice(1);
    this.grouping = session.lanes.length <= groupedMin ? 'all' : 'role';
    this.labels = new Labels(session);
    this.onDraw = () => this.labels.read(this);
    this.session = session;
    this.scale = new Scale(kind, session);
    canvas.setAttribute('aria-label', `Timeline of ${plain(name)}, with the first difference`);
  }

  get differenceAt() {
    return this.scale.shown[Math.min(this.difference, this.session.number.length - 1)];
  }

  settle() {
    this.left = this.differenceAt + this.#shared.from;
    this.span = this.#shared.span;
    const overflow = Math.max(0, this.lanesTop + this.lanesHeight + this.guardHeight + 4 - this.height);
    this.top = Math.min(Math.max(this.top, 0), overflow);
  }
}

class AlignedTimelines {
  node = make('section', {id: 'aligned', 'aria-label': 'Both timelines', hidden: true});
  #all = [];
  #shared = {from: 0, span: 1};
  #whole;

  constructor() {
    addEventListener('resize', () => this.#draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#all.forEach((each) => each.coloursChanged()));
  }

  hide() {
    this.#all = [];
    this.node.hidden = true;
    this.node.replaceChildren();
  }

  /// `sides` are {session, name, go(event)}.
  show(sides, at) {
    const button = (words, act, label) => make('button', {type: 'button', 'aria-label': label, onclick: act}, words);
    const canvases = sides.map(() => make('canvas', {tabindex: '0', role: 'application', 'aria-describedby': 'keys-hint'}));
    this.node.replaceChildren(
        make('div', {class: 'buttons'}, make('span', {class: 'dim grow'}, 'The dashed line is the first difference.'),
             button('−', () => this.#zoom(1.5), 'Zoom both out'), button('Fit', () => this.#fit()),
             button('+', () => this.#zoom(1 / 1.5), 'Zoom both in')),
        ...sides.flatMap(({name}, i) => [make('h3', {}, name), canvases[i]]));
    this.node.hidden = false;
    // Where all happened at once, only the order tells anything.
    const kind = sides.every(({session: {time}}) => time.at(-1) > 0) ? 'time' : 'order';
    this.#all = sides.map((side, i) => new SideTimeline(canvases[i], side, at, {shared: this.#shared, kind}));
    const before = Math.max(...this.#all.map((each) => each.differenceAt));
    const after = Math.max(...this.#all.map((each) => each.scale.length - each.differenceAt));
    const margin = (before + after) * 0.01 || 1;
    this.#whole = {from: -before - margin, span: before + after + 2 * margin};
    this.#all.forEach((each, i) => this.#listen(each, sides[i].go));
    this.#fit();
  }

  #draw() {
    this.#all.forEach((each) => each.soon());
  }

  #fit() {
    Object.assign(this.#shared, this.#whole);
    this.#draw();
  }

  #move(share) {
    this.#shared.from += this.#shared.span * share;
    this.#draw();
  }

  /// The difference stays where it is, or the place that has this share of the width.
  #zoom(factor, share = -this.#shared.from / this.#shared.span) {
    const {span} = this.#shared;
    this.#shared.span = Math.min(Math.max(span * factor, this.#whole.span / 1e5), this.#whole.span * 2);
    this.#shared.from += (span - this.#shared.span) * share;
    this.#draw();
  }

  #listen(of, go) {
    const {canvas} = of;
    const width = () => of.width - of.gutter;
    let held;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      held = {x: event.offsetX, y: event.offsetY, moved: 0};
    });
    canvas.addEventListener('pointermove', (event) => {
      if (held !== undefined) {
        const by = event.offsetX - held.x;
        of.top -= event.offsetY - held.y;
        held = {x: event.offsetX, y: event.offsetY, moved: held.moved + Math.abs(by)};
        this.#move(-by / width());
      }
    });
    canvas.addEventListener('pointerup', (event) => {
      const found = held?.moved < 6 ? eventAt(of, event.offsetX, event.offsetY) : undefined;
      held = undefined;
      if (found !== undefined) {
        go(found.event);
      }
    });
    canvas.addEventListener('wheel', (event) => {
      if (event.ctrlKey) {
        event.preventDefault();
        this.#zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, (event.offsetX - of.gutter) / width());
      }
    }, {passive: false});
    const keys = {ArrowLeft: () => this.#move(-0.1), ArrowRight: () => this.#move(0.1), '+': () => this.#zoom(1 / 1.5),
                  '-': () => this.#zoom(1.5), '0': () => this.#fit(), Enter: () => go(Math.min(of.difference, of.session.number.length - 1))};
    canvas.addEventListener('keydown', (event) => {
      if (Object.hasOwn(keys, event.key) && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        event.stopPropagation();
        keys[event.key]();
      }
    });
  }
}
