// The report that `convene load --out` writes says what its summary says.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {cells, closeFile, findingsOf, launch, openAll, openReport, texts} from './browser.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;

let folder;
let browser;
let summary;
let file;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-load-'));
  const out = path.join(folder, 'out');
  const done = spawnSync(program, ['load', '--mode', 'round_robin,pair', '--stages', '1s:10/s,2s:20/s', '--warm-up', '0s',
                                   '--hanging', '1', '--turn-timeout', '100ms', '--drain', '5m', '--assert', 'errors<200%', '--assert', 'p99<1000s', '--out', out,
                                   '--json'], {encoding: 'utf8'});
  // How fast this machine is does not matter here, nor whether that is valid.
  assert.ok(done.status <= 1, done.stderr);
  summary = JSON.parse(done.stdout);
  assert.deepEqual(JSON.parse(readFileSync(path.join(out, 'summary.json'), 'utf8')), summary);
  file = path.join(out, 'report.html');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const percentiles = ['p50_ms', 'p90_ms', 'p99_ms', 'p99.9_ms', 'p99.99_ms', 'max_ms'];
const numbers = ([, ...rest]) => rest.map((cell) => (Array.isArray(cell) ? cell[1] : null));
const timesOf = (of) => ['count', ...percentiles].map((name) => of[name]);

test('the numbers of a load\'s report are those of its summary', async () => {
  const page = await openReport(browser, file);
  await openAll(page);
  assert.deepEqual(JSON.parse(await page.locator('#data').textContent()), summary);
  const measured = Object.entries(summary.latency).filter(([, {count}]) => count !== 0);
  const times = await cells(page, 'Times');
  assert.deepEqual(times.map((row) => [row[0], ...numbers(row)]), measured.map(([name, of]) => [name, ...timesOf(of)]));
  // The curve goes through the same numbers; they are rounded in the summary.
  const curve = await cells(page, 'By percentile');
  const heads = await page.locator('section').filter({has: page.getByRole('heading', {name: 'By percentile'})})
      .locator('thead th').allTextContents();
  const p99 = curve.find(([[name]]) => name === 'p99');
  for (const [i, name] of heads.slice(1).entries()) {
    assert.ok(Math.abs(p99[i + 1][1] - summary.latency[name].p99_ms) < 1e-3, `${name}: ${p99[i + 1]}`);
  }
  const stages = await cells(page, 'Stages');
  assert.deepEqual(stages.map(numbers), summary.stages.map(({session}) => timesOf(session)));
  const modes = await cells(page, 'Modes');
  assert.deepEqual(modes.map((row) => [row[0], ...numbers(row)]),
                   summary.modes.map(({mode, latency}) => [mode, ...timesOf(latency.turn)]));
  const facts = await texts(page, '#facts div');
  assert.ok(facts.includes('Level10 sessions/s, 20 sessions/s'), facts.join(' | '));
  // The first tile and the answer have the numbers of the summary, rounded.
  const words = (ms) => (ms < 0.9995 ? `${Number((ms * 1000).toPrecision(3))} us` : ms < 999.5 ? `${Number(ms.toPrecision(3))} ms`
      : `${Number((ms / 1000).toPrecision(3))} s`);
  assert.equal(facts[0], `Session p99${words(summary.latency.session.p99_ms)}`);
  const [answer] = (await texts(page, '#verdicts li')).filter((each) => !each.includes('Not valid'));
  assert.ok(answer.startsWith(`✓ p99 stayed under 1000 s up to 20 sessions/s: it was ${words(summary.stages[1].session.p99_ms)}; throughput `), answer);
  // The limit is a line in the charts of times, with its name.
  for (const [part, count] of [['Latency over time', 1], ['By percentile', 1], ['Throughput', 0]]) {
    const lines = page.locator('section').filter({has: page.getByRole('heading', {name: part})});
    assert.equal(await lines.locator('svg .level').count(), count, part);
    assert.deepEqual(await lines.locator('svg .level-words').allTextContents(), Array(count).fill('p99<1000s'), part);
  }
  const marks = page.locator('section').filter({has: page.getByRole('heading', {name: 'Throughput'})}).locator('svg .mark');
  assert.equal(await marks.count(), summary.stages.length);
  const throughput = await cells(page, 'Throughput');
  assert.ok(throughput.length >= 2, String(throughput.length));
  const wrong = Object.entries(summary.errors.turns).map(([reason, count]) => [`turns: ${reason}`, count]);
  assert.ok(wrong.length > 0, 'no turn went wrong');
  const bars = (await cells(page, 'What went wrong')).map(([name, [, count]]) => [name, count]);
  assert.deepEqual(bars.filter(([name]) => name.startsWith('turns: ')), wrong);
  const verdicts = (await texts(page, '#verdicts li')).join('\n');
  assert.match(verdicts, /✓ errors<200% holds/);
  assert.match(verdicts, /Turns that failed: \d/);
  assert.doesNotMatch(verdicts, /did not complete/);
  assert.equal(/Not valid/.test(verdicts), !summary.valid);
  await closeFile(page);
});

test('a load of which nothing completed says so', async () => {
  const out = path.join(folder, 'hanging');
  const done = spawnSync(program, ['load', '--duration', '100ms', '--warm-up', '0s', '--drain', '1ms', '--participants', '2',
                                   '--hanging', '2', '--out', out], {encoding: 'utf8'});
  assert.ok(done.status <= 1, done.stderr);
  const page = await openReport(browser, path.join(out, 'report.html'));
  assert.ok((await texts(page, '#verdicts li')).includes('✗ Sessions that did not complete: 100 %.'));
  await closeFile(page);
});

test('axe finds nothing, and nothing is too wide: a load\'s report', async () => {
  for (const [viewport, colorScheme] of [[{width: 360, height: 740}, 'dark'], [{width: 1280, height: 900}, 'light']]) {
    const page = await openReport(browser, file, {viewport, colorScheme});
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `load-${viewport.width}-${colorScheme}.png`), fullPage: true});
    }
    assert.deepEqual(await findingsOf(page), []);
    await closeFile(page);
  }
});
