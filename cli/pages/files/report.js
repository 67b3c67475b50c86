// The page of a report: what came out, and parts with a chart and a table each.

/// Draws again whenever there is another width.
function drawn(draw) {
  const figure = document.createElement('figure');
  const holder = document.createElement('div');
  figure.append(holder);
  let width = 0;
  new ResizeObserver(([{contentRect}]) => {
    const now = Math.floor(contentRect.width);
    if (now > 0 && now !== width) {
      width = now;
      holder.replaceChildren(draw(now));
    }
  }).observe(holder);
  return figure;
}

function panelsOf({panels}) {
  const all = document.createElement('div');
  all.className = 'panels';
  all.append(...panels.map((panel) => {
    const figure = drawn((width) => dotPlot(width, panel));
    figure.prepend(element('h3', panel.name));
    return figure;
  }));
  return [all];
}

function wide(figure, ...more) {
  figure.className = 'wide';
  figure.append(...more);
  return [figure];
}

const charts = {
  distributions: panelsOf,
  multiples: panelsOf,
  lines: (part) => wide(drawn((width) => linePlot(width, part)), ...part.series.length < 2 ? [] : [lineKeys(part.series)]),
  bars: (part) => wide(drawn((width) => barPlot(width, part))),
};

const rowsOf = ({panels, rows}) => Math.max(0, ...panels?.map((each) => each.rows.length) ?? [rows?.length ?? 0]);

/// Made when it is opened for the first time: it may be long.
function numbersOf(part) {
  const details = document.createElement('details');
  details.append(element('summary', 'Numbers'));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) {
      details.append(tables[part.kind](part));
    }
  });
  return details;
}

function sectionOf(part, i) {
  const section = document.createElement('section');
  section.id = `part-${i + 1}`;
  section.append(element('h2', part.title));
  const note = (words) => {
    const made = element('p', words);
    made.className = 'note dim';
    section.append(made);
  };
  if (part.note !== '') {
    note(part.note);
  }
  if (part.kind === 'table') {
    section.append(tables.table(part));
    return section;
  }
  if (rowsOf(part) > drawnMax) {
    note(`The first ${drawnMax} of ${digits(rowsOf(part))} are drawn.`);
  }
  section.append(...charts[part.kind](part), numbersOf(part));
  return section;
}

function factOf([name, value]) {
  const fact = document.createElement('div');
  fact.append(element('dt', name), element('dd', value));
  return fact;
}

const toneWords = {good: '✓ ', bad: '✗ ', neutral: ''};

function verdictOf({tone, text}) {
  const item = element('li', toneWords[tone] + text);
  item.className = tone;
  return item;
}

function linkTo({title}, i) {
  const link = element('a', title);
  link.href = `#part-${i + 1}`;
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/// When it is wanted: there may be megabytes of it.
async function showData() {
  byId('data').textContent = indented(await inflate('raw'));
}

async function start() {
  const report = JSON.parse(await inflate('report'));
  byId('title').textContent = report.title;
  byId('subtitle').textContent = report.subtitle;
  byId('verdicts').replaceChildren(...report.verdicts.map(verdictOf));
  byId('facts').replaceChildren(...report.facts.map(factOf));
  byId('parts').replaceChildren(...report.parts.map(sectionOf));
  byId('contents').hidden = report.parts.length < 4;
  byId('contents').firstElementChild.replaceChildren(...report.parts.map(linkTo));
  byId('data').closest('details').addEventListener('toggle', showData, {once: true});
  document.documentElement.dataset.ready = '';
}

start().catch((error) => {
  byId('status').textContent = `The page cannot be shown: ${error.message}`;
  throw error;
});
