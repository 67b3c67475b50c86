// What finds sessions in a list: a search, the kinds with their numbers, mode and
// reason; and how they ended, at a glance.

/// The members of what is looked for; '' is anything.
const nothingSought = {text: '', kind: '', mode: '', reason: '', order: ''};

const textMax = 100; // UTF-16 units; a server admits 400 bytes

/// From the parameters of an address, and to them.
const soughtFrom = (parameters) => Object.fromEntries(
    Object.keys(nothingSought).map((name) => [name, (parameters.get(name) ?? '').slice(0, textMax)]));
const soughtTo = (sought) => new URLSearchParams(Object.entries(sought).filter(([, value]) => value !== ''));

class SessionFinder {
  #onChange;
  #chips = new Map();
  #orders;

  /// `kinds` are those that are offered, `orders` [[value, words]]; `onChange` is
  /// called with what is looked for.
  constructor(sought, kinds, orders, onChange) {
    this.sought = sought;
    this.#onChange = onChange;
    this.#orders = orders.map(([value]) => value);
    this.search = make('input', {type: 'search', id: 'find-sessions', placeholder: 'Search titles, reasons, people', autocomplete: 'off',
                                 maxlength: String(textMax), 'aria-label': 'Search sessions'});
    this.search.value = sought.text;
    this.search.addEventListener('input', () => this.#take({text: this.search.value.trim()}));
    this.chips = make('div', {class: 'chips', role: 'group', 'aria-label': 'State'},
        ['', ...kinds].map((kind) => this.#chip(kind)));
    const order = this.#select('order', 'Order', orders);
    this.mode = this.#select('mode', 'Mode', [['', 'Mode: any']]);
    this.reason = this.#select('reason', 'Reason', [['', 'Reason: any']]);
    this.selects = make('div', {class: 'buttons'}, this.mode, this.reason, orders.length > 1 ? order : '');
    this.node = make('div', {class: 'finder'}, this.chips, this.selects);
    this.settle();
  }

  /// Shows what is looked for, after that was changed; an unknown kind or order
  /// is dropped.
  settle() {
    if (!this.#chips.has(this.sought.kind)) {
      this.sought.kind = '';
    }
    if (!this.#orders.includes(this.sought.order)) {
      this.sought.order = '';
    }
    this.search.value = this.sought.text;
    for (const each of this.node.querySelectorAll('select')) {
      each.value = this.sought[each.id.slice('sessions-'.length)];
    }
    this.#press();
  }

  get isSeeking() {
    return Object.entries(this.sought).some(([name, value]) => name !== 'order' && value !== '');
  }

  #chip(kind) {
    const of = kindsOfSessions.get(kind);
    const count = make('b', {});
    const chip = make('button', {type: 'button', 'data-kind': kind, onclick: () => this.#take({kind})},
        of === undefined ? '' : icon(of.shape), of === undefined ? 'All' : of.words, ' ', count);
    this.#chips.set(kind, {chip, count});
    return chip;
  }

  #select(name, words, options) {
    const select = make('select', {id: `sessions-${name}`}, options.map(([value, text]) => make('option', {value}, text)));
    select.addEventListener('change', () => this.#take({[name]: select.value}));
    return make('label', {}, make('span', {class: 'unseen'}, words), select);
  }

  #take(change) {
    Object.assign(this.sought, change);
    this.#press();
    this.#onChange(this.sought);
  }

  #press() {
    for (const [kind, {chip}] of this.#chips) {
      chip.setAttribute('aria-pressed', String(kind === this.sought.kind));
    }
  }

  /// {kinds: {KIND: count}, modes: {...}, reasons: {...}}, of all sessions.
  count({kinds, modes, reasons, total}) {
    for (const [kind, {chip, count}] of this.#chips) {
      const number = kind === '' ? total : kinds[kind] ?? 0;
      count.textContent = number.toLocaleString('en');
      chip.hidden = number === 0 && kind !== '' && kind !== this.sought.kind;
    }
    this.#offer(this.mode, 'Mode', modes, this.sought.mode);
    this.#offer(this.reason, 'Reason', reasons, this.sought.reason);
  }

  #offer(field, name, counts, chosen) {
    const select = field.querySelector('select');
    const words = [...new Set([...Object.keys(counts), ...(chosen === '' ? [] : [chosen])])].sort();
    const options = [['', `${name}: any`], ...words.map((each) => [each, `${plain(each.replaceAll('_', ' '))} (${(counts[each] ?? 0).toLocaleString('en')})`])];
    const looks = JSON.stringify(options);
    if (select.looks !== looks && document.activeElement !== select) {
      select.looks = looks;
      select.replaceChildren(...options.map(([value, text]) => make('option', {value}, text)));
    }
    if (document.activeElement !== select) {
      select.value = chosen;
    }
    field.hidden = words.length < 2 && chosen === '';
  }
}

/// How sessions ended, as stacked columns in their order.
function outcomesChart(rows, title = 'Outcomes, in order') {
  const columnsMax = 48;
  const each = Math.max(1, Math.ceil(rows.length / columnsMax));
  const tones = ['done', 'fail', 'stop', 'run'];
  const toneOf = (row) => ({completed: 0, failures: 1, cancelled: 2}[kindOfSession(row, row.asked)] ?? 3);
  const columns = [];
  const totals = [0, 0, 0, 0];
  rows.forEach((row, at) => {
    const column = columns[Math.floor(at / each)] ??= [0, 0, 0, 0];
    ++column[toneOf(row)];
    ++totals[toneOf(row)];
  });
  const words = ['completed', 'with failures', 'cancelled', 'not ended'];
  const said = totals.map((count, i) => [count, `${count.toLocaleString('en')} ${words[i]}`]).filter(([count]) => count > 0).map(([, text]) => text);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${columns.length * 6} 40`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `Outcomes: ${said.join(', ')}`);
  columns.forEach((column, at) => {
    let top = 40;
    column.forEach((count, tone) => {
      if (count === 0) {
        return;
      }
      const height = 40 * count / each;
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      top -= height;
      Object.entries({x: at * 6, y: top, width: 5, height, class: tones[tone]}).forEach(([name, value]) => bar.setAttribute(name, String(value)));
      svg.append(bar);
    });
  });
  return make('figure', {class: 'outcomes'},
      make('figcaption', {}, make('b', {}, title), each > 1 ? make('span', {}, `${counted(each, 'session')} each`) : ''),
      svg, make('ul', {}, totals.map((count, i) => (count === 0 ? '' : make('li', {}, icon(['done', 'fail', 'stop', 'run'][i]),
          `${count.toLocaleString('en')} ${words[i]}`)))));
}
