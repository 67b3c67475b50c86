// What buttons, fields and keys do.

/// To the next event or the one before; in somebody's view, of that view.
function step(by) {
  const {chosen, own} = drawing;
  if (own === undefined) {
    open(chosen === undefined ? 0 : chosen + by);
    return;
  }
  const at = chosen === undefined ? -1 : lastAtMost(own.events, chosen);
  open(own.events[by > 0 ? at + 1 : own.events[at] === chosen ? at - 1 : at]);
}

function scrollLanes(by) {
  drawing.top += by;
  drawing.settle();
  drawing.soon();
}

const keys = {
  ArrowLeft: () => drawing.pan(-0.15),
  ArrowRight: () => drawing.pan(0.15),
  ArrowUp: () => scrollLanes(-laneHeight),
  ArrowDown: () => scrollLanes(laneHeight),
  '+': () => drawing.zoom(1 / 1.5),
  '=': () => drawing.zoom(1 / 1.5),
  '-': () => drawing.zoom(1.5),
  '0': () => drawing.whole(),
  Home: () => drawing.whole(),
  n: () => step(1),
  p: () => step(-1),
  '[': () => setEdge(0),
  ']': () => setEdge(1),
  Escape: () => setRange(undefined),
};

function onControls() {
  byId('zoom-in').addEventListener('click', () => drawing.zoom(1 / 1.5));
  byId('zoom-out').addEventListener('click', () => drawing.zoom(1.5));
  byId('whole').addEventListener('click', () => drawing.whole());
  byId('select').addEventListener('click', () => {
    isSelecting = !isSelecting;
    byId('select').setAttribute('aria-pressed', String(isSelecting));
    if (!isSelecting) {
      setRange(undefined);
    }
  });
  byId('previous').addEventListener('click', () => step(-1));
  byId('next').addEventListener('click', () => step(1));
  byId('filter').addEventListener('input', filterLanes);
  byId('own').addEventListener('change', () => {
    drawing.range = undefined;
    seeAs(Number(byId('own').value));
    history.replaceState(null, '', linkTo(drawing.chosen));
  });
  byId('difference').addEventListener('click', () => {
    open(Math.min(drawing.difference, session.number.length - 1));
  });
  byId('other-run').addEventListener('click', () => {
    const {sides: [one, other], at} = comparison.pairOf(sessionIndex);
    const there = one === sessionIndex ? other : one;
    goTo(there, Math.min(at ?? drawing.chosen ?? 0, index.sessions[there].events - 1));
  });
  byId('scale').addEventListener('change', takeScale);
  byId('kinds').addEventListener('change', takeKinds);
  byId('session').addEventListener('change', () => {
    history.replaceState(null, '', `#s=${Number(byId('session').value) + 1}`);
    showSession(Number(byId('session').value));
  });
  byId('search-form').addEventListener('submit', (event) => {
    event.preventDefault();
    search(byId('search').value.trim());
  });
  canvas.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined
        : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act !== undefined && session !== undefined) {
      event.preventDefault();
      act();
    }
  });
  addEventListener('resize', () => drawing.soon());
  addEventListener('hashchange', () => {
    const {s, e, p} = fromAddress();
    if (s !== sessionIndex) {
      showSession(s, e, p);
      return;
    }
    if (p !== (drawing.own?.lane ?? 0)) {
      seeAs(p);
    }
    open(e);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawing.coloursChanged();
    legend();
  });
}
