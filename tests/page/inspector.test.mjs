// What a reader wants to know of a session, on the page that `convene view`
// makes: what happened, who waited, what went wrong.
import assert from 'node:assert/strict';
import {execFile, execFileSync, spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import {closeFile, launch, open, texts} from './browser.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const examples = new URL('../../examples/', import.meta.url).pathname;
const inspector = new URL('../../server/page/inspector/', import.meta.url).pathname;
const bidi = 'a\u202etxt.exe';

const writing = {type: 'simulated', failure: 0.1, latency_ms: {lognormal: {median: 6000, p99: 31000}},
                 writes: {share: 0.6, stale: 0.3, resources: [{resource_type: 'doc', resource_id: 'backlog'}]}};
const crowd = {
  collab: {title: `Triage ${bidi}`, purpose: 'Triage', mode: 'swarm',
           participants: Array.from({length: 50}, (_, i) => ({participant_id: `agent-${i + 1}`, kind: 'agent', role_id: `role-${i % 2}`}))},
  task: 'Triage', tasks: Array.from({length: 150}, (_, i) => ({title: `Ticket ${i + 1}`})),
  workspace: [{resource_type: 'doc', resource_id: 'backlog', value: 'first\nsecond\n'}], behaviours: {'*': writing}, session: {max_turns: 150},
};

let folder;
let browser;
const files = {};
const eventsOf = (name) => readFileSync(path.join(folder, name, 'events.jsonl'), 'utf8').trim().split('\n')
    .map((line) => JSON.parse(line)).filter((each) => each.event_type !== undefined);

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-inspector-'));
  writeFileSync(path.join(folder, 'crowd.json'), JSON.stringify({convene: '1', ...crowd}));
  const scenarios = {crowd: path.join(folder, 'crowd.json')};
  for (const name of ['runaway-pair', 'contested-decision', 'support-desk', 'code-review']) {
    scenarios[name] = path.join(examples, name, 'scenario.json');
  }
  for (const [name, scenario] of Object.entries(scenarios)) {
    const log = path.join(folder, name);
    const done = spawnSync(program, ['run', scenario, '--out', log, '--seed', '3', '--quiet'], {encoding: 'utf8'});
    assert.ok(done.status <= 1, done.stderr);
    const file = path.join(folder, `${name}.html`);
    execFileSync(program, ['view', log, '--out', file, '--quiet']);
    files[name] = {log, file};
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

async function view(name, fragment = '', options = {viewport: {width: 1440, height: 900}}) {
  const page = await open(browser, pathToFileURL(files[name].file).href + fragment, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined
                                   && document.querySelector('.chunk').style.minHeight === '');
  if (pictures) {
    await page.screenshot({path: path.join(pictures, `inspector-${name}-${options.viewport.width}.png`)});
  }
  return page;
}

const chosenRow = (page) => page.locator('#transcript [aria-current="true"]');
const story = (name) => JSON.parse(execFileSync(program, ['explain', files[name].log, '--json'], {encoding: 'utf8'})).sessions[0];
const colourOf = (page, selector, name) => page.locator(selector).evaluate((each, property) => getComputedStyle(each)[property], name);

test('a session that a guard cancelled says why in a sentence, and is not green', async () => {
  const page = await view('runaway-pair');
  assert.deepEqual(await texts(page, '.badge'), ['Cancelled by a guard']);
  assert.equal(await page.locator('#reason').textContent(), 'No progress in 6 turns of lou and kim.');
  const green = await (async () => {
    const other = await view('contested-decision');
    const colours = [await colourOf(other, '.badge', 'backgroundColor'), await colourOf(other, '#band', 'borderLeftColor')];
    await closeFile(other);
    return colours;
  })();
  assert.ok(!green.includes(await colourOf(page, '.badge', 'backgroundColor')));
  assert.ok(!green.includes(await colourOf(page, '#band', 'borderLeftColor')));
  assert.match((await texts(page, '#cards .card')).join(' '), /Loop: kim and lou/);
  assert.match((await texts(page, '.same')).join(' '), /same words as #2, nothing written/);
  await closeFile(page);
});

test('completed with failures is not the same as completed', async () => {
  const page = await view('code-review');
  assert.deepEqual(await texts(page, '.badge'), ['Completed', 'with 1 failure']);
  await closeFile(page);
});

test('numbers of the tiles are those of the log', async () => {
  const {payload} = eventsOf('crowd').find((each) => each.event_type === 'MAPSessionCompleted');
  const failed = eventsOf('crowd').filter(({event_type: type, payload: {status}}) => type === 'MAPTurnCompleted'
      && ['failed', 'timed_out', 'declined'].includes(status)).length;
  const page = await view('crowd');
  const tiles = Object.fromEntries(await page.locator('.tile').evaluateAll((all) => all.map((each) => [
    each.querySelector('dt').textContent, each.querySelector('dd').textContent])));
  assert.equal(tiles[`turns, ${failed} failed`], String(payload.turns_total));
  assert.equal(tiles.conflicts, String(payload.conflicts_count));
  await closeFile(page);
});

test('the error of a failed turn is one click away, whole and in its place', async () => {
  const {failures} = story('code-review');
  const failed = eventsOf('code-review')[failures.first[0].event - 1];
  assert.equal(failed.event_type, 'MAPTurnCompleted');
  const page = await view('code-review');
  await page.locator('#cards .card', {hasText: 'failed'}).click();
  const row = chosenRow(page);
  await row.locator('.error').waitFor();
  assert.ok((await row.locator('.error').textContent()).includes(failed.payload.error.message));
  assert.match(await row.locator('.number').textContent(), new RegExp(`#${failed.payload.turn_number}$`));
  assert.deepEqual(JSON.parse(await page.locator('#json').textContent()), failed);
  await closeFile(page);
});

test('what is chosen on the timeline is chosen in the transcript, and the other way round', async () => {
  const events = eventsOf('contested-decision');
  const page = await view('contested-decision');
  const {x, y, width} = await page.locator('#canvas').boundingBox();
  const turn = events.findIndex((each) => each.event_type === 'MAPTurnDispatched' && each.payload.participant_id === 'mara');
  const length = events.length - 1;
  await page.mouse.click(x + 160 + (turn + 1 + length * 0.01) / (length * 1.02) * (width - 160), y + 24 + 15);
  await chosenRow(page).waitFor();
  assert.match(await chosenRow(page).textContent(), /mara#1.*One table in the database/);
  await page.locator('#transcript .row', {hasText: 'A broker of its own.'}).click();
  const other = events.findIndex((each) => each.event_type === 'MAPTurnDispatched' && each.payload.participant_id === 'ivo');
  await page.waitForFunction((hash) => location.hash === hash, `#s=1&e=${other + 1}`);
  assert.equal(await chosenRow(page).count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await chosenRow(page).count(), 0);
  await closeFile(page);
});

test('a conflict has both sides, what stands, and who voted for what', async () => {
  const page = await view('contested-decision');
  const box = page.locator('.box.conflict');
  assert.deepEqual(await box.locator('.side').evaluateAll((all) => all.map((each) => [
    each.querySelector('b').textContent, each.querySelector('.tag').textContent, each.querySelector('.mono').textContent])),
                   [['ivo', 'stands', 'Jobs go through a broker.'], ['mara', 'dropped', 'Jobs are rows of a table.']]);
  assert.deepEqual(await texts(page, '.vote'), ['ivo2: omar, pia', 'mara1: nadia']);
  await closeFile(page);
});

test('handoffs, questions to people and writes are in the transcript', async () => {
  const page = await view('support-desk');
  assert.match((await texts(page, '.handoff')).join(' '), /Hands off to billing: Find out which of the two charges is wrong/);
  assert.deepEqual(await texts(page, '.question'), ['Billing wants to pay 49.90 back. Do we?']);
  const write = page.locator('.fold', {hasText: 'ticket/4711/crash'}).first();
  await write.locator('summary').click();
  await write.locator('pre').waitFor();
  await closeFile(page);
  const crowded = await view('crowd');
  await crowded.getByRole('button', {name: 'Changes', exact: true}).click();
  const changed = crowded.locator('.fold', {hasText: 'doc/backlog'}).first();
  await changed.locator('summary').click();
  assert.deepEqual(await changed.locator('.removed code').allTextContents(), ['first', 'second', '']);
  await closeFile(crowded);
});

test('the keyboard goes from failure to failure and from turn to turn', async () => {
  const failed = eventsOf('crowd').filter(({event_type: type, payload: {status}}) => type === 'MAPTurnCompleted'
      && ['failed', 'timed_out', 'declined'].includes(status)).map(({payload}) => payload.turn_number);
  const page = await view('crowd');
  await page.keyboard.press('4'); // trouble
  const seen = [];
  for (let i = 0; seen.length < 2 && i < 150; ++i) {
    const before = page.url();
    await page.keyboard.press('n');
    await page.waitForFunction((url) => location.href !== url, before);
    const row = chosenRow(page);
    await row.waitFor();
    if (await row.evaluate((each) => each.classList.contains('bar'))) {
      seen.push(Number((await row.locator('.number').textContent()).slice(1)));
    }
  }
  assert.deepEqual(seen, failed.slice(0, 2));
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await chosenRow(page).waitFor();
  const first = eventsOf('crowd').find((each) => each.event_type === 'MAPTurnCompleted').payload.turn_number;
  assert.equal(await chosenRow(page).locator('.number').textContent(), `#${first}`);
  await page.keyboard.press('?');
  assert.ok(await page.locator('#keys').isVisible());
  await closeFile(page);
});

test('many participants are grouped, and quiet ones are one band until asked for', async () => {
  const page = await view('crowd');
  assert.equal(await page.locator('#grouping').inputValue(), 'trouble');
  const heightOf = () => page.evaluate(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById('canvas').height)));
  }));
  await page.locator('#filters > summary').click();
  await page.locator('#filter').fill('agent-1');
  const grouped = await heightOf();
  await page.locator('#grouping').selectOption('all');
  assert.ok(await heightOf() !== grouped, 'nothing was grouped');
  await page.locator('#filter').fill('');
  // Far fewer rows are there than the session has, and they are not the page's height.
  assert.ok(await page.locator('#transcript .row').count() <= 100);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight));
  await closeFile(page);
});

test('failures with one reason are one group of the transcript', async () => {
  const {failures} = story('crowd');
  const most = failures.first.toSorted((one, two) => (two.times ?? 1) - (one.times ?? 1))[0];
  assert.ok(most.times > 1);
  const page = await view('crowd');
  await page.getByRole('button', {name: 'Trouble', exact: true}).click();
  assert.match(await page.locator('#transcript .group').first().textContent(), new RegExp(`^${most.times} failed: the simulation drew a failure`));
  const rowsBefore = (heading) => page.waitForFunction(([count, words]) => {
    const all = [...document.querySelectorAll('#transcript .chunk > *')];
    const begin = all.findIndex((each) => each.textContent.startsWith(words));
    return begin >= 0 && all.slice(begin + 1).findIndex((each) => !each.matches('.row')) === count;
  }, heading);
  const words = `${most.times} failed: the simulation drew`;
  await rowsBefore([6, words]);
  await page.getByRole('button', {name: `${most.times - 6} more`, exact: true}).click();
  await rowsBefore([most.times, words]);
  // A card leads to its row also where the filter has left it out.
  await page.getByRole('button', {name: 'Said', exact: true}).click();
  await page.locator('#cards .card', {hasText: 'conflict'}).last().click();
  await chosenRow(page).locator('.box.conflict').waitFor();
  await closeFile(page);
});

test('a tip tells what a bar is', async () => {
  const events = eventsOf('code-review');
  const failed = events.find(({event_type: type, payload}) => type === 'MAPTurnCompleted' && payload.status === 'failed');
  const from = events.findIndex(({event_type: type, payload}) => type === 'MAPTurnDispatched' && payload.token_id === failed.payload.token_id);
  const page = await view('code-review');
  const {x, y, width} = await page.locator('#canvas').boundingBox();
  const length = events.length - 1;
  const lane = events.find((each) => each.event_type === 'MAPRolesAssigned').payload.assignments
      .findIndex((each) => each.participant_id === 'coder');
  await page.mouse.move(x + 160 + (from + 0.5 + length * 0.01) / (length * 1.02) * (width - 160), y + 24 + 34 * lane + 15);
  await page.locator('#tip').waitFor();
  const words = await page.locator('#tip').textContent();
  assert.ok(words.startsWith('#2 coder, failed'), words);
  assert.ok(words.includes(failed.payload.error.message.slice(0, 40)), words);
  await closeFile(page);
});

test('the story has the sentences of convene explain, which lead to their events', async () => {
  const {happenings} = story('support-desk');
  const page = await view('support-desk');
  await page.getByRole('button', {name: 'Story', exact: true}).click();
  const shown = await texts(page, '.sentence span');
  assert.deepEqual(shown.slice(0, happenings.first.length).map((each) => each.replace(/\.$/, '')),
                   happenings.first.map(({words}) => words.replace(/\.$/, '')));
  await page.locator('.sentence').nth(1).click();
  await page.waitForFunction((hash) => location.hash === hash, `#s=1&e=${happenings.first[1].event}`);
  await closeFile(page);
});

test('texts that turn their direction around are shown by their numbers', async () => {
  const page = await view('crowd');
  assert.equal(await page.locator('#title').textContent(), 'Triage a⟨202E⟩txt.exe');
  await closeFile(page);
});

test('idle time is left out only where no request is open', () => {
  const source = ['data.js', 'scale.js'].map((name) => readFileSync(path.join(inspector, name), 'utf8')).join('\n');
  const Scale = new Function(`${source}\nreturn Scale;`)();
  // A turn from 0 to 9,000 ms, a pause of an hour, and a turn of 10 s within which nothing is said.
  const time = [0, 10, 20, 30, 40, 9000, 3_609_000, 3_609_010, 3_619_010];
  const bar = {kind: [0, 0], from: [0, 7], to: [5, 8]};
  const scale = new Scale('busy', {time, bar});
  assert.equal(scale.shown[5] - scale.shown[0], 9000);
  assert.equal(scale.shown[8] - scale.shown[7], 10_000);
  assert.equal(scale.breaks.length, 1);
  assert.equal(scale.breaks[0].left + scale.shown[6] - scale.shown[5], 3_600_000);
  assert.ok(scale.shown[6] - scale.shown[5] < 9000);
  assert.deepEqual([...new Scale('time', {time, bar}).shown], time);
});

test('at 200 % the timeline is in view, and on a phone nothing is too wide', async () => {
  for (const viewport of [{width: 720, height: 450}, {width: 390, height: 844}]) {
    const page = await view('runaway-pair', '', {viewport});
    const {y} = await page.locator('#canvas').boundingBox();
    assert.ok(y + 60 < viewport.height, `the timeline begins at ${y} of ${viewport.height}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await closeFile(page);
  }
});

test('on paper the whole transcript is there', async () => {
  const page = await view('support-desk');
  const rows = Number((await page.locator('#transcript-count').textContent()).split(' ')[0]);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({media: 'print'});
  await page.waitForFunction((count) => document.querySelectorAll('#transcript .row').length === count, rows);
  assert.ok(await page.evaluate(() => {
    const {scrollHeight, clientHeight} = document.getElementById('transcript');
    return scrollHeight <= clientHeight + 1;
  }), 'it is cut');
  await closeFile(page);
});

test('a call of a model has its prompt as it was sent, thoughts, calls of tools, attempts and usage', async () => {
  const evil = '</script><img src=x onerror="window.harmed = 1">';
  const models = {models: {m: {dialect: 'deepseek', answers: [
    {status: 503, message: 'Overloaded'}, {tools: [{name: 'read_resource', arguments: {resource_type: 'doc', resource_id: 'a'}}]},
    {text: `Done ${evil}`, thoughts: `First I read ${evil}`}]}}};
  writeFileSync(path.join(folder, 'models.json'), JSON.stringify(models));
  const mock = spawn(program, ['mock-model', '--profile', path.join(folder, 'models.json'), '--listen', '127.0.0.1:0', '--json']);
  try {
    const said = await new Promise((done, fail) => {
      mock.stdout.once('data', (text) => done(String(text)));
      mock.once('exit', () => fail(new Error('the mock model ended')));
    });
    const {host, origin} = new URL(JSON.parse(said).listening);
    const scenario = {convene: '1', collab: {title: 'Model', purpose: 'Ask', mode: 'round_robin', participants: [
      {participant_id: 'ada', kind: 'agent', role_id: 'role-a'}]}, task: 'Fix it', workspace: [{resource_type: 'doc', resource_id: 'a', value: 'one'}],
                      behaviours: {ada: {type: 'llm', model: 'm', base_url: `${origin}/v1`}}, session: {rounds: 1}};
    writeFileSync(path.join(folder, 'model.json'), JSON.stringify(scenario));
    const log = path.join(folder, 'model');
    // Asynchronously: the mock is asked meanwhile.
    await promisify(execFile)(program, ['run', path.join(folder, 'model.json'), '--out', log, '--log-prompts', '--allow', `net=${host}`, '--quiet']);
    files.model = {log, file: path.join(folder, 'model.html')};
    execFileSync(program, ['view', log, '--out', files.model.file, '--quiet']);
  } finally {
    mock.removeAllListeners('exit');
    mock.kill();
  }
  const ended = eventsOf('model').filter((each) => each.event_type === 'action_ended').map(({payload}) => payload.result);
  const page = await view('model');
  await page.locator('#transcript .row.bar').first().click();
  const calls = page.locator('.model');
  await calls.nth(1).waitFor();
  assert.equal(await calls.count(), 2);
  const first = await calls.first().textContent();
  assert.match(first, /attempt 1 failed.*server_error.*attempt 2 completed/);
  assert.ok(first.includes('read_resource({"resource_type":"doc","resource_id":"a"})'), first);
  assert.ok(first.includes(`${ended[1].usage.prompt_tokens} + ${ended[1].usage.completion_tokens} tokens`), first);
  const last = calls.last();
  await last.locator('summary', {hasText: 'Prompt as sent: 4 messages'}).click();
  await last.locator('pre', {hasText: 'The task: Fix it'}).waitFor();
  await last.locator('summary', {hasText: 'Thoughts'}).click();
  await last.getByText(`First I read ${evil}`).waitFor();
  await last.getByText(`Done ${evil}`).waitFor();
  await closeFile(page);
});

test('the page has less than 150 KB before its data', () => {
  const html = readFileSync(files['support-desk'].file, 'utf8').replace(/<script type="text\/plain"[^<]*<\/script>/g, '');
  assert.ok(html.length < 150_000, `${html.length} bytes`);
});
