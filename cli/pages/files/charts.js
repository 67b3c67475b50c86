// Draws charts as SVG, as wide as there is room. Each has its numbers in a table
// besides, so a reader of the screen hears of the chart only that it is there.

const drawnMax = 100; // rows of a chart; the table has more

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const measuring = document.createElement('canvas').getContext('2d');

function widthOf(words) {
  measuring.font = '13px system-ui, sans-serif';
  return measuring.measureText(words).width;
}

const widest = (all) => Math.max(0, ...all.map(widthOf));

/// Text that fits, with all of it as its title.
function label(words, x, y, width, attributes = {}) {
  const shown = shortened(words, width, widthOf);
  const made = shape('text', {x, y, ...attributes}, shown);
  if (shown !== words) {
    made.append(shape('title', {}, words));
  }
  return made;
}

function chart(width, height, name, attributes, ...children) {
  return shape('svg', {viewBox: `0 0 ${width} ${height}`, height, role: 'img', ...attributes,
                       'aria-label': `${name}: a chart, its numbers are in the table`}, ...children);
}

const known = (all) => all.filter((each) => each !== null);

/// A name, what is drawn, and words for each row: names are left of what is
/// drawn, or above where they are long.
class Rows {
  constructor(width, rows, words, top) {
    this.rows = rows.slice(0, drawnMax);
    this.words = words;
    this.width = width;
    this.top = top;
    const names = widest(this.rows.map(({name}) => name));
    this.isStacked = names > width * 0.36;
    this.begin = this.isStacked ? 6 : names + 18;
    this.end = width - Math.min(widest(words), width * 0.3) - 14;
    this.step = this.isStacked ? 42 : 26;
    this.bottom = top + this.rows.length * this.step;
  }

  middle(i) {
    return this.top + (i + 1) * this.step - 13;
  }

  texts(i) {
    const middle = this.middle(i) + 4;
    const {name} = this.rows[i];
    return [this.isStacked ? label(name, 0, middle - 19, this.width) : label(name, 0, middle, this.begin - 10),
            label(this.words[i], this.width, middle, this.width * 0.3, {'text-anchor': 'end'})];
  }
}

/// Lines and words along the bottom.
function bottomAxis(axis, top, bottom, isDifference) {
  return axis.ticks.flatMap((tick) => {
    const x = axis.place(tick);
    return [shape('line', {x1: x, x2: x, y1: top, y2: bottom + 4,
                           class: isDifference && tick === 0 ? 'zero' : 'grid'}),
            shape('text', {x, y: bottom + 18, 'text-anchor': 'middle', class: 'tick'}, axis.words(tick, isDifference))];
  });
}

/// From low to high; dashed to the edge where an end is open.
function interval({value, low, high}, axis, y) {
  const made = [];
  const line = (from, to, name) => made.push(shape('line', {x1: from, x2: to, y1: y, y2: y, class: name}));
  const cap = (x) => made.push(shape('line', {x1: x, x2: x, y1: y - 5, y2: y + 5, class: 'interval'}));
  if (low === null && high === null) {
    return made;
  }
  const from = low ?? value ?? high;
  const to = high ?? value ?? low;
  line(axis.place(from), axis.place(to), 'interval');
  for (const [end, edge] of [[low, axis.begin], [high, axis.end]]) {
    if (end !== null) {
      cap(axis.place(end));
    } else {
      line(edge === axis.begin ? edge : axis.place(to), edge === axis.begin ? axis.place(from) : edge, 'interval open');
    }
  }
  return made;
}

/// Bars whose area is the share of the values that they stand for.
function histogram(bins, axis, bottom, height) {
  const density = bins.map(({from, to, count}) => (to > from ? count / (to - from) : count));
  const most = Math.max(...density);
  return bins.flatMap(({from, to, count}, i) => {
    const x = axis.place(from);
    const tall = most > 0 ? density[i] / most * height : 0;
    return count === 0 ? [] : [shape('rect', {x, y: bottom - tall, height: tall, class: 'bin',
                                              width: Math.max(1, axis.place(to) - x - 1)},
                                     shape('title', {}, `${amount(axis.unit, from)} to ${amount(axis.unit, to)}: `
                                           + digits(count)))];
  });
}

/// What an interval of a difference says.
function tendency({low, high}, {is_difference: isDifference, better}) {
  if (!isDifference) {
    return 'plain';
  }
  const sign = low !== null && low > 0 ? 1 : high !== null && high < 0 ? -1 : 0;
  if (sign === 0 || better === 'neither') {
    return sign === 0 ? 'unclear' : 'plain';
  }
  return (sign < 0) === (better === 'lower') ? 'better' : 'worse';
}

/// Points with intervals, below a histogram where there is one.
function dotPlot(width, panel) {
  const {unit, is_difference: isDifference = false, bins = [], min = null, max = null} = panel;
  const words = panel.rows.slice(0, drawnMax).map((row) => valueWords(panel, row));
  const tall = bins.length === 0 ? 0 : 44;
  const rows = new Rows(width, panel.rows, words, tall + 6);
  const values = known([...rows.rows.flatMap(({value, low, high}) => [value, low, high]), min, max,
                        ...bins.flatMap(({from, to}) => [from, to]), isDifference ? 0 : null]);
  const axis = new Axis({unit, values, begin: rows.begin + 6, end: rows.end - 6, gap: 64});
  const marks = rows.rows.map((row, i) => {
    const y = rows.middle(i);
    const drawn = shape('g', {class: tendency(row, panel)}, ...interval(row, axis, y));
    if (row.value !== null) {
      drawn.append(shape('circle', {cx: axis.place(row.value), cy: y, r: 5, class: 'dot'}));
    } else if (isDifference && row.infinite) {
      // Beyond the edge of its side.
      const edge = row.infinite > 0 ? axis.end : axis.begin;
      drawn.append(shape('path', {d: `M${edge - 6 * row.infinite} ${y - 6}v12L${edge + 4 * row.infinite} ${y}z`, class: 'dot'}));
    }
    drawn.append(shape('title', {}, `${row.name}: ${words[i]} ${intervalWords(unit, row, isDifference)}`.trim()),
                 ...rows.texts(i));
    return drawn;
  });
  return chart(width, rows.bottom + 24, panel.name, {},
               ...bottomAxis(axis, 0, rows.bottom, isDifference), ...histogram(bins, axis, tall, tall), ...marks);
}

function barPlot(width, {title, unit, rows: all}) {
  const words = all.slice(0, drawnMax).map(({value}) => (value === null ? '?' : amount(unit, value)));
  const rows = new Rows(width, all, words, 0);
  const values = [0, ...known(rows.rows.flatMap(({value, low, high}) => [value, low, high]))];
  const axis = new Axis({unit, values: Math.max(...values) === 0 ? [0, 1] : values, begin: rows.begin, end: rows.end});
  const bars = rows.rows.map((row, i) => {
    const y = rows.middle(i);
    const to = axis.place(row.value ?? 0);
    return shape('g', {class: row.tone},
                 shape('rect', {x: rows.begin, y: y - 7, height: 14, class: 'bar',
                                width: row.value > 0 ? Math.max(1, to - rows.begin) : 0}),
                 ...known([row.low, row.high]).length === 2 ? interval(row, axis, y) : [], ...rows.texts(i));
  });
  return chart(width, rows.bottom + 4, title, {class: 'bars'}, ...bars);
}

const dashes = ['none', '7 3', '2 3', '9 3 2 3'];
const strokeOf = (i) => `stroke: var(--s${i % 8}); stroke-dasharray: ${dashes[i % dashes.length]}`;

/// Lines of one series, broken where it has gaps; points as well, if few.
function seriesLines({name, points}, i, x, y) {
  const usable = ([at, value]) => value !== null && x.has(at) && y.has(value);
  let path = '';
  points.forEach((point, at) => {
    if (usable(point)) {
      const follows = at > 0 && usable(points[at - 1]);
      path += `${follows ? 'L' : 'M'}${x.place(point[0]).toFixed(1)} ${y.place(point[1]).toFixed(1)}`;
    }
  });
  const line = shape('path', {d: path, class: 'line'});
  line.style.cssText = strokeOf(i);
  const made = shape('g', {}, line);
  const isAlone = (at) => usable(points[at]) && !(at > 0 && usable(points[at - 1]))
      && !(at + 1 < points.length && usable(points[at + 1]));
  points.forEach((point, at) => {
    if (usable(point) && (points.length <= 40 || isAlone(at))) {
      const dot = shape('circle', {cx: x.place(point[0]), cy: y.place(point[1]), r: 3, class: 'point'},
                        shape('title', {}, `${name}: ${amount(y.unit, point[1])} at ${x.words(point[0])}`));
      dot.style.fill = `var(--s${i % 8})`;
      made.append(dot);
    }
  });
  return made;
}

function linePlot(width, {title, x: across, y: up, series, marks, levels}) {
  const height = width < 500 ? 260 : 320;
  const top = marks.length === 0 ? 26 : 46;
  const bottom = height - 42;
  const points = series.flatMap((each) => each.points);
  const y = new Axis({...up, begin: bottom, end: top, gap: 44, isRound: true,
                      values: [...known([...points.map(([, value]) => value), ...levels.map((level) => level.y)]), ...up.scale === 'linear' ? [0] : []]});
  const begin = widest(y.ticks.map((tick) => y.words(tick))) + 8;
  const x = new Axis({...across, begin, end: width - 24, gap: 60, values: known([...points.map(([at]) => at), ...marks.map((mark) => mark.x)])});
  const drawn = y.ticks.flatMap((tick) => [
    shape('line', {x1: begin, x2: x.end, y1: y.place(tick), y2: y.place(tick), class: 'grid'}),
    shape('text', {x: begin - 8, y: y.place(tick) + 4, 'text-anchor': 'end', class: 'tick'}, y.words(tick)),
  ]);
  const placed = marks.filter((mark) => x.has(mark.x) && mark.x >= x.low && mark.x <= x.high)
      .sort((one, other) => one.x - other.x);
  placed.forEach((mark, i) => {
    const at = x.place(mark.x);
    const next = i + 1 < placed.length ? x.place(placed[i + 1].x) : width;
    drawn.push(shape('line', {x1: at, x2: at, y1: top - 14, y2: bottom, class: 'mark'}));
    if (next - at > 24) {
      drawn.push(label(mark.text, at + 4, top - 8, next - at - 8, {class: 'tick'}));
    }
  });
  levels.filter((level) => y.has(level.y)).forEach((level) => {
    const at = y.place(level.y);
    drawn.push(shape('line', {x1: begin, x2: x.end, y1: at, y2: at, class: 'level'}),
               label(level.text, x.end, at - 4, x.end - begin, {'text-anchor': 'end', class: 'tick level-words'}));
  });
  return chart(width, height, title, {},
               label(up.name, 0, 12, width, {class: 'tick'}),
               label(across.name, x.end, height - 6, x.end, {'text-anchor': 'end', class: 'tick'}),
               ...bottomAxis(x, top, bottom, false), ...drawn,
               ...series.map((each, i) => seriesLines(each, i, x, y)));
}

/// What the lines mean.
function lineKeys(series) {
  const list = document.createElement('ul');
  list.className = 'keys';
  list.append(...series.map(({name}, i) => {
    const line = shape('line', {x1: 0, x2: 28, y1: 4, y2: 4, 'stroke-width': 3});
    line.style.cssText = strokeOf(i);
    const item = document.createElement('li');
    item.append(shape('svg', {viewBox: '0 0 28 8', 'aria-hidden': 'true'}, line), element('span', name));
    return item;
  }));
  return list;
}
