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

/// To the next entry that is wanted, or the one before.
function stepEntry(by, isWanted) {
  const at = chosenEntry === undefined ? (by > 0 ? -1 : entries.length) : entries.indexOf(chosenEntry);
  for (let i = at + by; i >= 0 && i < entries.length; i += by) {
    if (isWanted(entries[i])) {
      openEntry(entries[i]);
      tipAt(entries[i]);
      return;
    }
  }
}

/// The tip of what the keyboard went to, if the timeline has the focus.
function tipAt(entry) {
  if (document.activeElement === canvas && entry.kind === 'bar') {
    requestAnimationFrame(() => {
      const {left, top} = canvas.getBoundingClientRect();
      const lane = session.bar.lane[entry.bar];
      tip.soon(session, entry.bar, left + Math.max(drawing.gutter, drawing.eventX(session.bar.from[entry.bar])), top + (drawing.middle(lane) ?? 0));
    });
  }
}

const isTurn = (entry) => entry.kind === 'bar' && session.bar.kind[entry.bar] < 2;
const isTrouble = (entry) => isAmong(session, entry, 'trouble');

function scrollLanes(by) {
  drawing.top += by;
  drawing.settle();
  drawing.soon();
}

function chooseRows(which) {
  rowsShown = which;
  showRows();
}

/// Of the timeline, while it has the focus.
const canvasKeys = {
  ArrowLeft: () => drawing.pan(-0.15),
  ArrowRight: () => drawing.pan(0.15),
  ArrowUp: () => scrollLanes(-34),
  ArrowDown: () => scrollLanes(34),
  Home: () => drawing.whole(),
};

/// Of the page.
const keys = {
  '+': () => drawing.zoom(1 / 1.5),
  '=': () => drawing.zoom(1 / 1.5),
  '-': () => drawing.zoom(1.5),
  '0': () => drawing.whole(),
  j: () => stepEntry(1, isTurn),
  k: () => stepEntry(-1, isTurn),
  n: () => stepEntry(1, isTrouble),
  p: () => stepEntry(-1, isTrouble),
  '.': () => step(1),
  ',': () => step(-1),
  '[': () => setEdge(0),
  ']': () => setEdge(1),
  '/': () => byId('search').focus(),
  '?': () => byId('keys').showModal(),
  Escape: () => {
    tip.hide();
    if (drawing.range !== undefined) {
      setRange(undefined);
    } else {
      clearChosen();
    }
  },
  ...Object.fromEntries(['all', 'said', 'changes', 'trouble', 'story', 'state'].map((which, at) => [String(at + 1), () => chooseRows(which)])),
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
  byId('help').addEventListener('click', () => byId('keys').showModal());
  byId('grouping').addEventListener('change', takeGrouping);
  for (const each of byId('filter-rows').children) {
    each.addEventListener('click', () => chooseRows(each.value));
  }
  byId('previous').addEventListener('click', () => step(-1));
  byId('next').addEventListener('click', () => step(1));
  byId('filter').addEventListener('input', filterLanes);
  byId('own').addEventListener('change', () => {
    drawing.range = undefined;
    seeAs(Number(byId('own').value));
    history.replaceState(null, '', linkTo(drawing.chosen));
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
  addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input:not([type="checkbox"]), select, textarea, dialog') !== null;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = event.ctrlKey || event.metaKey || event.altKey || isTyping ? undefined
        : event.target === canvas && Object.hasOwn(canvasKeys, key) ? canvasKeys[key]
            : Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (byId('one').hidden) {
      if (key === '/' && !isTyping) {
        event.preventDefault();
        byId('find-sessions').focus();
      }
    } else if (act !== undefined && session !== undefined) {
      event.preventDefault();
      act();
    }
  });
  byId('minimap').addEventListener('dblclick', () => drawing.whole());
  addEventListener('beforeprint', () => {
    if (session !== undefined) {
      transcript.fillAll();
    }
  });
  addEventListener('resize', () => drawing.soon());
  addEventListener('hashchange', () => {
    const {s, e, p} = fromAddress();
    if (showsList()) {
      list.focus();
      return;
    }
    if (s !== sessionIndex || session === undefined) {
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
  });
}
