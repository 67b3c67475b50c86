// The numbers of a chart as a table; what is not rounded is in attributes.

const tableRowsMax = 1000;

function numberCell(unit, value) {
  const cell = element('td', value === null ? '?' : amount(unit, value));
  cell.className = 'number';
  if (value !== null) {
    cell.dataset.value = value;
  }
  return cell;
}

function estimateCell(panel, estimate) {
  const {unit, is_difference: isDifference = false} = panel;
  const cell = element('td', '');
  cell.className = 'estimate';
  if (estimate === undefined) {
    return cell;
  }
  cell.append(valueWords(panel, estimate));
  const words = intervalWords(unit, estimate, isDifference);
  if (words !== '') {
    const dim = element('span', ` (${words})`);
    dim.className = 'dim';
    cell.append(dim);
  }
  for (const name of ['value', 'low', 'high']) {
    if (estimate[name] !== null) {
      cell.dataset[name] = estimate[name];
    }
  }
  return cell;
}

/// To a page beside this one, and to nothing else.
function linkCell(words) {
  const cell = document.createElement('td');
  if (/^[\w-]+(\/[\w-]+)*\.html$/.test(words)) {
    const link = element('a', 'Open');
    link.href = words;
    link.setAttribute('aria-label', `Open ${words}`);
    cell.append(link);
  }
  return cell;
}

function textCell(words, {is_code: isCode, is_link: isLink}) {
  if (isLink) {
    return linkCell(words);
  }
  const cell = document.createElement('td');
  cell.className = 'text';
  cell.append(isCode ? element('code', words) : words);
  return cell;
}

function headCell(words, scope, isNumber = false) {
  const cell = element('th', words);
  cell.scope = scope;
  if (isNumber) {
    cell.className = 'number';
  }
  return cell;
}

/// `heads` are cells, `rows` make theirs when they are wanted.
function tableOf(name, heads, rows) {
  const table = document.createElement('table');
  const line = (cells) => {
    const row = document.createElement('tr');
    row.append(...cells);
    return row;
  };
  const head = document.createElement('thead');
  head.append(line(heads));
  const body = document.createElement('tbody');
  body.append(...rows.slice(0, tableRowsMax).map((cells) => line(cells())));
  table.append(head, body);
  const scroll = document.createElement('div');
  scroll.className = 'scroll';
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'group');
  scroll.setAttribute('aria-label', name);
  scroll.append(table);
  if (rows.length > tableRowsMax) {
    scroll.append(element('p', `and ${digits(rows.length - tableRowsMax)} more rows, which the data has`));
  }
  return scroll;
}

const named = (rows, name) => rows.find((each) => each.name === name);
const namesOf = (lists) => [...new Set(lists.flatMap((rows) => rows.map(({name}) => name)))];

const tables = {
  distributions({title, panels}) {
    const quantiles = namesOf(panels.map(({rows}) => rows));
    return tableOf(title, [headCell('Measure', 'col'), headCell('min', 'col', true),
                           ...quantiles.map((each) => headCell(each, 'col')), headCell('max', 'col', true)],
                   panels.map((panel) => () => [
                     headCell(panel.name, 'row'), numberCell(panel.unit, panel.min),
                     ...quantiles.map((each) => estimateCell(panel, named(panel.rows, each))),
                     numberCell(panel.unit, panel.max)]));
  },
  multiples({title, panels}) {
    const found = panels.map(({rows}) => new Map(rows.map((row) => [row.name, row])));
    return tableOf(title, [headCell('Variant', 'col'), ...panels.map(({name}) => headCell(name, 'col'))],
                   namesOf(panels.map(({rows}) => rows)).map((variant) => () => [
                     headCell(variant, 'row'), ...panels.map((panel, i) => estimateCell(panel, found[i].get(variant)))]));
  },
  lines({title, x, y, series}) {
    const found = series.map(({points}) => new Map(points));
    const places = [...new Set(series.flatMap(({points}) => points.map(([at]) => at)))].sort((one, two) => one - two);
    const words = (at) => (x.scale === 'percentile' ? `p${at}` : amount(x.unit, at));
    return tableOf(title, [headCell(x.name, 'col'), ...series.map(({name}) => headCell(name, 'col', true))],
                   places.map((at) => () => {
                     const head = headCell(words(at), 'row');
                     head.dataset.value = at;
                     return [head, ...found.map((each) => (each.has(at) ? numberCell(y.unit, each.get(at))
                                                                       : element('td', '')))];
                   }));
  },
  bars({title, unit, rows}) {
    return tableOf(title, [headCell('What', 'col'), headCell('How many', 'col')],
                   rows.map((row) => () => [headCell(row.name, 'row'), estimateCell({unit}, row)]));
  },
  table({title, columns, rows}) {
    return tableOf(title, columns.map(({name}, i) => headCell(name, 'col', typeof rows[0]?.[i] === 'number')),
                   rows.map((row) => () => row.map((cell, i) => (
                     typeof cell === 'string' ? textCell(cell, columns[i])
                                              : numberCell(columns[i].unit, cell)))));
  },
};
