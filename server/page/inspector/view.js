// The page: which session and whose view of it is shown.

const canvas = byId('canvas');
const drawing = new Drawing(canvas);
let index;
let panel;
let comparison;
let session; // as loadSession makes it
let sessionIndex = 0;
let shows = 0;

const say = (words) => {
  byId('status').textContent = words;
};

/// The address of an event, in the view that is shown.
function linkTo(event) {
  const own = drawing.own === undefined ? '' : `&p=${drawing.own.lane}`;
  return `#s=${sessionIndex + 1}${event === undefined ? '' : `&e=${event + 1}`}${own}`;
}

/// Session and event of the address, counted from 0, and whose view it is.
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  return {s: Number(asked.get('s') ?? 1) - 1, e: asked.has('e') ? Number(asked.get('e')) - 1 : undefined,
          p: Number(asked.get('p') ?? 0)};
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

/// Lanes of whose view it is, or all, whose participant has the text in its id
/// or role; the session's always.
function filterLanes() {
  const wanted = byId('filter').value.trim().toLowerCase();
  const lanes = drawing.own?.lanes ?? session.lanes.keys();
  drawing.shownLanes = [...lanes].filter((lane) => {
    const {id, role} = session.lanes[lane];
    return lane === 0 || wanted === '' || `${id} ${role}`.toLowerCase().includes(wanted);
  });
  drawing.soon();
}

/// Shows what a participant has to do with, by its lane; 0: all there is.
function seeAs(lane) {
  drawing.own = session.lanes[lane] === undefined || lane === 0 ? undefined : ownView(session, lane);
  byId('own').value = String(drawing.own?.lane ?? 0);
  filterLanes();
  if (drawing.own === undefined) {
    panel.hideList();
  } else {
    const {events} = drawing.own;
    panel.showList(session, ownWords(session, drawing.own), [...events.subarray(0, rowsMax)], events.length);
  }
}

function ownChoices() {
  byId('own').replaceChildren(...session.lanes.map(({id, role}, lane) => {
    const option = element('option', lane === 0 ? 'everybody' : role === '' ? id : `${id}, ${role}`);
    option.value = String(lane);
    return option;
  }));
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
  say(scale.cuts === 0 ? '' : `${counted(scale.cuts, 'idle part')} of over `
      + `${timeWords(scale.most)} ${scale.cuts === 1 ? 'is' : 'are'} shown as that long.`);
}

function sessionFacts(of) {
  const ended = of.status === '' ? 'has no end on the log' : `${of.status}: ${of.reason}`;
  return `${of.mode}, ${counted(of.participants, 'participant')}, ${counted(of.events, 'event')}, `
      + `from ${new Date(of.start).toISOString()}, ${timeWords(of.end - of.start)}, ${ended}`;
}

async function showSession(at, event, lane = 0) {
  const mine = ++shows;
  sessionIndex = index.sessions[at] === undefined ? 0 : at;
  byId('session').value = String(sessionIndex);
  const of = index.sessions[sessionIndex];
  if (of === undefined) {
    return;
  }
  byId('title').textContent = of.title || of.id;
  byId('facts').textContent = `${index.logs[of.log]}: ${sessionFacts(of)}`;
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
  showDifference();
  ownChoices();
  seeAs(lane);
  takeKinds();
  // Where all happened at once, only the order tells anything.
  byId('scale').value = of.end === of.start ? 'order' : 'busy';
  takeScale();
  canvas.setAttribute('aria-label', `Timeline of ${of.title || of.id}: ${sessionFacts(of)}`);
  if (event !== undefined) {
    await open(event);
  }
}

/// Where the other run differs, if there is one.
function showDifference() {
  const mine = shows;
  const pair = comparison.pairOf(sessionIndex);
  drawing.difference = pair?.at ?? undefined;
  byId('difference').hidden = drawing.difference === undefined;
  byId('other-run').hidden = pair === undefined;
  comparison.show(sessionIndex, () => mine === shows);
}

function goTo(s, e) {
  location.hash = `#s=${s + 1}&e=${e + 1}`;
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
  const texts = new EventTexts(index.blocks);
  panel = new Panel(texts, open);
  comparison = new Comparison(index, texts, goTo);
  byId('notes').replaceChildren(...index.notes.map((each) => element('li', each)));
  byId('session').replaceChildren(...index.sessions.map(({title, id, status}, at) => {
    const log = index.logs.length < 2 ? '' : `${index.logs[index.sessions[at].log]}: `;
    const option = element('option', `${at + 1}. ${log}${title || id} (${status || 'no end'})`);
    option.value = String(at);
    return option;
  }));
  byId('session-field').hidden = index.sessions.length < 2;
  if (index.sessions.length === 0) {
    byId('title').textContent = index.logs.join(', ');
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
  const {s, e, p} = fromAddress();
  await showSession(s, e, p);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((error) => {
  say(`The page cannot be shown: ${error.message}`);
  throw error;
});
