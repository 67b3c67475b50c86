// A list of sessions, of a file or of a server. Only rows near what is in view are
// there, so that ten thousand cost no more than fifty.

const kindsOfSessions = new Map(Object.entries({
  waiting: {words: 'Waiting for a person', shape: 'wait'},
  running: {words: 'Running', shape: 'run'},
  unended: {words: 'No end on the log', shape: 'run'},
  suspended: {words: 'Suspended', shape: 'pause'},
  draft: {words: 'Draft', shape: 'draft'},
  cancelled: {words: 'Cancelled', shape: 'stop'},
  failures: {words: 'Completed with failures', shape: 'fail'},
  completed: {words: 'Completed', shape: 'done'},
}));

/// Which of them a session is; `asked` are people that are known to be asked.
function kindOfSession({status, gist, isLive}, asked = gist.waits_for) {
  if (status === 'completed') {
    return gist.failures > 0 ? 'failures' : 'completed';
  }
  if (status === 'cancelled' || status === 'draft' || status === 'suspended') {
    return status;
  }
  return asked.length > 0 ? 'waiting' : isLive ? 'running' : 'unended';
}

/// How it ended, or what it does.
function sessionWords({gist, isLive}, kind, asked = gist.waits_for) {
  const failed = gist.failures === 0 ? ''
      : ` ${counted(gist.failures, 'failure')}${gist.failed_turns === 0 ? ''
          : `, ${gist.failed_turns.toLocaleString('en')} of ${counted(gist.turns, 'turn')} failed`}.`;
  const turn = gist.turns === 0 ? '' : `, turn ${gist.turns.toLocaleString('en')}`;
  const now = {
    draft: 'It has not started.',
    suspended: `Suspended${turn}.`,
    waiting: `Waiting for ${listed(asked)}${turn}.`,
  };
  const {open} = gist;
  return (Object.hasOwn(now, kind) ? now[kind]
    : gist.stop_reason !== null ? reasonSentence(gist.stop_reason, [])
      : open.length > 0 ? `${listed(open)} ${open.length === 1 ? 'is' : 'are'} working${turn}.`
        : isLive ? `Between turns${turn}.` : 'The log stops here, with no request open.') + failed;
}

/// How its turns ended, as a row of bars. An open one comes last.
function stripOf({gist}, kind) {
  const tones = {c: '', x: 'quiet', t: 'wait', d: 'fail', f: 'fail'};
  const now = kind === 'waiting' ? 'wait' : kind === 'running' && gist.open.length > 0 ? 'run' : undefined;
  const bars = [...[...gist.strip].map((each) => tones[each] ?? ''), ...(now === undefined ? [] : [`${now} now`])];
  return make('span', {class: 'strip', 'aria-hidden': 'true'}, bars.map((tone) => make('i', {class: tone})));
}

function whoOf({participants: {total, first}}) {
  const lanes = dressed([{id: 'session', kind: '', role: ''},
                         ...first.map(({participant_id: id, kind}) => ({id, kind, role: id}))]);
  const more = total - first.length;
  return [make('span', {class: 'avatars', title: plain(first.map(({participant_id: id}) => id).join(', '))}, lanes.slice(1).map(avatar)),
          more > 0 ? make('span', {class: 'dim'}, ` +${more.toLocaleString('en')}`) : ''];
}

/// The time of day; the date with it if that is not today, or alone if it is of
/// another year.
function clockWords(ms) {
  const at = new Date(ms);
  const now = new Date();
  const clock = at.toLocaleTimeString('en', {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});
  return at.toDateString() === now.toDateString() ? clock
      : at.getFullYear() === now.getFullYear() ? `${at.toLocaleDateString('en', {month: 'short', day: 'numeric'})} ${clock}`
          : at.toLocaleDateString('en', {year: 'numeric', month: 'short', day: 'numeric'});
}

function beganCell({start}) {
  const made = cell('began amount', start === undefined ? '–' : clockWords(start));
  if (start !== undefined) {
    made.title = new Date(start).toLocaleString();
  }
  return made;
}

const cell = (name, ...children) => make('div', {role: 'cell', class: `cell ${name}`}, ...children);
const amount = (number, words = number.toLocaleString('en')) => (number === 0 ? '–' : words);

/// How long it took; of one that has no end, until now, in whole seconds.
function tookWords(start, end) {
  return start === undefined ? '–' : lasting(Math.max(0, end === undefined ? Math.floor((Date.now() - start) / 1000) * 1000 : end - start));
}

function tookCell({start, end}) {
  const made = cell('took amount', tookWords(start, end));
  if (start !== undefined && end === undefined) {
    made.dataset.since = String(start);
  }
  return made;
}

/// `of`: {key, href, id, title, mode, status, [start], [end], gist, isLive, [asked], [node]};
/// without an end it still takes time.
function sessionRow(of, actions) {
  const {gist, asked} = of;
  const kind = kindOfSession(of, asked);
  const {words, shape} = kindsOfSessions.get(kind);
  const why = sessionWords(of, kind, asked);
  const row = make('div', {role: 'row', class: `session-row ${kind}`},
      cell('state', icon(kind === 'failures' ? 'done' : shape), kind === 'failures' ? icon('fail', 'fail corner') : '', make('span', {class: 'unseen'}, words)),
      cell('name', make('span', {class: 'title'}, make('a', {href: of.href, title: plain(of.title || of.id)}, make('bdi', {}, of.title || of.id)),
                        make('span', {class: 'id', title: plain(of.id)}, of.id.slice(0, 8))),
           make('span', {class: 'why', title: plain(why)}, why)),
      cell('turns', stripOf(of, kind), make('span', {class: 'unseen'}, counted(gist.turns, 'turn'))),
      cell('mode', `${of.mode.replaceAll('_', ' ')}${of.node === undefined ? '' : ` on ${of.node}`}`),
      cell('who', whoOf(gist)),
      cell('conflicts amount', amount(gist.conflicts)),
      cell('cost amount', amount(gist.cost_microusd, money(gist.cost_microusd))),
      tookCell(of),
      beganCell(of));
  if (actions !== undefined) {
    row.append(cell('actions', actions(of) ?? ''));
  }
  return row;
}

const listColumns = [['', 'state'], ['Session and how it ended', 'name'], ['Turns', 'turns'], ['Mode', 'mode'], ['Who', 'who'],
                     ['Conflicts', 'conflicts amount'], ['Cost', 'cost amount'], ['Took', 'took amount'], ['Began', 'began amount']];

class SessionList {
  #rows = [];
  #nodes = new Map(); // by index
  #heights = 0;
  #actions;
  #frame;
  #life = new AbortController();

  /// `actions(row)`, if there is one, makes what acts on a session.
  constructor(actions) {
    this.#actions = actions;
    const columns = actions === undefined ? listColumns : [...listColumns, ['Actions', 'actions']];
    this.head = make('div', {role: 'row', class: 'session-row session-head'},
        columns.map(([words, name]) => make('div', {role: 'columnheader', class: `cell ${name}`},
            name === 'state' ? make('span', {class: 'unseen'}, 'State') : name === 'actions' ? make('span', {class: 'unseen'}, words) : words)));
    this.body = make('div', {role: 'rowgroup', class: 'session-body'});
    this.node = make('div', {role: 'table', class: `sessions${actions === undefined ? '' : ' acting'}`, 'aria-label': 'Sessions'},
        make('div', {role: 'rowgroup'}, this.head), this.body);
    const soon = () => this.#soon();
    const {signal} = this.#life;
    addEventListener('scroll', soon, {capture: true, passive: true, signal});
    addEventListener('resize', soon, {signal});
    addEventListener('beforeprint', () => this.#draw(0, 1000), {signal});
    const ticking = setInterval(() => this.#tick(), 1000);
    signal.addEventListener('abort', () => clearInterval(ticking));
  }

  /// It is shown no more.
  stop() {
    this.#life.abort();
  }

  #tick() {
    for (const each of this.body.querySelectorAll('[data-since]')) {
      each.textContent = tookWords(Number(each.dataset.since), undefined);
    }
  }

  get rows() {
    return this.#rows;
  }

  show(rows) {
    const before = new Map([...this.#nodes.values()].map((each) => [each.dataset.key, each]));
    const focused = this.body.contains(document.activeElement) ? document.activeElement.closest('[data-key]')?.dataset.key : undefined;
    this.#rows = rows;
    this.#nodes = new Map();
    // What has not changed keeps its element, and the focus.
    rows.forEach((row, at) => {
      const old = before.get(row.key);
      if (old !== undefined && old.looks === JSON.stringify(row)) {
        this.#nodes.set(at, old);
        before.delete(row.key);
      }
    });
    before.forEach((each) => each.remove());
    this.node.setAttribute('aria-rowcount', String(rows.length + 1));
    this.#heights = 0;
    this.#fit();
    if (focused !== undefined && !this.body.contains(document.activeElement)) {
      this.body.querySelector(`[data-key="${CSS.escape(focused)}"] a`)?.focus({preventScroll: true});
    }
  }

  #soon() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#fit();
    });
  }

  #fit() {
    if (!this.node.isConnected || this.node.offsetParent === null) {
      return;
    }
    const height = Number.parseFloat(getComputedStyle(this.node).getPropertyValue('--row'));
    if (height !== this.#heights) {
      this.#heights = height;
      this.body.style.height = `${height * this.#rows.length}px`;
      this.#nodes.forEach((each, at) => this.#place(each, at));
    }
    const around = 12;
    const {top} = this.body.getBoundingClientRect();
    const first = Math.max(0, Math.floor(-top / height) - around);
    this.#draw(first, Math.ceil((innerHeight - top) / height) + around);
  }

  #place(node, at) {
    node.style.top = `${at * this.#heights}px`;
    node.setAttribute('aria-rowindex', String(at + 2));
  }

  #draw(first, end) {
    for (const [at, node] of this.#nodes) {
      if ((at < first || at >= end) && !node.contains(document.activeElement)) {
        node.remove();
        this.#nodes.delete(at);
      }
    }
    let next = null;
    for (let at = Math.min(end, this.#rows.length) - 1; at >= first; --at) {
      let node = this.#nodes.get(at);
      if (node === undefined) {
        const row = this.#rows[at];
        node = sessionRow(row, this.#actions);
        node.dataset.key = row.key;
        node.looks = JSON.stringify(row);
        this.#nodes.set(at, node);
        this.#place(node, at);
      }
      if (node.parentNode !== this.body || node.nextSibling !== next) {
        if (!node.contains(document.activeElement)) {
          this.body.insertBefore(node, next);
        }
      }
      next = node;
    }
  }
}
