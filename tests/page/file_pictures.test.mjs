// The pictures of the documentation are what the pages look like. With
// CONVENE_PICTURES=write they are made anew.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {closeFile, launch, open} from './browser.mjs';

const program = process.env.CONVENE;
const examples = new URL('../../examples/', import.meta.url).pathname;
const pictures = new URL('../../docs/pictures/', import.meta.url).pathname;
const write = process.env.CONVENE_PICTURES === 'write';

const agents = Array.from({length: 50}, (_, i) => ({participant_id: `agent-${i + 1}`, kind: 'agent', role_id: `role-${i % 5}`}));
const backlog = {resource_type: 'doc', resource_id: 'backlog'};
const simulated = {type: 'simulated', failure: 0.05, latency_ms: {lognormal: {median: 6000, p99: 31000}},
                   writes: {share: 0.6, stale: 0.6, resources: [backlog]}};
const titles = (count) => Array.from({length: count}, (_, i) => ({title: `Ticket ${i + 1}`}));
const triage = (participants, tasks, more = {}) => ({
  convene: '1', collab: {title: 'Triage of the backlog', purpose: 'Close tickets', mode: 'swarm', participants},
  task: 'Triage', tasks: titles(tasks), workspace: [{...backlog, value: 'first\nsecond\n'}], behaviours: {'*': simulated}, ...more,
});

const runs = {
  crowd: triage(agents, 400, {session: {max_turns: 430}}),
  many: triage(agents.slice(0, 4), 6, {session: {max_turns: 9}}),
};
/// The runs of a picture: the folder that each makes, its scenario, options.
const shown = {
  'session-guard': [['after-you', 'runaway-pair']],
  'session-crowd': [['triage', 'crowd']],
  sessions: [['tickets', 'many', '--instances', '200']],
  'two-runs': [['by-votes', 'contested-decision'],
               ['last-wins', 'contested-decision', '--set', 'session.conflicts.by_resource_type.doc=last-write-wins']],
};

let folder;
let browser;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-pictures-'));
  for (const [name, scenario] of Object.entries(runs)) {
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(scenario));
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/// The page of the runs, the second one beside the first.
function pageOf(name) {
  const logs = shown[name].map(([out, scenario, ...options]) => {
    const file = runs[scenario] ? path.join(folder, `${scenario}.json`) : path.join(examples, scenario, 'scenario.json');
    const log = path.join(folder, out);
    const {status, stderr} = spawnSync(program, ['run', file, '--out', log, '--seed', '5', '--quiet', ...options], {encoding: 'utf8'});
    assert.ok(status <= 1, stderr);
    return log;
  });
  const page = path.join(folder, `${name}.html`);
  execFileSync(program, ['view', logs[0], ...(logs[1] ? ['--with', logs[1]] : []), '--out', page, '--quiet']);
  return pathToFileURL(page).href;
}

/// How far two pictures are apart, square by square of 12 pixels, so that fonts count little, and what moves or vanishes does: the share
/// of squares whose mean colour differs by more than a sixth, and the mean difference, from 0 to 255.
const difference = (page, ...images) => page.evaluate(async (sources) => {
  const [was, is] = await Promise.all(sources.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const canvas = new OffscreenCanvas(Math.ceil(bitmap.width / 12), Math.ceil(bitmap.height / 12));
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  }));
  if (was.width !== is.width || was.height !== is.height) {
    return {far: 1, mean: 255};
  }
  let far = 0;
  let sum = 0;
  for (let at = 0; at < was.data.length; at += 4) {
    const apart = [0, 1, 2].map((channel) => Math.abs(was.data[at + channel] - is.data[at + channel]));
    far += Math.max(...apart) > 42 ? 1 : 0;
    sum += apart.reduce((all, each) => all + each) / 3;
  }
  return {far: far / (was.data.length / 4), mean: sum / (was.data.length / 4)};
}, images.map((each) => each.toString('base64')));

for (const name of Object.keys(shown)) {
  test(`the picture ${name}.png is what the page looks like`, async () => {
    const page = await open(browser, pageOf(name), {viewport: {width: 1440, height: 900}, colorScheme: 'light'});
    await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
    await page.evaluate(() => document.fonts.ready);
    // Both the rows of the transcript and the canvas are drawn when the page is idle.
    await page.waitForFunction(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => done(true)))));
    const is = await page.screenshot({animations: 'disabled'});
    const file = path.join(pictures, `${name}.png`);
    if (write) {
      writeFileSync(file, is);
    }
    const {far, mean} = await difference(await blank(), readFileSync(file), is);
    assert.ok(far < 0.02 && mean < 2, `${(far * 100).toFixed(1)} % of the squares differ, by ${mean.toFixed(1)} in the mean`);
    await closeFile(page);
  });
}

/// A page without the strict policy of ours, which decodes the pictures.
async function blank() {
  const page = await browser.newPage();
  await page.goto('about:blank');
  return page;
}
