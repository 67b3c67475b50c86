// The page that `convene view` makes, as a person meets it: opened from a file,
// with nobody to ask.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {closeFile, launch, open, tabTo} from './browser.mjs';
import {hostile} from './scenarios.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const examples = new URL('../../examples/', import.meta.url).pathname;
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/// A text that would end the element which a careless page had it in.
const evil = `</script>${hostile.script}${hostile.image}</title><!-- "'`;

const agents = ['ada', 'ben', 'cleo', 'dan', 'eve'];
const busy = {
  collab: {
    title: `Release ${evil}`, purpose: 'Write the notes', mode: 'swarm',
    participants: [...agents.map((id) => ({participant_id: id, kind: 'agent', role_id: 'role-writer'})),
                   {participant_id: 'maria', kind: 'human', role_id: 'role-writer'}],
  },
  task: 'Write the notes',
  tasks: Array.from({length: 24}, (_, i) => ({title: `Part ${i + 1} ${evil}`})),
  workspace: [{resource_type: 'file', resource_id: evil, value: evil}],
  behaviours: {
    '*': {type: 'simulated', failure: 0.2, latency_ms: {lognormal: {median: 800, p99: 6000}}},
    maria: {type: 'simulated', latency_ms: {lognormal: {median: 8000, p99: 9000}}},
  },
};

let folder;
let browser;
const files = {};
const said = {}; // what view says of each page

const run = (name, scenario, {seed = 3, more = []} = {}) => {
  const out = path.join(folder, name);
  let from = scenario;
  if (typeof scenario === 'object') {
    from = path.join(folder, `${name}.json`);
    writeFileSync(from, JSON.stringify({convene: '1', ...scenario}));
  }
  const done = spawnSync(program, ['run', from, '--out', out, '--seed', String(seed), '--quiet', ...more], {encoding: 'utf8'});
  assert.ok(done.status <= 1, done.stderr);
  return out;
};

const pageOf = (log, code = 0, ...more) => {
  const file = path.join(folder, `${Object.keys(files).length}.html`);
  const done = spawnSync(program, ['view', log, '--out', file, '--json', ...more], {encoding: 'utf8'});
  assert.equal(done.status, code, done.stderr);
  said[file] = JSON.parse(done.stdout);
  return pathToFileURL(file).href;
};

const differing = {
  inherited: [{constructor: 1, toString: 2}, {}],
  long: [{['k'.repeat(100_000)]: 1}, {['k'.repeat(100_000)]: 2}],
  late: [{text: `${'x'.repeat(500)} one`}, {text: `${'x'.repeat(500)} other`}],
  listed: [{list: [{spent_ms: 1, at: 'a.b'}, 1]}, {list: [{spent_ms: 2, at: 'a.b'}, 2]}],
  quoted: [{'a.b': {'': 1}}, {'a.b': {'': 2}}],
};

const eventsOf = (log) => readFileSync(path.join(log, 'events.jsonl'), 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line)).filter((each) => each.event_type !== undefined);

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-view-'));
  const logs = {busy: run('busy', busy)};
  for (const name of ['contested-decision', 'support-desk', 'incident-announcement']) {
    logs[name] = run(name, path.join(examples, name, 'scenario.json'));
  }
  logs.many = run('many', path.join(examples, 'structured-vote/scenario.json'), {more: ['--instances', '3']});
  for (const [name, log] of Object.entries(logs)) {
    files[name] = {log, url: pageOf(log)};
  }
  const whole = readFileSync(path.join(logs.busy, 'events.jsonl'), 'utf8');
  // Without its last groups; and with a bit of its middle changed.
  const cut = path.join(folder, 'cut.jsonl');
  const groups = whole.split('{"log_group"');
  writeFileSync(cut, groups.slice(0, Math.ceil(groups.length / 2)).join('{"log_group"'));
  files.unfinished = {log: cut, url: pageOf(cut)};
  const damaged = path.join(folder, 'damaged.jsonl');
  const at = whole.indexOf('"MAPTurnCompleted"', whole.length / 2);
  writeFileSync(damaged, `${whole.slice(0, at)}"MAPTurnCompletex"${whole.slice(at + 18)}`);
  files.damaged = {log: damaged, url: pageOf(damaged, 1)};
  // The same up to the turns that the guard allows; and the same in all but ids.
  const shorter = run('shorter', busy, {more: ['--set', 'session.max_turns=20']});
  files.shorter = {log: logs.busy, other: shorter, url: pageOf(logs.busy, 0, '--with', shorter)};
  const again = run('again', path.join(examples, 'support-desk/scenario.json'), {seed: 4});
  files.again = {log: logs['support-desk'], url: pageOf(logs['support-desk'], 0, '--with', again)};
  const latest = run('latest', path.join(examples, 'contested-decision/scenario.json'),
                     {more: ['--set', 'session.conflicts.by_resource_type.doc=last-write-wins']});
  files.judged = {url: pageOf(logs['contested-decision'], 0, '--with', latest)};
  // Both sides say the same; their results differ.
  const saying = (result) => ({collab: {title: 'Same', purpose: 'p', mode: 'round_robin', participants: [{participant_id: 'a', kind: 'agent', role_id: 'r'}]},
                               task: 't', behaviours: {a: {type: 'script', turns: [{content: 'same', result}]}}, session: {rounds: 1}});
  for (const [name, results] of Object.entries(differing)) {
    const [one, other] = results.map((result, side) => run(`${name}-${side}`, saying(result)));
    files[name] = {url: pageOf(one, 0, '--with', other)};
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

async function view(name, fragment = '', options = {}) {
  const page = await open(browser, files[name].url + fragment, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
}

/// The words along the axis while `act` is done, frame by frame.
async function axisWords(page, act) {
  await page.evaluate(() => {
    window.frames = [];
    const {clearRect, fillText} = CanvasRenderingContext2D.prototype;
    Object.assign(CanvasRenderingContext2D.prototype, {
      clearRect(...words) {
        window.frames.push([]);
        clearRect.apply(this, words);
      },
      fillText(words, x, y) {
        if (y < 26) {
          window.frames.at(-1).push(words);
        }
        fillText.call(this, words, x, y);
      },
    });
  });
  await act();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  return page.evaluate(() => window.frames);
}

test('no two places of the axis have the same words, however near they are', async () => {
  for (const name of ['support-desk', 'busy']) {
    const page = await view(name);
    const frames = await axisWords(page, async () => {
      for (let i = 0; i < 30; ++i) {
        await page.getByRole('button', {name: 'Zoom in'}).click();
      }
    });
    assert.ok(frames.length > 5, `${frames.length} frames`);
    for (const words of frames) {
      assert.equal(new Set(words).size, words.length, `${name}: ${words.join(' | ')}`);
    }
    await closeFile(page);
  }
});

const shownEvent = async (page) => JSON.parse(await page.locator('#json').textContent());

test('every event of the log is on the page as it was, in its order', async () => {
  const events = eventsOf(files.busy.log);
  const page = await view('busy', '#s=1&e=1');
  for (const [i, event] of events.entries()) {
    await page.waitForFunction((at) => document.getElementById('event-title').textContent.startsWith(at),
                               `Event ${i + 1} of ${events.length}:`);
    assert.deepEqual(await shownEvent(page), event);
    if (i + 1 < events.length) {
      await page.locator('#next').click();
    }
  }
  assert.ok(await page.locator('#next').isDisabled());
  assert.equal(await page.locator('h1').textContent(), `Release ${evil}`);
  await closeFile(page);
});

test('a number is shown as it is on the log, however large', async () => {
  const large = {...busy, tasks: [{title: 'One'}],
                 workspace: [{resource_type: 'file', resource_id: 'a', value: 'LARGE'}]};
  const from = path.join(folder, 'large-numbers.json');
  writeFileSync(from, JSON.stringify({convene: '1', ...large}).replace('"LARGE"', '{"b": 9007199254740993, "1": 1.0}'));
  files.large = {url: pageOf(run('large', from))};
  const page = await view('large', '#s=1&e=1');
  const shown = await page.locator('#json').textContent();
  assert.match(shown, /"b": 9007199254740993,\n *"1": 1E0\n/);
  await closeFile(page);
});

test('the keyboard opens events, and each has a link that leads to it', async () => {
  const events = eventsOf(files['support-desk'].log);
  const page = await view('support-desk');
  await tabTo(page, 'Filters and ranges');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'canvas');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.locator('#event-title', {hasText: 'Event 3 of'}).waitFor();
  assert.deepEqual(await shownEvent(page), events[2]);
  const link = await page.locator('#link').getAttribute('href');
  assert.equal(new URL(page.url()).hash, link);
  await closeFile(page);
  const again = await view('support-desk', link);
  assert.deepEqual(await shownEvent(again), events[2]);
  // From the beginning of a turn to its end.
  const turn = events.findIndex((each) => each.event_type === 'MAPTurnDispatched');
  await again.evaluate((at) => { location.hash = at; }, `#s=1&e=${turn + 1}`);
  await again.getByRole('button', {name: /Jump to end/}).click();
  await again.locator('#event-title', {hasText: 'MAPTurnCompleted'}).waitFor();
  assert.equal((await shownEvent(again)).payload.token_id, events[turn].payload.token_id);
  await closeFile(again);
});

test('a click on what is drawn opens its event', async () => {
  const page = await view('contested-decision');
  const events = eventsOf(files['contested-decision'].log);
  const {x, y, width} = await page.locator('#canvas').boundingBox();
  // By the order of events, with a margin; below the axis.
  const length = events.length - 1;
  const across = (event) => x + 160 + (event + length * 0.01) / (length * 1.02) * (width - 160);
  const lanes = ['mara', 'ivo'];
  const down = (who, share) => y + 24 + 34 * (lanes.indexOf(who) + share);
  const find = (type, who) => events.findIndex(({event_type: is, payload}) => is === type
      && (who === undefined || payload.participant_id === who));
  for (const [type, who, share, beside] of [['MAPTurnDispatched', 'mara', 0.3, 1], ['resource_written', 'mara', 0.8, 0],
                                            ['MAPConflictDetected', 'ivo', 0.5, 0], ['MAPConflictDetected', 'mara', 0.5, 0]]) {
    const event = find(type, type.startsWith('MAPConflict') ? undefined : who);
    await page.mouse.click(across(event + beside), down(who, share));
    await page.locator('#event-title', {hasText: `Event ${event + 1} of`}).waitFor();
    assert.equal((await shownEvent(page)).event_type, type);
  }
  await closeFile(page);
});

test('a text is found in the events that have it, and only there', async () => {
  const events = eventsOf(files.busy.log);
  const page = await view('busy');
  for (const [words, has] of [['Part 7', (text) => text.includes('Part 7')],
                              [evil.slice(0, 20), (text) => text.includes(JSON.stringify(evil.slice(0, 20)).slice(1, -1))]]) {
    const expected = events.filter((each) => has(JSON.stringify(each))).length;
    assert.ok(expected > 0);
    await page.locator('#search').fill(words);
    await page.keyboard.press('Enter');
    await page.locator('#status', {hasText: `${expected} events have this text.`}).waitFor();
    assert.equal(await page.locator('#rows button').count(), expected);
  }
  await page.locator('#rows button').first().click();
  await page.locator('#event').waitFor();
  await page.locator('#search').fill('nowhere to be found');
  await page.keyboard.press('Enter');
  await page.locator('#status', {hasText: 'No event has this text.'}).waitFor();
  await closeFile(page);
});

test('one of a kind is told as one', async () => {
  const alone = run('alone', {collab: {title: 'Alone', purpose: 'Think', mode: 'round_robin',
                                       participants: [{participant_id: 'ada', kind: 'agent', role_id: 'role-a'}]},
                              task: 'Think'});
  files.alone = {log: alone, url: pageOf(alone)};
  const page = await view('alone');
  assert.match(await page.locator('#facts').textContent(), / · 1 participant · \d+ events/);
  await page.locator('#search').fill('MAPSessionStarted');
  await page.getByRole('button', {name: 'Find'}).click();
  await page.getByText('1 event has this text.').waitFor();
  await closeFile(page);
});

test('a range has the events that are in it', async () => {
  const events = eventsOf(files.busy.log);
  const page = await view('busy', '#s=1&e=5');
  await page.locator('#event').waitFor();
  await page.locator('#scale').selectOption('order');
  await page.locator('#canvas').focus();
  await page.keyboard.press('[');
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press('.');
  }
  await page.keyboard.press(']');
  await page.locator('#list-title', {hasText: '5 events'}).waitFor();
  assert.equal(await page.locator('#rows button').count(), 5);
  assert.match(await page.locator('#rows button').first().textContent(), new RegExp(events[4].event_type));
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#list').isHidden());
  await closeFile(page);
});

test('a range without events lasts no time', async () => {
  const times = eventsOf(files.busy.log).map(({timestamp}) => Date.parse(timestamp));
  const last = times.length - 1;
  const pause = times.findIndex((time, i) => times[i + 1] > time);
  assert.ok(pause >= 0, 'all happened at once');
  const page = await view('busy');
  await page.locator('#scale').selectOption('order');
  await page.locator('#filters > summary').click();
  await page.getByRole('button', {name: 'Select a range'}).click();
  await page.locator('#canvas').scrollIntoViewIfNeeded();
  const {x, y, width} = await page.locator('#canvas').boundingBox();
  const gutter = 160;
  const at = (place) => x + gutter + (place / last + 0.01) / 1.02 * (width - gutter);
  await page.mouse.move(at(pause + 0.3), y + 60);
  await page.mouse.down();
  await page.mouse.move(at(pause + 0.7), y + 80);
  await page.mouse.up();
  await page.locator('#list-title', {hasText: '0 events in 0.000 s, 0 turns begun'}).waitFor();
  await closeFile(page);
});

/// The colours that are on the canvas, right of the lanes' names.
const painted = (page) => page.evaluate(() => {
  const canvas = document.getElementById('canvas');
  const {data} = canvas.getContext('2d').getImageData(161, 0, canvas.width - 161, canvas.height);
  const seen = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const colour = `#${[0, 1, 2].map((at) => data[i + at].toString(16).padStart(2, '0')).join('')}`;
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
  }
  return Object.fromEntries(seen);
});
const frame = (page) => page.evaluate(() => new Promise((end) => {
  requestAnimationFrame(() => requestAnimationFrame(() => end()));
}));

test('filters leave out what they name', async () => {
  const page = await view('busy');
  const completed = '#0b7770'; // its participant's
  const failed = '#be123c';
  await frame(page);
  const all = await painted(page);
  assert.ok(all[completed] > 500 && all[failed] > 100, JSON.stringify([all[completed], all[failed]]));
  await page.locator('#filters > summary').click();
  await page.locator('#failed').check();
  await frame(page);
  const bad = await painted(page);
  assert.ok((bad[completed] ?? 0) === 0 && bad[failed] > 100, JSON.stringify([bad[completed], bad[failed]]));
  await page.locator('#failed').uncheck();
  const before = await page.locator('#canvas').boundingBox();
  await page.locator('#filter').fill('maria');
  await frame(page);
  const after = await page.locator('#canvas').boundingBox();
  assert.ok(after.height < before.height, 'as many lanes as before');
  await closeFile(page);
});

test('each session of a log is chosen by name, or by a link', async () => {
  const page = await view('many', '#s=2&e=1');
  assert.equal(await page.locator('#session option').count(), 3);
  const second = (await shownEvent(page)).session_id;
  await page.locator('#session').selectOption('2');
  await page.locator('#event').waitFor({state: 'hidden'});
  await page.waitForFunction(() => document.getElementById('canvas').ariaLabel !== null);
  await page.locator('#canvas').focus();
  await page.keyboard.press('.');
  await page.locator('#event').waitFor();
  assert.notEqual((await shownEvent(page)).session_id, second);
  await closeFile(page);
});

/// An event but for what differs between any two runs.
const likeness = (event) => JSON.stringify(event, (name, value) => (
  name.endsWith('_ms') || /^[0-9a-f]{8}-[0-9a-f]{4}-|^\d{4}-\d\d-\d\dT/.test(value) ? undefined : value));

test('two runs are compared at their first difference', async () => {
  const [one, other] = [files.shorter.log, files.shorter.other].map(eventsOf);
  const at = one.findIndex((each, i) => i > 0 && (other[i] === undefined || likeness(each) !== likeness(other[i])));
  assert.ok(at > 20 && at < one.length - 5, `they differ at ${at} of ${one.length}`);
  const [pair] = said[new URL(files.shorter.url).pathname].compared;
  assert.deepEqual(pair, {session_id: one[0].session_id, with: other[0].session_id, set_up_alike: false, alike: false,
                          differs_at: at + 1});

  const page = await view('shorter');
  const words = page.locator('#compare-words');
  assert.match(await words.textContent(), new RegExp(`begin with the same ${at} events.*set up differently`));
  await page.locator('#sides pre').first().waitFor();
  // What happens there, in words.
  const sides = /In busy, (.+); in shorter, (.+)\.$/.exec(await words.textContent())?.slice(1);
  assert.ok(sides !== undefined, await words.textContent());
  const dispatched = [one, other].findIndex((each) => each[at].event_type === 'MAPTurnDispatched');
  assert.notEqual(dispatched, -1, `${one[at].event_type}, ${other[at].event_type}`);
  const {participant_id: who, turn_number: turn} = [one, other][dispatched][at].payload;
  assert.ok(sides[dispatched].startsWith(`${who} gets turn ${turn}: “`), sides.join(' | '));
  const shown = (await page.locator('#sides pre').allTextContents()).map((each) => JSON.parse(each));
  assert.deepEqual(shown, [one[at], other[at]]);
  const marked = await page.locator('#sides mark').allTextContents();
  assert.ok(marked.some((each) => each.includes('"event_type"')), String(marked));
  assert.ok(marked.every((each) => !each.includes('"event_id"') && !each.includes('"timestamp"')), String(marked));
  // Each side leads to its event, and the difference is a button away.
  await page.locator('#sides > div').last().locator('.rows button').first().click();
  await page.locator('#event').waitFor();
  assert.deepEqual(await shownEvent(page), other[at]);
  assert.equal(await page.locator('#session').inputValue(), '1');
  await page.locator('#other-run').click();
  await page.waitForFunction(() => document.getElementById('session').value === '0');
  await page.locator('#event').waitFor();
  assert.deepEqual(await shownEvent(page), one[at]);
  await closeFile(page);
});

test('where the same happens on both sides, the member that differs is named', async () => {
  const page = await view('judged');
  const words = page.locator('#compare-words', {hasText: 'In both'});
  assert.match(await words.textContent(), /In both, there is a conflict about doc\/decision\.md; details\.asked is \["nadia","omar","pia"\] in contested-decision, not there in latest\.$/);
  await closeFile(page);
});

test('members of any name and size are compared', async () => {
  const words = {
    inherited: / result\.constructor is 1 in inherited-0, not there in inherited-1\.$/,
    long: / result\.k{60,80}… is 1 in long-0, 2 in long-1\.$/,
    late: / result\.text is …x+ one" in late-0, …x+ other" in late-1\.$/,
    listed: / result\.list\.1 is 1 in listed-0, 2 in listed-1\.$/,
    quoted: / result\."a\.b"\."" is 1 in quoted-0, 2 in quoted-1\.$/,
  };
  for (const [name, sentence] of Object.entries(words)) {
    const page = await view(name);
    await page.locator('#sides pre').nth(1).waitFor();
    assert.match(await page.locator('#compare-words').textContent(), sentence);
    await closeFile(page);
  }
});

test('the page of two runs has less than 165 KiB before its data', () => {
  const html = readFileSync(new URL(files.shorter.url), 'utf8').replace(/<script type="text\/plain"[^<]*<\/script>/g, '');
  assert.ok(html.length < 165 * 1024, `${html.length} bytes`);
});

test('the timelines of two runs are aligned at their first difference, and move together', async () => {
  const page = await view('shorter', '', {viewport: {width: 1440, height: 900}});
  const canvases = page.locator('#aligned canvas');
  await canvases.nth(1).waitFor();
  assert.deepEqual(await page.locator('#aligned h3').allTextContents(), ['busy', 'shorter']);
  /// Where the dashed line of the difference is, in pixels, in each.
  const marks = async () => {
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    return canvases.evaluateAll((all) => all.map((canvas) => {
      const stop = getComputedStyle(document.documentElement).getPropertyValue('--stop').trim();
      const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(stop.slice(at, at + 2), 16));
      const {data, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
      const found = [];
      for (let x = 0; x < width; ++x) {
        if (data[4 * x + 3] > 200 && Math.abs(data[4 * x] - red) + Math.abs(data[4 * x + 1] - green) + Math.abs(data[4 * x + 2] - blue) < 12) {
          found.push(x);
        }
      }
      return found[0];
    }));
  };
  const isAligned = ([one, other]) => assert.ok(one > 160 && Math.abs(one - other) <= 1, `${one}, ${other}`);
  const whole = await marks();
  isAligned(whole);
  await page.getByRole('button', {name: 'Zoom both in'}).click();
  const zoomed = await marks();
  isAligned(zoomed);
  assert.ok(Math.abs(zoomed[0] - whole[0]) <= 2, 'the difference stays where it is');
  await canvases.first().focus();
  await page.keyboard.press('ArrowRight');
  const moved = await marks();
  isAligned(moved);
  assert.ok(zoomed[0] - moved[0] > 50, `${zoomed[0]} to ${moved[0]}`);
  await page.getByRole('button', {name: 'Fit', exact: true}).first().click();
  assert.deepEqual(await marks(), whole);
  // Each leads to its event, and back.
  await canvases.nth(1).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('session').value === '1');
  await page.locator('#event').waitFor();
  await page.getByRole('link', {name: 'Open busy'}).click();
  await page.waitForFunction(() => document.getElementById('session').value === '0');
  await closeFile(page);
});

test('runs that differ in ids and times alone are alike', async () => {
  const [pair] = said[new URL(files.again.url).pathname].compared;
  assert.deepEqual([pair.alike, pair.differs_at, pair.set_up_alike], [true, null, true]);
  const page = await view('again');
  assert.match(await page.locator('#compare-words').textContent(), /^Both runs are alike in all \d+ events/);
  assert.ok(await page.locator('#difference').isHidden());
  await closeFile(page);
});

test('a participant\'s own view has what it has to do with, and nothing else', async () => {
  const log = files['contested-decision'].log;
  const events = eventsOf(log);
  const who = 'mara';
  const names = ['participant_id', 'receiver_participant', 'broadcaster_participant', 'from_participant', 'to_participant',
                 'winning_participant', 'conflicting_participants'];
  const concerns = events.flatMap(({payload}, i) => (
    names.some((name) => [payload?.[name]].flat().includes(who)) ? [i + 1] : []));
  assert.ok(concerns.length > 3 && concerns.length < events.length / 2, String(concerns));

  const page = await view('contested-decision');
  await page.locator('#filters > summary').click();
  await page.locator('#own').selectOption({label: (await page.locator('#own option').allTextContents())
      .find((each) => each.startsWith(who))});
  const title = await page.locator('#list-title').textContent();
  assert.match(title, new RegExp(`^${who}: \\d+ requests?`));
  const listed = await page.locator('#rows button').evaluateAll((all) => all.map((each) => Number(each.dataset.event) + 1));
  assert.deepEqual(concerns.filter((each) => !listed.includes(each)), []);
  // It steps through these alone, and the link leads back to the view.
  await page.locator('#canvas').focus();
  const stepped = [];
  for (let i = 0; i < listed.length; ++i) {
    await page.keyboard.press('.');
    await page.waitForFunction((at) => document.getElementById('event-title').textContent.startsWith(`Event ${at} of`),
                               listed[i]);
    stepped.push(Number(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('e')));
  }
  assert.deepEqual(stepped, listed);
  const link = await page.locator('#link').evaluate((each) => each.hash);
  await closeFile(page);
  const again = await view('contested-decision', link);
  assert.equal(await again.locator('#list-title').textContent(), title);
  await again.locator('#filters > summary').click();
  await again.locator('#own').selectOption('0');
  await again.locator('#list').waitFor({state: 'hidden'});
  await closeFile(again);
});

test('an unfinished log shows what is open, a damaged one where it ends', async () => {
  const page = await view('unfinished');
  assert.match(await page.locator('#reason').textContent(), /log stops here/);
  await frame(page);
  assert.ok((await painted(page))['#2f4bd8'] > 20, 'nothing is open');
  await closeFile(page);
  const broken = await view('damaged');
  assert.match(await broken.locator('#notes').textContent(), /damaged: .*damaged\.jsonl/);
  await closeFile(broken);
});

test('a log that is damaged from its beginning is a page that says so', async () => {
  const whole = readFileSync(path.join(files.busy.log, 'events.jsonl'), 'utf8');
  const log = path.join(folder, 'nothing.jsonl');
  writeFileSync(log, whole.replace('"MAPSessionStarted"', '"MAPSessionStartex"'));
  files.nothing = {url: pageOf(log, 1)};
  const page = await view('nothing');
  assert.match(await page.locator('#status').textContent(), /no events that can be shown/);
  assert.match(await page.locator('#notes').textContent(), /damaged/);
  assert.ok(await page.locator('#filter').isDisabled());
  await page.keyboard.press('.');
  await closeFile(page);
});

test('what cannot be a page is refused with the reason', () => {
  const at = path.join(folder, 'there.html');
  writeFileSync(at, 'mine');
  const taken = spawnSync(program, ['view', files.busy.log, '--out', at], {encoding: 'utf8'});
  assert.equal(taken.status, 2);
  assert.match(taken.stderr, /is there already/);
  assert.equal(readFileSync(at, 'utf8'), 'mine');
  const none = spawnSync(program, ['view', at, '--out', `${at}.html`], {encoding: 'utf8'});
  assert.equal(none.status, 2);
  // Without --out, on standard output.
  const html = execFileSync(program, ['view', files.many.log], {encoding: 'utf8'});
  assert.ok(html.startsWith('<!doctype html>') && html.endsWith('</html>\n'));
});

for (const [device, viewport] of Object.entries({phone: {width: 360, height: 740}, desktop: {width: 1280, height: 900}})) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, and nothing is too wide: timeline, ${device}, ${colorScheme}`, async () => {
      for (const name of ['busy', 'support-desk', 'many', 'damaged', 'shorter']) {
        const page = await view(name, '#s=1&e=4&p=1', {viewport, colorScheme});
        await page.locator('#search').fill('turn');
        await page.keyboard.press('Enter');
        await page.locator('#list').waitFor();
        await page.evaluate(axe);
        const {violations} = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`), [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`);
        if (pictures) {
          await page.screenshot({path: path.join(pictures, `timeline-${name}-${device}-${colorScheme}.png`),
                                 fullPage: true});
        }
        await closeFile(page);
      }
    });
  }
}
