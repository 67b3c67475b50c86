// The transcript: rows in chunks, of which only those near what is in view are
// there; the others are as high as they were or as rows usually are.

const chunkRowsMin = 25;
const chunksMax = 2000;
const rowHeight = 96; // of a row that was never there
const transcriptRowsMax = 250_000;

class Transcript {
  #root;
  #open;
  #session;
  #entries = []; // of the filter
  #chunks = [];
  #chunkRows = chunkRowsMin;
  #current;
  #observer;
  #shows = 0;
  #top = 0;
  #follows = false; // what comes at the end is to be in view

  /// `open` is called with an entry that a reader picks.
  constructor(root, open) {
    this.#root = root;
    this.#open = open;
    this.#observer = new IntersectionObserver((seen) => seen.forEach(({target, isIntersecting}) => {
      const chunk = this.#chunks[Number(target.dataset.chunk)];
      if (chunk?.root === target) {
        (isIntersecting ? this.#fill(chunk) : this.#empty(chunk));
      }
    }), {root, rootMargin: '800px 0px'});
    root.addEventListener('scroll', () => {
      if (root.scrollTop < this.#top) {
        this.#follows = this.isAtEnd;
      } else {
        this.#follows ||= this.isAtEnd;
      }
      this.#top = root.scrollTop;
    });
    root.addEventListener('click', (event) => {
      const row = event.target.closest('[data-entry]');
      if (row !== null && event.target.closest('summary, a, button, pre') === null && getSelection().isCollapsed) {
        this.#open(this.#entries[Number(row.dataset.entry)]);
      }
    });
  }

  has(entry) {
    return this.#entries.includes(entry);
  }

  /// Shows entries, which may have headings: {kind: 'heading', words, tone, note}.
  show(session, entries) {
    ++this.#shows;
    this.#follows = false;
    this.#observer.disconnect();
    this.#session = session;
    this.#entries = entries.slice(0, transcriptRowsMax);
    this.#current = undefined;
    this.#chunks = [];
    this.#chunkRows = Math.max(chunkRowsMin, Math.ceil(this.#entries.length / chunksMax));
    this.#addChunks();
    const more = entries.length - this.#entries.length;
    this.#root.replaceChildren(...this.#chunks.map(({root}) => root),
                               ...(more > 0 ? [make('p', {class: 'none'}, `${counted(more, 'more row')}: select them on the timeline`)] : []),
                               ...(entries.length === 0 ? [make('p', {class: 'none'}, 'Nothing of this kind happened.')] : []));
    this.#root.scrollTop = 0;
    this.#chunks.forEach(({root}) => this.#observer.observe(root));
  }

  /// Chunks for the entries that have none.
  #addChunks() {
    const added = [];
    for (let first = this.#chunks.length * this.#chunkRows; first < this.#entries.length; first += this.#chunkRows) {
      const root = make('div', {class: 'chunk', role: 'presentation', 'data-chunk': String(this.#chunks.length)});
      const count = Math.min(this.#chunkRows, this.#entries.length - first);
      root.style.minHeight = `${count * rowHeight}px`;
      added.push({root, first, count, isFull: false});
      this.#chunks.push(added.at(-1));
    }
    return added;
  }

  /// Replaces the entries after the first `kept` ones. Returns whether it still
  /// shows the end.
  async update(entries, kept) {
    const root = this.#root;
    const wasAtEnd = this.#follows || this.isAtEnd;
    // Not copied each time that it grows.
    this.#entries = entries.length <= transcriptRowsMax ? entries : entries.slice(0, transcriptRowsMax);
    const last = Math.floor(kept / this.#chunkRows);
    this.#chunks.splice(last + 1).forEach((chunk) => this.#drop(chunk));
    const chunk = this.#chunks[last];
    if (chunk?.first === this.#entries.length) {
      this.#drop(this.#chunks.pop());
    } else if (chunk !== undefined) {
      chunk.count = Math.min(this.#chunkRows, this.#entries.length - chunk.first);
      if (chunk.isFull) {
        [...chunk.root.children].slice(kept - chunk.first).forEach((row) => row.remove());
        this.#fillFrom(chunk, kept - chunk.first);
      }
    }
    const added = this.#addChunks();
    root.querySelector(':scope > .none')?.remove();
    root.append(...added.map((each) => each.root));
    added.forEach((each) => this.#observer.observe(each.root));
    if (wasAtEnd) {
      await this.toEnd();
    }
    return wasAtEnd;
  }

  #drop(chunk) {
    this.#observer.unobserve(chunk.root);
    chunk.root.remove();
  }

  /// The last rows are in view.
  async toEnd() {
    this.#follows = true;
    if (this.#chunks.length !== 0) {
      await this.#fill(this.#chunks.at(-1));
    }
    this.#root.scrollTop = this.#root.scrollHeight;
  }

  get isAtEnd() {
    return this.#root.scrollHeight - this.#root.scrollTop - this.#root.clientHeight < 60;
  }

  /// Makes the row of an entry anew, if it is there.
  again(entry) {
    const at = this.#entries.lastIndexOf(entry);
    const chunk = this.#chunks[Math.floor(at / this.#chunkRows)];
    const row = at < 0 || !chunk.isFull ? undefined : chunk.root.children[at - chunk.first];
    if (row !== undefined) {
      this.#fillRows([[row, entry]], chunk);
    }
  }

  #row(at) {
    const entry = this.#entries[at];
    if (entry.kind === 'heading') {
      return make('div', {class: `group ${entry.tone}`}, make('b', {}, icon(entry.shape, entry.tone), entry.words), make('span', {}, entry.note));
    }
    if (entry.kind === 'more') {
      return make('button', {type: 'button', class: 'more', onclick: entry.unfold}, `${entry.count.toLocaleString('en')} more`);
    }
    const isOpen = entry.kind === 'bar' && this.#session.bar.status[entry.bar] === 0;
    const row = make('article', {class: `row ${entry.kind}${entry.kind === 'bar' && this.#session.bar.kind[entry.bar] > 1 ? ' line' : ''}`,
                                 tabindex: '-1', 'data-entry': String(at), 'aria-current': String(entry === this.#current)});
    row.append(make('time', {}, isOpen ? 'open' : lasting(this.#session.time[entry.at])),
               make('div', {class: 'content'}, ...(entry.kind === 'bar' ? [requestHead(this.#session, entry.bar)] : [])));
    return row;
  }

  async #fill(chunk) {
    if (chunk.isFull) {
      return chunk.filling;
    }
    chunk.isFull = true;
    chunk.root.replaceChildren();
    return this.#fillFrom(chunk, 0);
  }

  /// Makes the rows of a chunk from one on.
  #fillFrom(chunk, from) {
    const rows = Array.from({length: chunk.count - from}, (_, i) => [this.#row(chunk.first + from + i), this.#entries[chunk.first + from + i]]);
    chunk.root.append(...rows.map(([row]) => row));
    chunk.filling = this.#fillRows(rows, chunk).then((isDone) => {
      if (isDone) {
        chunk.root.style.minHeight = '';
      }
    });
    return chunk.filling;
  }

  /// Returns whether they are still wanted.
  async #fillRows(rows, chunk) {
    const mine = this.#shows;
    for (const [row, entry] of rows) {
      if (entry.kind === 'heading' || entry.kind === 'more') {
        continue;
      }
      const content = await contentOf(this.#session, entry).catch((error) => [make('p', {class: 'minor bad'}, `It cannot be shown: ${error.message}`)]);
      if (mine !== this.#shows || !chunk.isFull) {
        return false;
      }
      row.lastChild.replaceChildren(...content.filter((each) => each !== ''));
    }
    return true;
  }

  #empty(chunk) {
    if (chunk.isFull && !chunk.root.contains(document.activeElement)) {
      chunk.root.style.minHeight = `${chunk.root.offsetHeight}px`;
      chunk.root.replaceChildren();
      chunk.isFull = false;
    }
  }

  /// Marks an entry, and brings it into view.
  async select(entry) {
    this.#current = entry;
    for (const row of this.#root.querySelectorAll('[aria-current="true"]')) {
      row.setAttribute('aria-current', 'false');
    }
    const at = this.#entries.indexOf(entry);
    if (at < 0) {
      return;
    }
    const mine = this.#shows;
    const chunk = this.#chunks[Math.floor(at / this.#chunkRows)];
    await this.#fill(chunk);
    const row = chunk.root.querySelector(`[data-entry="${at}"]`);
    if (row === null || mine !== this.#shows || this.#current !== entry) {
      return;
    }
    row.setAttribute('aria-current', 'true');
    const [inner, outer] = [row.getBoundingClientRect(), this.#root.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      this.#root.scrollTop += inner.top - outer.top - Math.max(8, (outer.height - inner.height) / 3);
    }
  }

  /// All rows, for paper.
  async fillAll() {
    const printedMax = 40; // chunks
    await Promise.all(this.#chunks.slice(0, printedMax).map((chunk) => this.#fill(chunk)));
  }
}

/// What went wrong, by its reason: a heading, and the first rows below it, unless
/// all of the group are asked for. `again` shows the rows anew.
function troubleEntries(session, entries, unfolded, again) {
  const groupRows = 6;
  const groups = new Map();
  const add = (key, shape, tone, entry) => {
    const group = groups.get(key) ?? {shape, tone, entries: []};
    group.entries.push(entry);
    groups.set(key, group);
  };
  for (const entry of entries) {
    if (entry.kind === 'conflict') {
      add('conflicts', 'conflict', 'wait', entry);
    } else {
      const status = session.bar.status[entry.bar];
      const error = session.whole?.errors.get(entry.bar) ?? '';
      const what = isFailure(status) ? statusNames[status] : 'refused';
      add(`${what}${error === '' || error === what ? '' : `: ${firstWords(error, 120)}`}`, status === 3 ? 'wait' : 'fail',
          status === 3 ? 'wait' : 'fail', entry);
    }
  }
  return [...groups].sort(([, one], [, two]) => two.entries.length - one.entries.length)
      .sort(([, one], [, two]) => (one.shape === 'conflict') - (two.shape === 'conflict'))
      .flatMap(([key, {shape, tone, entries: all}]) => [
        {kind: 'heading', shape, tone, words: `${all.length.toLocaleString('en')} ${key}`,
         note: participantsOf(session, all)},
        ...(unfolded.has(key) ? all : all.slice(0, groupRows)),
        ...(unfolded.has(key) || all.length <= groupRows ? [] : [{kind: 'more', count: all.length - groupRows, unfold: () => {
          unfolded.add(key);
          again();
        }}])]);
}

function participantsOf(session, entries) {
  const lanes = new Set(entries.flatMap((entry) => (entry.kind === 'bar' ? [session.bar.lane[entry.bar]]
      : session.conflicts[entry.conflict].sides)));
  return listed([...lanes].slice(0, 200).map((lane) => session.lanes[lane].id));
}
