// Many sessions: in a file, and as a server has them.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {close, closeFile, launch, open, texts} from './browser.mjs';
import {decision, hostile, review} from './scenarios.mjs';
import {Server, sessionAt} from './server.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const sizes = {phone: {width: 390, height: 844}, tablet: {width: 720, height: 900}, desktop: {width: 1440, height: 900}};
const count = 200;

const agent = (id) => ({participant_id: id, kind: 'agent', role_id: `role-${id}`});

/// Some of these sessions complete, some with failures, some are cancelled.
const triage = {
  convene: '1',
  collab: {title: `Triage ${hostile.script} left \u202e thgir ${'and so on '.repeat(8)}`, purpose: 'Close tickets', mode: 'swarm',
           participants: [agent('ada'), agent('ben'), {participant_id: 'maria', kind: 'human', role_id: 'role-lead'}]},
  task: 'Triage',
  tasks: [1, 2, 3, 4, 5, 6].map((part) => ({title: `Part ${part}`})),
  behaviours: {'*': {type: 'simulated', failure: 0.12, latency_ms: {lognormal: {median: 800, p99: 6000}}},
               maria: {type: 'simulated', latency_ms: {lognormal: {median: 3000, p99: 9000}}}},
  session: {max_turns: 9},
};

let folder;
let browser;
let server;
let url; // of the file with many
let results; // of its sessions, in their order
const ids = {}; // of the server's sessions

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-list-'));
  const scenario = path.join(folder, 'triage.json');
  writeFileSync(scenario, JSON.stringify(triage));
  const out = path.join(folder, 'many');
  const ran = spawnSync(program, ['run', scenario, '--out', out, '--instances', String(count), '--seed', '5', '--quiet'], {encoding: 'utf8'});
  assert.ok(ran.status <= 1, ran.stderr);
  const file = path.join(folder, 'many.html');
  const viewed = spawnSync(program, ['view', out, '--out', file, '--json'], {encoding: 'utf8'});
  assert.equal(JSON.parse(viewed.stdout).sessions, count, viewed.stderr);
  url = pathToFileURL(file).href;
  results = resultsOf(out);
  [browser, server] = await Promise.all([launch(), Server.start()]);
  [ids.asked, ids.decided, ids.cancelled, ids.suspended] = await Promise.all(
      [server.session(review({title: 'Review of the login fix'})), server.session(decision()),
       server.session(review({title: 'Cancelled by hand'})), server.session(review({title: 'Suspended by hand'}))]);
  await server.request(`/v1/sessions/${ids.cancelled}/cancel`, {body: {reason: 'no more'}});
  await server.request(`/v1/sessions/${ids.suspended}/suspend`, {body: {}});
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, {recursive: true, force: true});
});

/// What the log says of each session, in the order in which they began.
function resultsOf(out) {
  const sessions = new Map();
  const log = path.join(out, 'log');
  const lines = readdirSync(log).sort().flatMap((name) => readFileSync(path.join(log, name), 'utf8').split('\n'));
  for (const line of lines.filter((each) => each.startsWith('{"event_id"'))) {
    const {event_type: type, session_id: id, payload} = JSON.parse(line);
    const of = sessions.get(id) ?? {id, failures: 0, turns: 0, failed: 0};
    sessions.set(id, of);
    if (type === 'MAPTurnDispatched') {
      of.turns += 1;
    } else if (type === 'MAPTurnCompleted' && ['failed', 'timed_out', 'declined'].includes(payload.status)) {
      of.failures += 1;
      of.failed += 1;
    } else if (type === 'write_refused' || type === 'claim_refused') {
      of.failures += 1;
    } else if (type === 'MAPSessionCompleted') {
      of.status = payload.status;
      of.condition = payload.stop_reason.condition;
    }
  }
  return [...sessions.values()];
}

async function view(fragment = '', options = {viewport: sizes.desktop}) {
  const page = await open(browser, url + fragment, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
}

const rows = (page) => page.locator('.session-body .session-row');
const chip = (page, name) => page.locator('.chips button', {hasText: name});

async function findings(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  const found = violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`);
  return await page.evaluate(() => document.documentElement.scrollWidth > innerWidth) ? [...found, 'too wide'] : found;
}

async function picture(page, name) {
  if (pictures) {
    await page.screenshot({path: path.join(pictures, `${name}.png`)});
  }
}

test('a file of many sessions begins with their list, whose numbers are those of the log', async () => {
  const page = await view();
  assert.equal(await page.locator('#one').isVisible(), false);
  const number = async (name) => Number((await chip(page, name).locator('b').textContent()).replaceAll(',', ''));
  assert.equal(await number('All'), count);
  assert.equal(await number('Cancelled'), results.filter((each) => each.status === 'cancelled').length);
  assert.equal(await number('Completed with failures'), results.filter((each) => each.status === 'completed' && each.failures > 0).length);
  const clean = results.filter((each) => each.status === 'completed' && each.failures === 0).length;
  assert.ok(clean > 0);
  assert.equal(await page.locator('[data-kind="completed"] b').textContent(), String(clean));
  const shown = results.findIndex((each) => each.failed > 0);
  assert.match(await rows(page).nth(shown).textContent(),
               new RegExp(`${results[shown].failures} failures?, ${results[shown].failed} of ${results[shown].turns} turns failed`));
  assert.equal(await rows(page).nth(shown).locator('.strip .fail').count(), results[shown].failed);
  await closeFile(page);
});

test('filters, a search and an order find sessions, and the address keeps them', async () => {
  const page = await view();
  await chip(page, 'Cancelled').click();
  const cancelled = results.filter((each) => each.status === 'cancelled').length;
  await page.getByText(`${cancelled} of ${count} sessions`).waitFor();
  await page.locator('#sessions-order').selectOption('failures');
  const most = Math.max(...results.filter((each) => each.status === 'cancelled').map((each) => each.failures));
  assert.match(await rows(page).first().textContent(), new RegExp(`${most} failures?`));
  const kept = new URL(page.url()).hash;
  assert.match(kept, /kind=cancelled/);
  await chip(page, 'All').click();
  const {id} = results[137];
  await page.getByLabel('Search sessions').fill(id.toUpperCase());
  await page.getByText(`1 of ${count} sessions`).waitFor();
  await page.getByLabel('Search sessions').fill('nothing has this');
  await page.getByText('No session matches.').waitFor();
  await closeFile(page);
  const again = await view(kept);
  await again.getByText(`${cancelled} of ${count} sessions`).waitFor();
  assert.equal(await again.locator('#sessions-order').inputValue(), 'failures');
  const conditions = new Map();
  for (const {condition} of results) {
    conditions.set(condition, (conditions.get(condition) ?? 0) + 1);
  }
  const [[condition, number]] = conditions;
  await chip(again, 'All').click();
  await again.locator('#sessions-reason').selectOption(condition);
  await again.getByText(`${number} of ${count} sessions`).waitFor();
  await closeFile(again);
});

test('the keyboard opens a session from the list, and comes back', async () => {
  const page = await view();
  await page.keyboard.press('/');
  await page.keyboard.type(results[150].id);
  await page.getByText(`1 of ${count} sessions`).waitFor();
  await page.locator('.session-body a').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.getElementById('one').hidden);
  assert.match(page.url(), /#s=151$/);
  await page.locator('#badge .badge').first().waitFor();
  await page.getByRole('link', {name: 'All sessions'}).press('Enter');
  await rows(page).first().waitFor();
  await page.goBack();
  await page.waitForFunction(() => !document.getElementById('one').hidden);
  await closeFile(page);
});

test('only rows near what is in view are there, and each can be reached', async () => {
  const page = await view();
  assert.ok(await rows(page).count() < 60, 'as many rows as the window has');
  await page.locator('#sessions').evaluate((at) => at.scrollTo(0, at.scrollHeight));
  await page.locator(`.session-row[aria-rowindex="${count + 1}"]`).waitFor();
  assert.ok(await rows(page).count() < 60);
  const order = await rows(page).evaluateAll((all) => all.map((each) => Number(each.getAttribute('aria-rowindex'))));
  assert.deepEqual(order, order.toSorted((one, two) => one - two));
  await closeFile(page);
});

test('ten thousand sessions in a file stay usable', async () => {
  const scenario = path.join(folder, 'small.json');
  writeFileSync(scenario, JSON.stringify({
    convene: '1',
    collab: {title: 'Small', purpose: 'Be many', mode: 'round_robin', participants: [agent('ada'), agent('ben')]},
    task: 'Say one word', behaviours: {'*': {type: 'simulated', failure: 0.1, latency_ms: {constant: 5}}},
  }));
  const out = path.join(folder, 'large');
  const ran = spawnSync(program, ['run', scenario, '--out', out, '--instances', '10000', '--seed', '7', '--quiet'], {encoding: 'utf8'});
  assert.ok(ran.status <= 1, ran.stderr);
  const all = resultsOf(out);
  const file = path.join(folder, 'large.html');
  const viewed = spawnSync(program, ['view', out, '--out', file, '--json'], {encoding: 'utf8'});
  assert.equal(viewed.status, 0, viewed.stderr);
  const page = await open(browser, pathToFileURL(file).href, {viewport: sizes.desktop});
  await page.getByText('10,000 sessions').first().waitFor();
  assert.ok(await rows(page).count() < 60);
  await page.getByLabel('Search sessions').fill(all[9998].id);
  await page.getByText('1 of 10,000 sessions').waitFor();
  await rows(page).first().locator('a').click();
  await page.waitForFunction(() => !document.getElementById('one').hidden && location.hash === '#s=9999');
  await page.locator('#badge .badge').first().waitFor();
  await page.goto(`${pathToFileURL(file).href}#list&kind=failures`);
  const failing = all.filter((each) => each.status === 'completed' && each.failures > 0).length;
  await page.getByText(`${failing.toLocaleString('en')} of 10,000 sessions`).waitFor();
  await closeFile(page);
});

test('the page of a list is small before its data', () => {
  const file = path.join(folder, 'many.html');
  const data = [...readFileSync(file, 'utf8').matchAll(/<script type="text\/plain"[^>]*>[^<]*<\/script>/g)]
      .reduce((all, [each]) => all + each.length, 0);
  assert.ok(statSync(file).size - data < 165 * 1024);
});

test('titles of others are only text in a list', async () => {
  const page = await view();
  await rows(page).first().waitFor();
  assert.match((await texts(page, '.session-body a'))[0], /<script>window\.harmed = 1<\/script> left ⟨202E⟩ thgir/);
  const [first] = await texts(page, '#session option');
  assert.match(first, /^1\. Triage <script>window\.harmed = 1<\/script> left ⟨202E⟩ thgir and .*… \((completed|cancelled)\)$/);
  await closeFile(page);
});

test('the menu of two runs with many sessions has the first 200, and how many more there are', async () => {
  const out = path.join(folder, 'many');
  const file = path.join(folder, 'two.html');
  const viewed = spawnSync(program, ['view', out, '--with', out, '--out', file], {encoding: 'utf8'});
  assert.equal(viewed.status, 0, viewed.stderr);
  const page = await open(browser, pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  const options = await texts(page, '#session option');
  assert.equal(options.length, 201);
  assert.equal(options[200], `… ${2 * count - 200} more sessions`);
  await closeFile(page);
});

test('a list ignores kinds and orders in its address that do not exist', async () => {
  const file = await view('#list&kind=zzz&order=zzz');
  await file.getByText(`${count} sessions`, {exact: true}).waitFor();
  assert.equal(await chip(file, 'All').getAttribute('aria-pressed'), 'true');
  await closeFile(file);
  const home = await open(browser, `${server.url}/#/?kind=zzz&order=zzz`, {viewport: sizes.desktop});
  await rows(home).nth(3).waitFor();
  assert.equal(await chip(home, 'All').getAttribute('aria-pressed'), 'true');
  assert.equal(await home.locator('#sessions-order').inputValue(), '');
  await close(home);
});

test('an address may look for a long text of three bytes a character', async () => {
  const home = await open(browser, `${server.url}/#/?text=${encodeURIComponent('\u6f22'.repeat(150))}`, {viewport: sizes.desktop});
  await home.getByText(/No session matches|cannot be shown/).waitFor();
  assert.match(await home.locator('.found').textContent(), /No session matches/);
  await close(home);
});

test('a reason counts one turn as one', async () => {
  const scenario = path.join(folder, 'one.json');
  const {tasks: _, ...others} = triage;
  writeFileSync(scenario, JSON.stringify({...others, session: {max_turns: 1}, behaviours: {'*': {type: 'simulated'}},
                                          collab: {...triage.collab, mode: 'round_robin', participants: [agent('ada'), agent('ben')]}}));
  const out = path.join(folder, 'one');
  spawnSync(program, ['run', scenario, '--out', out, '--seed', '1', '--quiet']);
  const file = path.join(folder, 'one.html');
  const viewed = spawnSync(program, ['view', out, '--out', file], {encoding: 'utf8'});
  assert.equal(viewed.status, 0, viewed.stderr);
  const page = await open(browser, pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  assert.equal(await page.locator('#reason').textContent(), 'Turn limit reached: 1 turn.');
  await closeFile(page);
});

for (const [device, viewport] of Object.entries(sizes)) {
  test(`axe finds nothing in the lists: ${device}`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const file = await view('', {viewport, colorScheme});
      assert.deepEqual(await findings(file), [], colorScheme);
      await picture(file, `list-file-${device}-${colorScheme}`);
      await file.getByLabel('Search sessions').fill('nothing has this');
      assert.deepEqual(await findings(file), [], `nothing found, ${colorScheme}`);
      await closeFile(file);
      const home = await open(browser, server.url, {viewport, colorScheme});
      await rows(home).nth(3).waitFor();
      await home.locator('.asks').waitFor();
      assert.deepEqual(await findings(home), [], `home, ${colorScheme}`);
      await picture(home, `list-home-${device}-${colorScheme}`);
      await home.goto(`${server.url}/#/new`);
      await home.getByLabel('Scenario (JSON)').waitFor();
      assert.deepEqual(await findings(home), [], `new, ${colorScheme}`);
      await picture(home, `list-new-${device}-${colorScheme}`);
      await close(home);
    }
  });
}

const rowOf = (page, title) => rows(page).filter({hasText: title});

test('the home shows who is waited for, how sessions end, and what may be done', async () => {
  const page = await open(browser, server.url, {viewport: sizes.desktop});
  await rowOf(page, 'Review of the login fix').getByText('Waiting for ana').waitFor();
  await rowOf(page, 'The release').getByText('Waiting for dan').waitFor();
  await rowOf(page, 'Cancelled by hand').getByText('Cancelled: no more.').waitFor();
  await rowOf(page, 'Review of the login fix').getByText('$0.012').waitFor();
  assert.equal(await rowOf(page, 'Cancelled by hand').getByRole('button').count(), 0);
  await rowOf(page, 'Suspended by hand').getByRole('button', {name: 'Resume'}).click();
  await page.getByRole('button', {name: 'Yes, resume it'}).click();
  await rowOf(page, 'Suspended by hand').getByText('Waiting for ana').waitFor();
  await rowOf(page, 'Suspended by hand').getByRole('button', {name: 'Suspend'}).click();
  await page.getByRole('button', {name: 'Yes, suspend it'}).click();
  await rowOf(page, 'Suspended by hand').getByText('Suspended, turn').waitFor();
  await chip(page, 'Suspended').click();
  await page.getByText('1 session', {exact: true}).waitFor();
  assert.match(page.url(), /#\/\?kind=suspended$/);
  await page.reload();
  await page.getByText('1 session', {exact: true}).waitFor();
  await chip(page, 'All').click();
  await page.getByText('4 sessions', {exact: true}).waitFor();
  await page.getByLabel('Search sessions').fill('LOGIN');
  await page.getByText('1 session', {exact: true}).waitFor();
  await rowOf(page, 'Review of the login fix').locator('a').click();
  await page.waitForURL(sessionAt(server, ids.asked));
  await close(page);
});

test('a first session is started from the empty home, and run again', async () => {
  const own = await Server.start();
  const page = await open(browser, own.url, {viewport: sizes.desktop});
  await page.getByText('Start a first session').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByLabel('Scenario (JSON)').fill('{"convene": ');
  await page.getByRole('button', {name: 'Start session'}).click();
  await page.getByText('This is not JSON').waitFor();
  await page.getByLabel('Scenario (JSON)').fill('{"convene": "1", "collab": {"mode": "robin"}}');
  await page.getByRole('button', {name: 'Start session'}).click();
  await page.locator('.complaint code', {hasText: '/collab/mode'}).first().waitFor();
  await page.getByLabel('Example').selectOption({label: 'An agent writes, you approve'});
  await page.getByText('The same from a terminal').click();
  const line = await page.locator('.first pre').textContent();
  await page.getByLabel('Keep it as a draft').check();
  const lineOfDraft = await page.locator('.first pre').textContent();
  await page.getByLabel('Keep it as a draft').uncheck();
  await page.getByRole('button', {name: 'Start session'}).click();
  await page.waitForURL(/\/session\//);
  await page.locator('h1', {hasText: 'Review the announcement'}).waitFor();
  // The line for a terminal does the same.
  const made = spawnSync('sh', ['-c', line], {encoding: 'utf8'});
  const {session_id: second} = JSON.parse(made.stdout);
  assert.notEqual(second, undefined, made.stdout);
  assert.equal(JSON.parse(spawnSync('sh', ['-c', lineOfDraft], {encoding: 'utf8'}).stdout).status, 'draft');
  await page.getByRole('link', {name: 'Run again'}).click();
  await page.waitForFunction(() => document.getElementById('scenario')?.value.includes('Review the announcement'));
  await page.getByLabel('Keep it as a draft').check();
  await page.getByRole('button', {name: 'Start session'}).click();
  await page.waitForURL(/\/session\//);
  await page.getByText('It has not started.').waitFor();
  // An answer that comes after the user's own text does not replace it.
  let release;
  const held = new Promise((go) => { release = go; });
  await page.route('**/documents/scenario', async (route) => {
    await held;
    await route.continue();
  });
  const got = page.waitForResponse('**/documents/scenario');
  await page.getByRole('link', {name: 'Run again'}).click();
  const typed = '{"convene": "1", "seed": 9007199254740993}';
  await page.getByLabel('Scenario (JSON)').fill(typed);
  release();
  await (await got).finished();
  await page.evaluate(() => fetch('/').then((answer) => answer.text()));
  assert.equal(await page.getByLabel('Scenario (JSON)').inputValue(), typed);
  await page.evaluate(() => { Blob.prototype.text = () => new Promise((go) => { window.release = go; }); });
  await page.getByLabel('Or a scenario file').setInputFiles({name: 'late.json', mimeType: 'application/json', buffer: Buffer.from('{}')});
  await page.waitForFunction(() => window.release !== undefined);
  await page.getByLabel('Scenario (JSON)').fill(`${typed} `);
  await page.evaluate(() => window.release('late'));
  assert.equal(await page.getByLabel('Scenario (JSON)').inputValue(), `${typed} `);
  // The request has the text of the form: no number is rounded.
  const sent = page.waitForRequest((each) => each.method() === 'POST');
  await page.getByRole('button', {name: 'Start session'}).click();
  assert.equal((await sent).postData(), `{"scenario": ${typed} , "start": true}`);
  await page.goto(own.url);
  await rows(page).nth(3).waitFor();
  assert.equal(await chip(page, 'Draft').locator('b').textContent(), '2');
  await close(page);
  await own.stop();
});

test('a key sees and does what its scopes allow', async () => {
  const own = await Server.start({keys: {read: 'read', run: 'run', all: 'read,run,answer'}});
  await own.session(review({title: 'Only to look at'}), own.keys.all);
  const page = await open(browser, own.url, {viewport: sizes.desktop});
  await page.getByLabel('Key', {exact: true}).fill(own.keys.read);
  await page.keyboard.press('Enter');
  await rowOf(page, 'Only to look at').getByText('Waiting for ana').waitFor();
  assert.equal(await rowOf(page, 'Only to look at').getByRole('button').count(), 0);
  assert.equal(await page.getByRole('link', {name: 'New session'}).isVisible(), false);
  await page.goto(`${own.url}/#/new`);
  await page.getByText('It needs the scope runs:create (convene keys new --scope read,run).').waitFor();
  assert.deepEqual(await findings(page), []);
  await close(page);
  const blind = await open(browser, own.url, {viewport: sizes.desktop});
  await blind.getByLabel('Key', {exact: true}).fill(own.keys.run);
  await blind.keyboard.press('Enter');
  await blind.getByText('This key may not list sessions.').waitFor();
  assert.equal(await blind.getByLabel('Search sessions').isVisible(), false);
  assert.equal(await chip(blind, 'All').isVisible(), false);
  await close(blind);
  await own.stop();
});

test('more sessions than a page has are shown a page at a time, the newest first', async () => {
  const own = await Server.start();
  const body = (i) => ({start: false, scenario: review({title: `Draft ${String(i).padStart(3, '0')}`})});
  for (let i = 0; i < 120; ++i) {
    await own.request('/v1/sessions', {body: body(i)});
  }
  const page = await open(browser, own.url, {viewport: sizes.desktop});
  await page.getByText('1 to 50 of 120 sessions').waitFor();
  await rows(page).first().getByText('Draft 119').waitFor();
  assert.equal(await page.getByRole('button', {name: 'Newer'}).isVisible(), false);
  // Two quick clicks turn one page.
  await page.getByRole('button', {name: 'Older'}).evaluate((at) => {
    at.click();
    at.click();
  });
  await page.getByText(/^(51|101) to/).waitFor();
  assert.equal(await page.locator('.found').textContent(), '51 to 100 of 120 sessions');
  await page.getByRole('button', {name: 'Older'}).click();
  await page.getByText('101 to 120 of 120 sessions').waitFor();
  assert.equal(await page.getByRole('button', {name: 'Older'}).isVisible(), false);
  await page.getByRole('button', {name: 'Newer'}).click();
  await page.getByText('51 to 100 of 120 sessions').waitFor();
  await page.locator('#sessions-order').selectOption('oldest');
  await page.getByText('1 to 50 of 120 sessions').waitFor();
  await rows(page).first().getByText('Draft 000').waitFor();
  await close(page);
  await own.stop();
});

test('a list that is asked for during a request is asked for right after it, and shows no older answer', async () => {
  const page = await open(browser, server.url, {viewport: sizes.desktop});
  await rows(page).nth(3).waitFor();
  const asked = [];
  let arrived = () => {};
  const next = async () => {
    while (asked.length === 0) {
      await new Promise((go) => { arrived = go; });
    }
    return asked.shift();
  };
  await page.route('**/v1/sessions?*', (route) => {
    asked.push(route);
    arrived();
  });
  const running = await next();
  // From here on no timer of the page ends by itself.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await chip(page, 'Suspended').click();
  await page.clock.runFor(500);
  const answer = await running.fetch();
  const old = await answer.json();
  old.sessions[0].title = 'An older answer';
  await running.fulfill({response: answer, json: old});
  const wanted = await next();
  assert.match(wanted.request().url(), /status=suspended/);
  assert.equal(await rowOf(page, 'An older answer').count(), 0);
  await wanted.continue();
  await page.getByText('1 session', {exact: true}).waitFor();
  await page.unrouteAll({behavior: 'ignoreErrors'});
  await close(page);
});
