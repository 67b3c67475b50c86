// The report that `convene study --out` writes says what its summary says.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
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
    title: 'Release notes', purpose: 'Write them', mode: 'round_robin',
    participants: ['ada', 'ben', 'cleo'].map((id) => ({participant_id: id, kind: 'agent', role_id: 'role-writer'})),
  },
  task: 'Write the notes',
  tasks: Array.from({length: 6}, (_, i) => ({title: `Part ${i + 1}`})),
  workspace: [{resource_type: 'doc', resource_id: 'notes', value: ''}],
  session: {retries: 3, conflicts: {strategy: 'first-write-wins'}},
  behaviours: {'*': {type: 'simulated', failure: 0.2, latency_ms: {lognormal: {median: 800, p99: 6000}},
                     writes: {share: 0.8, resources: [{resource_type: 'doc', resource_id: 'notes'}]}}},
};
const variants = [{name: 'one by one', set: {'collab.mode': 'round_robin'}},
                  {name: `swarm ${evil}`, set: {'collab.mode': 'swarm'}},
                  {name: 'given up', set: {'collab.mode': 'round_robin', 'session.max_turns': 6}}];

let folder;
let browser;
let summary;
let file;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-study-'));
  writeFileSync(path.join(folder, 'scenario.json'), JSON.stringify(scenario));
  writeFileSync(path.join(folder, 'modes.json'), JSON.stringify(variants));
  const out = path.join(folder, 'out');
  const done = spawnSync(program, ['study', path.join(folder, 'scenario.json'), '--vary-with',
                                   path.join(folder, 'modes.json'), '--seeds', '1..60', '--out', out, '--json'],
                         {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  summary = JSON.parse(done.stdout);
  file = path.join(out, 'report.html');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const finite = (number) => (typeof number === 'number' ? number : null);
const ends = (of) => (of === null ? [null, null, null] : [of.value, of.low, of.high].map(finite));
const numbers = (row) => row.slice(1).map((each) => (Array.isArray(each) ? each.slice(1) : [null, null, null]));
const byMedian = (measure) => measure === 'completion_ms';

test('the numbers of a study\'s report are those of its summary', async () => {
  const page = await openReport(browser, file);
  await openAll(page);
  assert.deepEqual(JSON.parse(await page.locator('#data').textContent()), summary);

  const told = Object.keys(summary.points[0].measures).filter((name) => (
    name === 'completed' || summary.points.some(({measures}) => measures[name].max !== 0)));
  const measures = await cells(page, 'Measures');
  assert.equal(measures.length, 3);
  assert.deepEqual(measures.map(numbers), summary.points.map((point) => told.map((name) => {
    const of = point.measures[name];
    return ends(name === 'completed' ? of : of[byMedian(name) ? 'median' : 'mean']);
  })));

  const compared = summary.points.slice(1).map((point) => told.map((name) => {
    const of = point.against_baseline[name];
    return ends(byMedian(name) || of.mean === null ? of.median : of.mean);
  }));
  assert.deepEqual((await cells(page, 'Differences, seed by seed')).map(numbers), compared);
  assert.ok(compared.flat().some(([value]) => value < 0), 'nothing is lower');

  // An infinite difference says on which side it is, in the table and the chart.
  const sides = summary.points.slice(1).map((point) => point.against_baseline.completion_ms.median?.value);
  assert.ok(sides.includes('infinity'), String(sides));
  const column = told.indexOf('completion_ms') + 1;
  const shown = await page.locator('section').filter({has: page.getByRole('heading', {name: 'Differences, seed by seed'})}).first()
      .locator('tbody tr').evaluateAll((rows, at) => rows.map((row) => row.children[at].textContent), column);
  sides.forEach((side, i) => assert.equal(shown[i].startsWith('+∞'), side === 'infinity', shown[i]));
  const verdictOf = ({pairs, equal, verdict}) => (pairs > 0 && equal === pairs ? 'no difference' : verdict);
  const decided = summary.points.slice(1).map((point) => told.map((name) => verdictOf(point.against_baseline[name])));
  assert.ok(decided.flat().includes('no difference'), String(decided));
  assert.deepEqual(await cells(page, 'What the data decides'),
                   summary.points.slice(1).map((point, i) => [`${point.point}: ${point.name}`, ...decided[i]]));
  const [swarm, given] = await texts(page, '#verdicts li');
  assert.match(swarm, /<script>/);
  // The numbers of the answer are those of the summary, in seconds.
  const {median, pairs} = summary.points[1].against_baseline.completion_ms;
  const seconds = (ms) => `${(-ms / 1000).toFixed(1)} s`;
  const answer = `finished ${seconds(median.value)} sooner than modes=one by one (median of ${pairs} seeds; `
      + `95 %: ${seconds(median.high)} to ${seconds(median.low)}), with more conflicts.`;
  assert.ok(swarm.includes(answer), `${swarm} / ${answer}`);
  // The key that both give a value to is left out, where that is clear.
  assert.equal(given, '✗ given up completed less often than one by one.');
  await closeFile(page);
});

for (const [device, viewport] of Object.entries({phone: {width: 360, height: 740}, desktop: {width: 1280, height: 900}})) {
  test(`axe finds nothing, and nothing is too wide: a study's report, ${device}`, async () => {
    const page = await openReport(browser, file, {viewport, colorScheme: device === 'phone' ? 'dark' : 'light'});
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `study-${device}.png`), fullPage: true});
    }
    assert.deepEqual(await findingsOf(page), []);
    await closeFile(page);
  });
}
