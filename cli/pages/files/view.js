// The page: what a reader does, and what it leads to.

const hitsMax = 1000;
const canvas = byId('canvas');
const drawing = new Drawing(canvas);
let index;
let panel;
let session; // as loadSession makes it
let sessionIndex = 0;
let isSelecting = false;
let searches = 0;
let shows = 0;

const say = (words) => {
  byId('status').textContent = words;
};

const linkTo = (event) => `#s=${sessionIndex + 1}&e=${event + 1}`;

/// Session and event of the address, counted from 0.
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  return {s: Number(asked.get('s') ?? 1) - 1, e: asked.has('e') ? Number(asked.get('e')) - 1 : undefined};
}

function open(event) {
  if (session === undefined || !(Number.isInteger(event) && event >= 0 && event < session.number.length)) {
    return Promise.resolve();
  }
  drawing.chosen = event;
  drawing.reveal(event);
  history.replaceState(null, '', linkTo(event));
  return panel.showEvent(session, event, linkTo(event));
}

/// Lanes whose participant has the text in its id or role; the session's always.
function filterLanes() {
  const wanted = byId('filter').value.trim().toLowerCase();
  drawing.shownLanes = session.lanes.flatMap(({id, role}, lane) => (
    lane === 0 || wanted === '' || `${id} ${role}`.toLowerCase().includes(wanted) ? [lane] : []));
  drawing.soon();
}

function takeKinds() {
  drawing.kinds = new Set(Array.from(byId('kinds').querySelectorAll('input[value]:checked'), (each) => each.value));
  drawing.failedOnly = byId('failed').checked;
  drawing.soon();
}

function takeScale() {
  const scale = new Scale(byId('scale').value, session.time);
  drawing.range = undefined;
  drawing.show(session, scale);
  say(scale.cuts === 0 ? '' : `${scale.cuts.toLocaleString('en')} idle parts of over `
      + `${timeWords(scale.most)} are shown as that long.`);
}

function sessionFacts(of) {
  const ended = of.status === '' ? 'has no end on the log' : `${of.status}: ${of.reason}`;
  return `${of.mode}, ${of.participants.toLocaleString('en')} participants, ${of.events.toLocaleString('en')} events, `
      + `from ${new Date(of.start).toISOString()}, ${timeWords(of.end - of.start)}, ${ended}`;
}

async function showSession(at, event) {
  const mine = ++shows;
  sessionIndex = index.sessions[at] === undefined ? 0 : at;
  byId('session').value = String(sessionIndex);
  const of = index.sessions[sessionIndex];
  if (of === undefined) {
    return;
  }
  byId('title').textContent = of.title || of.id;
  byId('facts').textContent = `${index.log}: ${sessionFacts(of)}`;
  ++searches;
  drawing.hits = [];
  drawing.chosen = undefined;
  byId('event').hidden = true;
  panel.hideList();
  const loaded = await loadSession(sessionIndex);
  if (mine !== shows) {
    return;
  }
  session = loaded;
  drawing.session = session;
  filterLanes();
  takeKinds();
  // Where all happened at once, only the order tells anything.
  byId('scale').value = of.end === of.start ? 'order' : 'busy';
  takeScale();
  canvas.setAttribute('aria-label', `Timeline of ${of.title || of.id}: ${sessionFacts(of)}`);
  if (event !== undefined) {
    await open(event);
  }
}

/// Events of the session in a part of the scale.
function listRange() {
  if (drawing.range === undefined) {
    panel.hideList();
    return;
  }
  const [from, until] = drawing.range;
  const {shown} = drawing.scale;
  const first = lastAtMost(shown, from - 1e-9) + 1;
  const last = lastAtMost(shown, until);
  const count = Math.max(0, last - first + 1);
  const turns = session.bar.kind.filter((kind, i) => kind === 0 && session.bar.from[i] >= first
                                                     && session.bar.from[i] <= last).length;
  const events = Array.from({length: Math.min(count, rowsMax)}, (_, i) => first + i);
  panel.showList(session, `${count.toLocaleString('en')} events in ${timeWords(
      (session.time[last] ?? 0) - (session.time[first] ?? 0))}, ${turns.toLocaleString('en')} turns begun`,
                 events, count);
}

function setRange(from, until) {
  drawing.range = from === undefined ? undefined : [Math.min(from, until), Math.max(from, until)];
  drawing.soon();
  listRange();
}

/// Looks through the text of all events of the session, block by block.
async function search(words) {
  const mine = ++searches;
  drawing.hits = [];
  drawing.soon();
  panel.hideList();
  if (words === '') {
    say('');
    return;
  }
  // As JSON has it.
  const wanted = JSON.stringify(words).slice(1, -1).toLowerCase();
  const {number} = session;
  const found = [];
  for (let block = 0; block < panel.texts.blocks && found.length < hitsMax; ++block) {
    const lines = await panel.texts.lines(block);
    if (mine !== searches) {
      return;
    }
    const first = panel.texts.first(block);
    for (let i = 0; i < lines.length && found.length < hitsMax; ++i) {
      if (lines[i].toLowerCase().includes(wanted)) {
        const event = lastAtMost(number, first + i);
        if (event >= 0 && number[event] === first + i) {
          found.push(event);
        }
      }
    }
    if (block % 16 === 15) {
      say(`Searching: ${Math.round(100 * block / panel.texts.blocks)} %`);
    }
  }
  drawing.hits = found;
  drawing.soon();
  const many = found.length === hitsMax ? `The first ${hitsMax.toLocaleString('en')}` : found.length.toLocaleString('en');
  say(found.length === 0 ? 'No event has this text.' : `${many} events have this text.`);
  if (found.length !== 0) {
    panel.showList(session, `Events with “${words}”`, found, found.length);
  }
}

function step(by) {
  open(drawing.chosen === undefined ? 0 : drawing.chosen + by);
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

function scrollLanes(by) {
  drawing.top += by;
  drawing.settle();
  drawing.soon();
}

/// One end of the range, at the event that is open.
function setEdge(which) {
  const at = drawing.scale.shown[drawing.chosen ?? 0];
  const other = drawing.range?.[1 - which] ?? (which === 0 ? drawing.scale.length : 0);
  setRange(at, other);
}

function onPointer() {
  const held = new Map(); // pointers, by id
  let moved = 0;
  let begun = 0;
  const at = (event) => ({x: event.offsetX, y: event.offsetY});
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, at(event));
    moved = 0;
    begun = drawing.placeAt(event.offsetX);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    if (before === undefined) {
      canvas.style.cursor = drawing.session !== undefined && drawing.eventAt(event.offsetX, event.offsetY) !== undefined
          ? 'pointer' : 'grab';
      return;
    }
    const now = at(event);
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const inner = drawing.width - drawing.gutter;
    if (held.size === 2) {
      const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const spread = (place) => Math.max(10, Math.abs(place.x - other.x));
      drawing.zoom(spread(before) / spread(now), (now.x + other.x) / 2);
    } else if (isSelecting || event.shiftKey) {
      drawing.range = [begun, drawing.placeAt(now.x)].sort((one, two) => one - two);
      drawing.soon();
    } else {
      drawing.left -= (now.x - before.x) / inner * drawing.span;
      scrollLanes(before.y - now.y);
    }
    held.set(event.pointerId, now);
  });
  const end = (event) => {
    const wasHeld = held.delete(event.pointerId);
    if (!wasHeld || event.type !== 'pointerup') {
      return;
    }
    if (moved < 6) {
      const found = drawing.eventAt(event.offsetX, event.offsetY);
      if (found !== undefined) {
        open(found);
      }
    } else if (isSelecting || event.shiftKey) {
      listRange();
    }
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      drawing.zoom(1.0015 ** event.deltaY, event.offsetX);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      drawing.pan((event.deltaX || event.deltaY) / drawing.width);
    } else if (drawing.lanesTop + drawing.lanesHeight + 6 > drawing.height) {
      const before = drawing.top;
      scrollLanes(event.deltaY);
      if (drawing.top !== before) {
        event.preventDefault();
      }
    }
  }, {passive: false});
}

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
    const {s, e} = fromAddress();
    if (s === sessionIndex) {
      open(e);
    } else {
      showSession(s, e);
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawing.coloursChanged();
    legend();
  });
}

/// What the colours mean.
function legend() {
  const words = {open: 'open', completed: 'completed', failed: 'failed', late: 'timed out',
                 declined: 'declined, cancelled', handed: 'handed off, handoffs, claims', text: 'writes',
                 link: 'broadcasts'};
  byId('legend').replaceChildren(...Object.entries(words).map(([colour, each]) => {
    const item = document.createElement('li');
    const box = document.createElement('span');
    box.style.background = drawing.colours[colour];
    item.append(box, each);
    return item;
  }), element('li', '○─● conflicts, filled: who won'), element('li', '▨ a person is waited for'));
}

async function start() {
  index = JSON.parse(await inflate('index'));
  panel = new Panel(new EventTexts(index.blocks), open);
  byId('notes').replaceChildren(...index.notes.map((each) => element('li', each)));
  byId('session').replaceChildren(...index.sessions.map(({title, id, status}, at) => {
    const option = element('option', `${at + 1}. ${title || id} (${status || 'no end'})`);
    option.value = String(at);
    return option;
  }));
  byId('session-field').hidden = index.sessions.length < 2;
  if (index.sessions.length === 0) {
    byId('title').textContent = index.log;
    for (const each of document.querySelectorAll('button, input, select')) {
      each.disabled = true;
    }
    say('The log has no events that can be shown.');
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
    return;
  }
  legend();
  onControls();
  onPointer();
  const {s, e} = fromAddress();
  await showSession(s, e);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((error) => {
  say(`The page cannot be shown: ${error.message}`);
  throw error;
});
