// A page of one file: it brings blocks of deflated text, which are inflated when
// they are wanted.

/// The text of events, by their number on the page; the latest blocks are kept.
class EventTexts extends ParsedEvents {
  #starts;
  #blocks = new Map(); // promises of lines, the latest last

  constructor(starts) {
    super();
    this.#starts = starts;
  }

  get blocks() {
    return this.#starts.length;
  }

  lines(block) {
    const blocksMax = 24;
    const lines = this.#blocks.get(block) ?? inflate(`b${block}`).then((text) => text.split('\n'));
    this.#blocks.delete(block);
    this.#blocks.set(block, lines);
    if (this.#blocks.size > blocksMax) {
      this.#blocks.delete(this.#blocks.keys().next().value);
    }
    return lines;
  }

  first(block) {
    return this.#starts[block];
  }

  async text(number) {
    const block = lastAtMost(this.#starts, number);
    return (await this.lines(block))[number - this.#starts[block]];
  }
}

/// The menu of sessions. A list has more room for many.
function fillMenu() {
  const chooseMax = 200;
  const {sessions, logs} = index;
  const shown = list !== undefined && sessions.length > chooseMax ? [] : sessions.slice(0, chooseMax);
  byId('session').replaceChildren(...shown.map(({title, id, status, log}, at) => make('option', {value: String(at)},
      `${at + 1}. ${logs.length < 2 ? '' : `${logs[log]}: `}${firstWords(title || id, 80)} (${status || 'no end'})`)));
  if (list === undefined && sessions.length > chooseMax) {
    byId('session').append(make('option', {disabled: true}, `… ${counted(sessions.length - chooseMax, 'more session')}`));
  }
}

async function start() {
  index = JSON.parse(await inflate('index'));
  texts = new EventTexts(index.blocks);
  load = (at) => loadSession(at, texts);
  panel = new Panel(texts, open);
  comparison = makeComparison(index, texts, goTo);
  list = makeList(byId('sessions'), index);
  byId('notes').replaceChildren(...index.notes.map((each) => element('li', each)));
  fillMenu();
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
  begin();
  if (!showsList()) {
    const {s, e, p} = fromAddress();
    await showSession(s, e, p);
  }
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((error) => {
  say(`The page cannot be shown: ${error.message}`);
  throw error;
});
