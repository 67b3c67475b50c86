// The page: which session and whose view of it is shown, and what is chosen there.

const canvas = byId('canvas');
const drawing = new Drawing(canvas);
const minimap = new Minimap(byId('minimap'), drawing);
const tip = new Tip(byId('tip'));
const transcript = new Transcript(byId('transcript'), (entry) => openEntry(entry));
let index;
let texts;
let panel;
let comparison; // of two runs, where there are two
let load; // makes the session of an index
const moments = new Moments();
let list; // of all sessions, in a file that has several of one run
// A page has one of these: compare.js or file_list.js.
let makeComparison = () => undefined;
let makeList = () => undefined;
let session;
let entries = [];
let places;
let rowsShown = 'all';
let isWanted = () => true; // whether an entry is among these rows
let onRows = () => {};
let chosenEntry; // of the transcript
let unfolded = new Set(); // groups of trouble with all of their rows
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

/// Shows the list of sessions if there is one and the address asks for no session.
/// Returns whether that is so.
function showsList() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const isWanted = list !== undefined && !asked.has('s');
  byId('one').hidden = isWanted;
  byId('sessions').hidden = !isWanted;
  for (const id of ['search-form', 'help']) {
    byId(id).hidden = isWanted;
  }
  byId('to-list').hidden = isWanted || list === undefined;
  byId('session-field').hidden = isWanted || byId('session').options.length < 2;
  if (isWanted) {
    list.open(asked);
  }
  return isWanted;
}

/// Selects an event everywhere: on the timeline, in the transcript, in the address.
function open(event, entry = undefined) {
  if (session === undefined || !(Number.isInteger(event) && event >= 0 && event < session.number.length)) {
    return Promise.resolve();
  }
  tip.hide();
  const of = entry ?? places?.of(event);
  const bar = of?.kind === 'bar' ? of.bar : undefined;
  drawing.chosen = event;
  drawing.chosenBar = bar;
  drawing.reveal(event, bar === undefined ? undefined : session.bar.lane[bar]);
  history.replaceState(null, '', linkTo(event));
  chosenEntry = of;
  if (rowsShown === 'state') {
    moments.go(event);
  } else if (of !== undefined && rowsShown !== 'story' && !transcript.has(of)) {
    rowsShown = 'all';
    showRows();
  }
  return Promise.all([panel.showEvent(session, event, linkTo(event), of), of === undefined ? undefined : transcript.select(of)]);
}

function openEntry(entry) {
  return open(entry.kind === 'bar' ? session.bar.from[entry.bar] : entry.at, entry);
}

function clearChosen() {
  drawing.chosen = undefined;
  drawing.chosenBar = undefined;
  chosenEntry = undefined;
  transcript.select(undefined);
  panel.hideEvent();
  history.replaceState(null, '', linkTo(undefined));
  drawing.soon();
}

/// Lanes of whose view it is, or all, whose participant has the text in its id
/// or role.
function filterLanes() {
  const wanted = byId('filter').value.trim().toLowerCase();
  const lanes = drawing.own?.lanes ?? session.lanes.keys();
  drawing.lanes = [...lanes].filter((lane) => {
    const {id, role} = session.lanes[lane];
    return lane !== 0 && (wanted === '' || `${id} ${role}`.toLowerCase().includes(wanted));
  });
  drawing.soon();
}

/// Shows what a participant has to do with, by its lane; 0: all there is.
function seeAs(lane) {
  drawing.own = session.lanes[lane] === undefined || lane === 0 ? undefined : ownView(session, lane);
  byId('own').value = String(drawing.own?.lane ?? 0);
  filterLanes();
  showRows();
  if (drawing.own === undefined) {
    panel.hideList();
  } else {
    const {events} = drawing.own;
    panel.showList(session, ownWords(session, drawing.own), [...events.subarray(0, rowsMax)], events.length);
  }
}

/// The transcript's rows, as they are asked for.
function showRows() {
  const isState = rowsShown === 'state';
  const isStory = rowsShown === 'story' || isState;
  byId('sentences').hidden = rowsShown !== 'story';
  byId('state').hidden = !isState;
  byId('transcript').hidden = isStory;
  for (const each of byId('filter-rows').children) {
    each.setAttribute('aria-pressed', String(each.value === rowsShown));
  }
  const own = drawing.own === undefined ? undefined : new Set(drawing.own.events);
  isWanted = (entry) => isAmong(session, entry, rowsShown) && (own === undefined || own.has(entry.at));
  const those = isStory ? [] : entries.filter(isWanted);
  byId('transcript-count').textContent = isStory ? '' : counted(those.length, 'row');
  if (isState) {
    byId('state').replaceChildren(moments.node);
    moments.show(session);
  } else if (isStory) {
    byId('sentences').replaceChildren(...sentencesOf(session, open));
  } else {
    onRows(those);
    transcript.show(session, rowsShown === 'trouble' ? troubleEntries(session, those, unfolded, showRows) : those);
    if (chosenEntry !== undefined) {
      transcript.select(chosenEntry);
    }
  }
}

function ownChoices() {
  byId('own').replaceChildren(...session.lanes.map(({id, role}, lane) => {
    const option = make('option', {value: String(lane)}, lane === 0 ? 'everybody' : role === '' ? id : `${id}, ${role}`);
    return option;
  }));
}

function takeKinds() {
  drawing.kinds = new Set(Array.from(byId('kinds').querySelectorAll('input[value]:checked'), (each) => each.value));
  drawing.failedOnly = byId('failed').checked;
  drawing.soon();
}

function takeScale() {
  const scale = new Scale(byId('scale').value, session);
  drawing.range = undefined;
  drawing.show(session, scale);
  const {breaks} = scale;
  const left = breaks.reduce((all, each) => all + each.left, 0);
  say(scale.kind !== 'busy' ? '' : breaks.length === 0 ? 'Nothing to skip: there is always a request open, or no long pause.'
      : `${counted(breaks.length, 'gap')} compressed, ${lasting(left)} left out.`);
}

function takeGrouping() {
  drawing.grouping = byId('grouping').value;
  drawing.folded = new Set(laneGroups(session, drawing.lanes, drawing.grouping).filter(({isQuiet, lanes}) => isQuiet && lanes.length > 3)
      .map(({key}) => key));
  drawing.top = 0;
  drawing.soon();
}

/// Groups the lanes if there are many.
function chooseGrouping() {
  byId('grouping-field').hidden = session.lanes.length <= groupedMin;
  byId('grouping').value = session.trouble.some((each) => each > 0) ? 'trouble' : session.lanes.length > denseMin ? 'role' : 'all';
  takeGrouping();
}

async function showSession(at, event, lane = 0) {
  const mine = ++shows;
  sessionIndex = index.sessions[at] === undefined ? 0 : at;
  byId('session').value = String(sessionIndex);
  const of = index.sessions[sessionIndex];
  if (of === undefined) {
    return;
  }
  byId('title').textContent = plain(of.title || of.id);
  ++searches;
  drawing.hits = [];
  drawing.chosen = undefined;
  drawing.chosenBar = undefined;
  chosenEntry = undefined;
  unfolded = new Set();
  panel.hideEvent();
  panel.hideList();
  const loaded = await load(sessionIndex);
  if (mine !== shows) {
    return;
  }
  session = loaded;
  entries = [];
  places = undefined;
  drawing.session = session;
  drawing.labels = new Labels(session);
  showStory();
  showDifference();
  ownChoices();
  drawing.own = undefined;
  filterLanes();
  chooseGrouping();
  takeKinds();
  // Where all happened at once, only the order tells anything.
  byId('scale').value = of.end === of.start && (session.live === undefined || session.story.has_end) ? 'order' : 'time';
  takeScale();
  canvas.setAttribute('aria-label', `Timeline of ${of.title || of.id}`);
  document.documentElement.dataset.shown ??= String(Math.round(performance.now()));
  // The browser paints the timeline first.
  await new Promise((done) => {
    setTimeout(done, 0);
  });
  if (mine !== shows) {
    return;
  }
  entries = loaded.live?.entries ?? entriesOf(session);
  places = loaded.live?.places ?? new EntryPlaces(session, entries);
  seeAs(lane);
  await loaded.complete();
  if (mine !== shows) {
    return;
  }
  drawing.labels = new Labels(session);
  showOutcome(session, of, index.logs[of.log]);
  showRows();
  drawing.soon();
  if (event !== undefined) {
    await open(event);
  }
}

/// Shows the outcome, the tiles and the findings.
function showStory() {
  const of = index.sessions[sessionIndex];
  showOutcome(session, of, index.logs[of.log]);
  showCards(session, (at) => {
    open(at);
    // Where panes are below one another, the row is what was asked for.
    if (byId('transcript-pane').getBoundingClientRect().top > innerHeight * 0.6) {
      byId('transcript-pane').scrollIntoView();
    }
  });
  byId('nothing').replaceChildren(...participantsTable(session));
}

/// Where the other run differs, if there is one.
function showDifference() {
  const mine = shows;
  comparison?.show(sessionIndex, () => mine === shows);
}

function goTo(s, e) {
  location.hash = `#s=${s + 1}&e=${e + 1}`;
}

/// What shapes and colors mean.
function legend() {
  const parts = [['swatch failed', 'failed'], ['swatch late', 'timed out'], ['swatch quiet', 'cancelled'], ['swatch person', 'waiting for a person'],
                 ['swatch write', 'write'], ['swatch diamond', 'decision, vote'], ['swatch call', 'model or tool call']];
  byId('legend').replaceChildren(...parts.map(([shape, words]) => make('li', {}, make('span', {class: shape}), words)),
                                 make('li', {}, icon('conflict', 'wait'), 'conflict (dot = winner)'));
}

/// What a page does once it has a session to show.
function begin() {
  legend();
  openEvent = open;
  drawing.onDraw = () => {
    minimap.draw();
    drawing.labels.read(drawing);
  };
  onControls();
  onPointer();
}
