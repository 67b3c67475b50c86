// Two runs at their first difference: the events that differ side by side, and
// what follows on each side.

const linesMax = 400;
const followingMax = 10;

/// A line but for what differs between any two runs, as event_likeness.hpp has it.
const likeness = (line) => (/^\s*"[^"]*_ms":/.test(line) ? '' : line
    .replace(/"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/gi, '#')
    .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"/g, '@'));

/// Which lines of each are in no longest common subsequence of both.
function differingLines(one, other) {
  const pairs = alignedLines(one.map(likeness), other.map(likeness));
  return [0, 1].map((side) => new Set(pairs.filter((pair) => pair[1 - side] === undefined).map((pair) => pair[side])));
}

function markedLines(lines, differs) {
  return lines.flatMap((line, i) => [differs.has(i) ? element('mark', line) : line, '\n']);
}

/// What an event says, in a few words.
function happened({event_type: type = '', payload = {}}) {
  const word = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const who = word(payload.participant_id ?? payload.receiver_participant ?? 'the session');
  const turn = payload.turn_number === undefined ? '' : ` turn ${word(payload.turn_number)}`;
  const quoted = (text) => (typeof text !== 'string' || text === '' ? '' : `: “${firstWords(text, 80)}”`);
  const isDone = payload.status === 'completed' || payload.status === 'handed_off';
  const answer = () => (isDone ? `${who} answers${turn}${quoted(payload.reply?.content)}`
    : `${who}'s answer${turn && ` of${turn}`} is ${word(payload.status).replaceAll('_', ' ')}${quoted(payload.error?.message)}`);
  const words = {
    MAPTurnDispatched: () => `${who} gets${turn}${quoted(payload.task)}`,
    MAPTurnCompleted: answer,
    MAPBroadcastSent: () => 'all are asked',
    MAPBroadcastReceived: answer,
    MAPConflictDetected: () => `there is a conflict about ${resourceOf(payload)}`,
    MAPConflictResolved: () => `a conflict is settled${payload.winning_participant ? ` for ${word(payload.winning_participant)}` : ''}`,
    MAPSessionCompleted: () => `the session ends: ${reasonSentence(payload.stop_reason ?? {}, [])}`,
    resource_written: () => `${who} writes ${resourceOf(payload)}`,
    write_refused: () => `a write of ${who} is refused`,
    session_input: () => `${who}: ${word(payload.input).replaceAll('_', ' ')}`,
  };
  return Object.hasOwn(words, type) ? words[type]() : `${type.replaceAll('_', ' ')}${payload.participant_id ? ` by ${who}` : ''}`;
}

/// The first member in which two values differ: its path, and both values, undefined where it is not there; undefined if none does. Ids and
/// times do not count.
function firstDifference(one, other, path = []) {
  const isTree = (value) => typeof value === 'object' && value !== null;
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) {
    const alike = (value) => (value === undefined ? '' : likeness(JSON.stringify(value)));
    return alike(one) === alike(other) ? undefined : {path, values: [one, other]};
  }
  const own = (tree, name) => (Object.hasOwn(tree, name) ? tree[name] : undefined);
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = name.endsWith('_ms') ? undefined : firstDifference(own(one, name), own(other, name), [...path, name]);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/// Both values in a few words, from shortly before the first character in which they differ.
function excerpts(values) {
  const [one, other] = values.map((each) => (each === undefined ? 'not there' : JSON.stringify(each)));
  let same = 0;
  while (same < one.length && one[same] === other[same]) {
    ++same;
  }
  const from = same < 40 ? 0 : same - 20 - Number(/[\udc00-\udfff]/.test(one[same - 20]));
  return [one, other].map((text) => (from === 0 ? '' : '…') + firstWords(text.slice(from), 60));
}

/// What happens on each side; if that is the same, the member that differs.
function divergence(events, names) {
  const told = events.map((each) => (each === undefined ? 'nothing more happens' : happened(each)).replace(/\.$/, ''));
  if (told[0] !== told[1]) {
    return ` In ${names[0]}, ${told[0]}; in ${names[1]}, ${told[1]}.`;
  }
  const difference = firstDifference(...events.map((each) => each.payload));
  if (difference === undefined) {
    // Which things the ids name, a digit beyond those of JavaScript, or a member of the event itself.
    return ` In both, ${told[0]}; both events are below.`;
  }
  const name = difference.path.map((each) => (/^[\w-]+$/.test(each) ? each : JSON.stringify(each))).join('.');
  const [one, other] = excerpts(difference.values);
  return ` In both, ${told[0]}; ${firstWords(name, 80)} is ${one} in ${names[0]}, ${other} in ${names[1]}.`;
}

class Comparison {
  #index;
  #texts;
  #go;
  #timelines = new AlignedTimelines();

  /// `go` leads to an event of a session.
  constructor(index, texts, go) {
    this.#index = index;
    this.#texts = texts;
    this.#go = go;
    const button = (id, words, onclick) => make('button', {type: 'button', id, onclick}, words);
    byId('minimap').before(make('p', {class: 'buttons', id: 'comparing'},
        button('difference', 'First difference', () => open(Math.min(drawing.difference, session.number.length - 1))),
        button('other-run', 'The other run', () => this.#goToOther())));
    document.querySelector('.panes').before(make('section', {class: 'pane', id: 'compare', 'aria-label': 'The two runs'},
        make('div', {class: 'pane-head'}, make('h2', {}, 'The two runs')), make('p', {id: 'compare-words'}),
        this.#timelines.node, make('div', {id: 'sides'})));
  }

  #goToOther() {
    const {sides: [one, other], at} = this.pairOf(sessionIndex);
    const there = one === sessionIndex ? other : one;
    this.#go(there, Math.min(at ?? drawing.chosen ?? 0, this.#index.sessions[there].events - 1));
  }

  /// The pair that a session is in; undefined if there is none.
  pairOf(session) {
    const found = this.#index.pairs.find(([one, other]) => one === session || other === session);
    return found === undefined ? undefined : {sides: found.slice(0, 2), at: found[2], isSetUpAlike: found[3]};
  }

  #words({sides, at, isSetUpAlike}) {
    const {sessions, logs} = this.#index;
    const setUp = isSetUpAlike ? '' : ' The sessions were set up differently.';
    const count = at ?? sessions[sides[0]].events;
    const same = counted(count, 'event');
    if (at === null) {
      return `Both runs are alike in all ${same}, but for times and ids.${setUp}`;
    }
    const ended = sides.findIndex((each) => at >= sessions[each].events);
    const then = ended < 0 ? 'the next one differs' : `${logs[sessions[sides[ended]].log]} has no more`;
    return `Both runs begin with the same ${same}, but for times and ids; ${then}.${setUp}`;
  }

  /// What happens there on each side.
  async #divergence({sides, at}) {
    const {sessions, logs} = this.#index;
    const events = await Promise.all(sides.map(async (each) => (at >= sessions[each].events ? undefined
      : JSON.parse(await this.#texts.text((await loadSession(each, this.#texts)).number[at])))));
    return plain(divergence(events, sides.map((each) => logs[sessions[each].log])));
  }

  /// One side: its event that differs, and what follows.
  async #side(sessionIndex, at, lines) {
    const {sessions, logs} = this.#index;
    const session = await loadSession(sessionIndex, this.#texts);
    const made = document.createElement('div');
    const count = session.number.length;
    const name = logs[sessions[sessionIndex].log];
    made.append(make('h3', {}, make('a', {href: `#s=${sessionIndex + 1}&e=${Math.min(at, count - 1) + 1}`}, `Open ${name}`)));
    const rows = document.createElement('ol');
    rows.className = 'rows';
    for (let event = at; event < Math.min(count, at + followingMax); ++event) {
      rows.append(rowOf(session, event, () => this.#go(sessionIndex, event)));
    }
    if (at >= count) {
      made.append(element('p', 'No event is left.'));
      return made;
    }
    const json = document.createElement('pre');
    json.tabIndex = 0;
    json.setAttribute('role', 'region');
    json.setAttribute('aria-label', `The event that differs, of ${logs[sessions[sessionIndex].log]}`);
    json.append(...lines);
    made.append(element('p', `Event ${at + 1} of ${count}: ${session.types[session.type[at]]}`), json,
                element('p', 'From there on:'), rows);
    return made;
  }

  async #lines(sessionIndex, at) {
    const session = await loadSession(sessionIndex, this.#texts);
    if (at >= session.number.length) {
      return [];
    }
    const all = indented(await this.#texts.text(session.number[at])).split('\n');
    return all.length <= linesMax ? all : [...all.slice(0, linesMax), `… ${all.length - linesMax} more lines`];
  }

  /// Shows the pair that a session is in. `isWanted`: still, after each wait.
  async show(sessionIndex, isWanted) {
    const pair = this.pairOf(sessionIndex);
    drawing.difference = pair?.at ?? undefined;
    byId('comparing').hidden = pair === undefined;
    byId('difference').hidden = drawing.difference === undefined;
    byId('sides').replaceChildren();
    this.#timelines.hide();
    byId('compare-words').textContent = pair === undefined ? 'The other run has no session to compare this one with.'
        : this.#words(pair);
    if (pair === undefined || pair.at === null) {
      return;
    }
    const {sides: [one, other], at} = pair;
    const divergence = await this.#divergence(pair);
    if (isWanted()) {
      byId('compare-words').textContent += divergence;
    }
    const timelines = await Promise.all([one, other].map(async (each) => ({
      session: await loadSession(each, this.#texts), name: this.#index.logs[this.#index.sessions[each].log],
      go: (event) => this.#go(each, event)})));
    if (isWanted()) {
      this.#timelines.show(timelines, at);
    }
    const lines = [await this.#lines(one, at), await this.#lines(other, at)];
    const differs = differingLines(...lines);
    const made = [await this.#side(one, at, markedLines(lines[0], differs[0])),
                  await this.#side(other, at, markedLines(lines[1], differs[1]))];
    if (isWanted()) {
      byId('sides').replaceChildren(...made);
    }
  }
}

makeComparison = (of, ...more) => (of.logs.length < 2 ? undefined : new Comparison(of, ...more));
