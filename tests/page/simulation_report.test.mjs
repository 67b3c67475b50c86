// The report that `convene simulate --out` writes says what its summary says.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {cells, closeFile, findingsOf, launch, openAll, openReport, texts} from './browser.mjs';
import {hostile} from './scenarios.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const evil = `</script>${hostile.script}${hostile.image}`;

const scenario = {
  convene: '1',
  collab: {
    title: 'Release notes', purpose: 'Write them', mode: 'swarm',
    participants: ['ada', 'ben', 'cleo'].map((id) => ({participant_id: id, kind: 'agent', role_id: 'role-writer'})),
  },
  task: 'Write the notes',
  tasks: Array.from({length: 8}, (_, i) => ({title: `Part ${i + 1}`})),
  session: {max_turns: 14},
  behaviours: {'*': {type: 'simulated', failure: 0.3, latency_ms: {lognormal: {median: 800, p99: 6000}},
                     usage: {prompt_tokens: {uniform: {min: 100, max: 900}}, completion_tokens: 50,
                             cost_microusd: {uniform: {min: 10, max: 2000}}}}},
};
const properties = [{name: `few ${evil}`, result: {turns_total: {at_most: 11}}},
                    {name: 'cheap', result: {'usage.tokens': {at_most: 1e9}}}];

let folder;
let browser;
const results = {};

function simulate(name, ...words) {
  const out = path.join(folder, name);
  const seeds = words.includes('--seeds') ? [] : ['--seeds', '1..120'];
  const done = spawnSync(program, ['simulate', path.join(folder, 'scenario.json'), ...seeds, '--out', out, '--json',
                                   ...words], {encoding: 'utf8'});
  assert.ok(done.status <= 1, done.stderr);
  results[name] = {summary: JSON.parse(done.stdout), file: path.join(out, 'report.html')};
}

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-simulation-'));
  writeFileSync(path.join(folder, 'scenario.json'), JSON.stringify(scenario));
  writeFileSync(path.join(folder, 'properties.json'), JSON.stringify(properties));
  simulate('whole', '--set', 'session.max_turns=1000', '--set', 'behaviours.*.failure=0');
  simulate('broken', '--property', path.join(folder, 'properties.json'));
  simulate('numbers', '--seeds', '18446744073709551496..18446744073709551615', '--measure', 'none=no_such',
           '--measure', 'below=0 - floor(turns_total / 14)', '--measure', 'narrow=1000000 + turns_total / 100',
           '--property', path.join(folder, 'properties.json'));
  // Nobody is a person, so nobody fails to answer as one.
  simulate('faults', '--faults', 'crash=0.05,no_answer=0.5');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const quantile = ({value, low, high}) => [value, low, high];
const numbers = (row) => row.slice(1).map((each) => (Array.isArray(each) ? each.slice(1) : [null, null, null]));

test('the numbers of a simulation\'s report are those of its summary', async () => {
  const {summary, file} = results.broken;
  const page = await openReport(browser, file);
  await openAll(page);
  assert.deepEqual(JSON.parse(await page.locator('#data').textContent()), summary);

  const ended = Object.entries(summary.outcomes).flatMap(([status, reasons]) => (
    Object.entries(reasons).map(([reason, seeds]) => [`${status}: ${reason}`, [String(seeds), seeds, null, null]])));
  assert.ok(ended.length > 1, 'all ended alike');
  assert.deepEqual(await cells(page, 'How sessions ended'), ended);

  const shown = Object.entries(summary.measures).filter(([, {max}]) => max !== 0);
  const measures = await cells(page, 'Measures');
  assert.deepEqual(measures.map(([name]) => name), shown.map(([name]) => name));
  assert.deepEqual(measures.map(numbers), shown.map(([, {min, median, p90, p99, max}]) => (
    [[min, null, null], quantile(median), quantile(p90), quantile(p99), [max, null, null]])));
  const [completion] = measures;
  assert.match(String(completion[4]), /^never/);

  const censored = summary.unfinished.censored_ms;
  assert.ok(summary.unfinished.seeds > 0, 'all completed');
  assert.deepEqual(numbers((await cells(page, 'Unfinished sessions'))[0]),
                   [[censored.min, null, null], quantile(censored.median), quantile(censored.p90), quantile(censored.p99),
                    [censored.max, null, null]]);
  assert.match((await texts(page, '#facts div')).join('\n'),
               new RegExp(`${(100 * summary.unfinished.share.value).toFixed(2)} % \\(`));

  const failures = await cells(page, 'Failed seeds');
  assert.deepEqual(failures.map(([seed, , , , , command]) => ({seed, command})),
                   summary.failures.map(({seed, command}) => ({seed: String(seed), command})));
  assert.ok(failures.length > 0, 'no seed failed');
  // The first seeds lead to their inspectors, which need nothing else.
  assert.deepEqual(failures.map((row) => row[4]), failures.map((_, i) => (i < 20 ? 'Open' : '')));
  const verdicts = await texts(page, '#verdicts li');
  assert.equal(verdicts[0], `✗ ${summary.failed} of 120 seeds failed.`);
  const [few] = summary.properties;
  assert.match(few.name, /<script>/);
  assert.ok(verdicts.includes(`✗ Property ${few.name} is broken by ${few.failed} seeds.`), verdicts);
  assert.ok(verdicts.includes('✓ Property cheap holds.'), verdicts);
  await closeFile(page);
});

test('a report has the seeds as they are, and the user\'s own measures', async () => {
  const {summary, file} = results.numbers;
  const page = await openReport(browser, file);
  await openAll(page);
  const failures = await cells(page, 'Failed seeds');
  assert.ok(failures.length > 0, 'no seed failed');
  for (const [seed, , , , , command] of failures) {
    assert.match(command, new RegExp(`--seeds ${seed} --out`));
  }
  const measures = new Map((await cells(page, 'Measures')).map((row) => [row[0], numbers(row)]));
  const {below} = summary.measures;
  assert.ok(below.min < 0 && below.max === 0, JSON.stringify(below));
  assert.deepEqual(measures.get('below')?.at(-1), [0, null, null]);
  assert.deepEqual(measures.get('none')?.flat(), measures.get('none')?.flat().map(() => null));
  const notes = (await texts(page, '#part-2 .note')).join('\n');
  assert.match(notes, /by Student's t/);
  assert.match(notes, /none: 120 seeds without this number/);
  const ticks = await page.locator('figure').filter({has: page.getByRole('heading', {name: 'narrow'})})
      .locator('svg .tick').allTextContents();
  const {min, max} = summary.measures.narrow;
  assert.ok(ticks.length > 0 && new Set(ticks).size === ticks.length, ticks.join(' | '));
  assert.ok(ticks.map((each) => Number(each.replaceAll(',', ''))).every((each) => each >= min && each <= max),
            `${ticks.join(' | ')} from ${min} to ${max}`);
  await closeFile(page);
});

test('a failed seed is inspected from the report', async () => {
  const {summary, file} = results.broken;
  const page = await openReport(browser, file);
  const [{seed}] = summary.failures;
  await page.getByRole('link', {name: `Open inspect/${seed}.html`, exact: true}).click();
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  assert.ok(page.url().endsWith(`/inspect/${seed}.html`), page.url());
  assert.match(await page.locator('#facts').textContent(), new RegExp(`^seed ${seed} `));
  assert.ok((await page.locator('#transcript .row').count()) > 0);
  await page.context().close();
});

test('a simulation in which nothing failed says so', async () => {
  const {summary, file} = results.whole;
  assert.equal(summary.failed, 0);
  const page = await openReport(browser, file);
  assert.match((await texts(page, '#verdicts li'))[0], /^✓ All 120 seeds passed/);
  assert.equal(await page.getByRole('heading', {name: 'Failed seeds'}).count(), 0);
  assert.equal(await page.getByRole('heading', {name: 'Unfinished sessions'}).count(), 0);
  await closeFile(page);
});

for (const [device, viewport] of Object.entries({phone: {width: 360, height: 740}, desktop: {width: 1280, height: 900}})) {
  test(`axe finds nothing, and nothing is too wide: a simulation's report, ${device}`, async () => {
    for (const [name, {file}] of Object.entries(results)) {
      const page = await openReport(browser, file, {viewport, colorScheme: device === 'phone' ? 'dark' : 'light'});
      if (pictures) {
        await page.screenshot({path: path.join(pictures, `simulation-${name}-${device}.png`), fullPage: true});
      }
      assert.deepEqual(await findingsOf(page), [], name);
      await closeFile(page);
    }
  });
}

test('faults are on the report: which struck, which never did, and what was reached', async () => {
  const {summary, file} = results.faults;
  const page = await openReport(browser, file);
  await openAll(page);
  const {struck, missing, sometimes} = summary.faults;
  assert.deepEqual((await cells(page, 'Faults')).map(([kind, [, times], [, seeds]]) => [kind, {times, seeds}]),
                   Object.entries(struck));
  assert.ok(struck.crash.times > 0, 'nothing crashed');
  assert.deepEqual((await cells(page, 'What was reached')).map(([state, [, seeds]]) => [state, seeds]),
                   Object.entries(sometimes));
  assert.deepEqual(missing, ['no_answer']);
  assert.ok((await texts(page, '#verdicts li')).includes('✗ Asked for, and never happened: no_answer.'));
  await closeFile(page);
});

test('without --out there is no report', () => {
  const done = spawnSync(program, ['simulate', path.join(folder, 'scenario.json'), '--seeds', '1'],
                         {cwd: folder, encoding: 'utf8'});
  assert.ok(done.status <= 1, done.stderr);
  assert.ok(!existsSync(path.join(folder, 'report.html')));
});
