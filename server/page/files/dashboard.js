// What a server does at the moment, from its numbers for Prometheus.
import {getText} from './api.js';
import {element} from './dom.js';
import {bucketsOf, parseNumbers, quantileOf, sinceThen, sumOf} from './numbers.js';
import {Poll} from './poll.js';

const windowMs = 60_000; // of rates and quantiles
const samplesMax = 40;
const turnTime = 'convene_turn_duration_seconds';
const count = (value) => Math.round(value).toLocaleString('en');

function lasting(seconds) {
  if (seconds === undefined) {
    return '–';
  }
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

const rateWords = (rate) => (rate === undefined ? '–' : rate.toLocaleString('en', {maximumSignificantDigits: 3}));

function sampleOf(text, at) {
  const numbers = parseNumbers(text);
  return {
    at,
    open: sumOf(numbers, 'convene_sessions_open'),
    started: sumOf(numbers, 'convene_sessions_started_total'),
    turns: sumOf(numbers, 'convene_turns_total'),
    failed: (numbers.get('convene_turns_total') ?? []).filter(({labels}) => labels.outcome === 'failed' || labels.outcome === 'timed_out')
        .reduce((all, {value}) => all + value, 0),
    buckets: bucketsOf(numbers, turnTime),
    conflicts: sumOf(numbers, 'convene_conflicts_total'),
    tokens: sumOf(numbers, 'convene_tokens_total'),
    queue: sumOf(numbers, 'convene_queue_jobs'),
  };
}

/// Bars of turns a second, one for each sample.
function sparkline(rates) {
  const [width, height, most] = [120, 24, Math.max(...rates, 1e-9)];
  const step = width / samplesMax;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('aria-hidden', 'true');
  rates.forEach((rate, i) => {
    const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const tall = rate / most * height;
    Object.entries({x: width - (rates.length - i) * step, y: height - tall, width: step - 0.5, height: tall})
        .forEach(([name, value]) => bar.setAttribute(name, value.toFixed(2)));
    svg.append(bar);
  });
  return svg;
}

/// {node, now(), stop()}; it is hidden until there are numbers, and where the key
/// may not see them.
export function dashboard(app) {
  const cells = {};
  const tile = (name, words) => {
    const value = element('dd');
    const note = element('dd', {className: 'meta'});
    cells[name] = {value, note};
    return element('div', {}, element('dt', {}, words), value, note);
  };
  const line = element('dd', {className: 'sparkline'});
  const tiles = element('dl', {}, tile('sessions', 'Sessions open'), tile('turns', 'Turns a second'), tile('p50', 'Turn p50'),
                        tile('p99', 'Turn p99'), tile('conflicts', 'Conflicts'), tile('tokens', 'Tokens'), tile('queue', 'Queue'));
  const node = element('section', {id: 'dashboard', 'aria-labelledby': 'dashboard-title', hidden: true},
      element('div', {className: 'row'}, element('h2', {id: 'dashboard-title'}, 'This server'),
              element('span', {className: 'meta'}, 'rates and times of the last minute; totals since its start')), tiles);
  cells.turns.value.after(line);
  const set = (name, value, note = '') => {
    cells[name].value.textContent = value;
    cells[name].note.textContent = note;
  };
  let samples = [];
  const show = (text) => {
    const now = sampleOf(text, performance.now());
    const last = samples.at(-1);
    if (last !== undefined && now.turns < last.turns) {
      samples = []; // the server was started again
    }
    samples.push(now);
    while (samples.length > 2 && samples[1].at < now.at - windowMs) {
      samples.shift();
    }
    const [first] = samples;
    const seconds = (now.at - first.at) / 1000;
    const rateOf = (name) => (seconds === 0 ? undefined : (now[name] - first[name]) / seconds);
    const recent = sinceThen(now.buckets, first.buckets);
    const isRecent = (recent.get(Infinity) ?? 0) > 0;
    const buckets = isRecent ? recent : now.buckets;
    const since = isRecent ? '' : 'since the start';
    set('sessions', count(now.open), `${count(now.started)} started`);
    set('turns', rateWords(rateOf('turns')), `${count(now.turns)} in all, ${count(now.failed)} failed`);
    set('p50', lasting(quantileOf(buckets, 0.5)), since);
    set('p99', lasting(quantileOf(buckets, 0.99)), since);
    set('conflicts', count(now.conflicts), seconds === 0 ? '' : `${rateWords(rateOf('conflicts') * 60)} a minute`);
    set('tokens', count(now.tokens), seconds === 0 ? '' : `${rateWords(rateOf('tokens') * 60)} a minute`);
    set('queue', count(now.queue), 'jobs that wait for a thread');
    const rates = samples.slice(1).map((each, i) => 1000 * (each.turns - samples[i].turns) / Math.max(1, each.at - samples[i].at));
    line.replaceChildren(sparkline(rates.slice(-samplesMax)));
    node.hidden = false;
  };
  const poll = new Poll((signal) => getText('/metrics', signal), {
    onData: show,
    onFailure(failure) {
      node.hidden = true;
      if (failure.status === 403 || failure.status === 404) {
        poll.stop();
      }
    },
    onState() {}, // what the list below says of the connection is enough
  });
  let isOver = false;
  app.caller().then(({scopes, session_id: session}) => {
    if (!isOver && scopes.includes('server:metrics') && session === undefined) {
      poll.run();
    }
  });
  return {node, now: () => poll.now(), stop() {
    isOver = true;
    poll.stop();
  }};
}
