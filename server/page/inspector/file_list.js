// The sessions of a file, before one of them is opened.

/// Sessions that are worth looking at first.
const listOrders = [['', 'Order of the log'], ['newest', 'Newest first'], ['longest', 'Longest first'], ['failures', 'Most failures first'],
                    ['cost', 'Highest cost first']];
const orderKeys = {
  newest: (row) => row.start ?? 0,
  longest: (row) => row.end - row.start,
  failures: (row) => row.gist.failures,
  cost: (row) => row.gist.cost_microusd,
};

class FileSessions {
  #root;
  #rows;
  #texts;
  #list = new SessionList();
  #finder;
  #found = make('p', {class: 'dim', role: 'status'});
  #chart = make('div', {});

  constructor(root, {sessions, logs}) {
    this.#root = root;
    this.#rows = sessions.map((of, at) => ({key: String(at), href: `#s=${at + 1}`, id: of.id, title: of.title, mode: of.mode, status: of.status,
                                            start: of.start === 0 ? undefined : of.start, end: of.end, gist: of.gist, isLive: false}));
    this.#texts = this.#rows.map((row) => {
      const {condition = '', observed = ''} = row.gist.stop_reason ?? {};
      return [row.title, row.id, condition, observed, sessionWords(row, kindOfSession(row)),
              ...row.gist.participants.first.map(({participant_id: id}) => id)].join('\n').toLowerCase();
    });
    this.#finder = new SessionFinder({...nothingSought}, [...kindsOfSessions.keys()], listOrders, (sought) => {
      history.replaceState(null, '', `#list&${soughtTo(sought)}`.replace(/&$/, ''));
      this.#find();
    });
    this.#finder.count(this.#sums());
    root.replaceChildren(make('div', {class: 'list-head'}, make('h1', {tabindex: '-1'}, plain(logs.join(' and '))), this.#finder.search),
                         this.#chart, this.#finder.node, this.#found, this.#list.node);
  }

  #sums() {
    const sums = {kinds: {}, modes: {}, reasons: {}, total: this.#rows.length};
    const add = (to, word) => {
      if (word !== undefined && word !== '') {
        to[word] = (Object.hasOwn(to, word) ? to[word] : 0) + 1;
      }
    };
    for (const row of this.#rows) {
      add(sums.kinds, kindOfSession(row));
      add(sums.modes, row.mode);
      add(sums.reasons, row.gist.stop_reason?.condition);
    }
    return sums;
  }

  /// Shows it, as the address asks for.
  open(parameters) {
    Object.assign(this.#finder.sought, soughtFrom(parameters));
    this.#finder.settle();
    this.#root.hidden = false;
    this.#find();
  }

  focus() {
    this.#root.querySelector('h1').focus({preventScroll: true});
  }

  #find() {
    const {text, kind, mode, reason, order} = this.#finder.sought;
    const wanted = text.toLowerCase();
    const found = this.#rows.filter((row, at) => (kind === '' || kindOfSession(row) === kind) && (mode === '' || row.mode === mode)
        && (reason === '' || row.gist.stop_reason?.condition === reason) && (wanted === '' || this.#texts[at].includes(wanted)));
    this.#chart.replaceChildren(...(found.length > 1 ? [outcomesChart(found)] : []));
    const keyOf = Object.hasOwn(orderKeys, order) ? orderKeys[order] : undefined;
    this.#list.show(keyOf === undefined ? found : found.sort((one, two) => keyOf(two) - keyOf(one)));
    this.#found.textContent = found.length === this.#rows.length ? counted(found.length, 'session')
        : found.length === 0 ? 'No session matches. Clear the search, or choose All.'
            : `${found.length.toLocaleString('en')} of ${counted(this.#rows.length, 'session')}`;
  }
}

makeList = (root, of) => new FileSessions(root, of);
