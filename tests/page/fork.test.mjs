// A session is forked on its page: what was answered is edited, and another
// session continues from there.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {close, launch, open} from './browser.mjs';
import {hostile, review} from './scenarios.mjs';
import {Server, sessionAt} from './server.mjs';

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const pictures = process.env.CONVENE_SCREENSHOTS;
const desktop = {viewport: {width: 1440, height: 900}};
const large = '9007199254740993'; // not a number of JavaScript

let browser;
let server;
before(async () => {
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function view(id, {of = server, fragment = '', options = desktop} = {}) {
  const page = await open(browser, sessionAt(of, id) + fragment, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
}

const rowOf = (page, text) => page.locator('#transcript .row', {hasText: text});
const badge = (page, text) => page.locator('#badge', {hasText: text}).waitFor();
const idOf = (page) => decodeURIComponent(new URL(page.url()).pathname.split('/')[2]);
const start = (page) => page.getByRole('button', {name: 'Start the fork'}).click();

async function opens(page, text) {
  await rowOf(page, text).first().click();
  await page.getByRole('button', {name: 'Fork here …'}).click();
}

/// Of the fork's page, once it is there.
async function forkFrom(page, id) {
  await page.waitForURL((url) => url.pathname.startsWith('/session/') && !url.pathname.includes(id));
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return idOf(page);
}

/// A script writes a large integer; ana answers; the session ends.
const scenario = (title) => {
  const made = review({title, rounds: 1});
  made.behaviours.coder.turns[0].writes.push({resource_type: 'doc', resource_id: 'count', base_version: 0, value: 'LARGE'});
  return JSON.stringify(made).replace('"LARGE"', large);
};

async function session(title) {
  const answer = await fetch(`${server.url}/v1/sessions`, {method: 'POST', headers: {'Content-Type': 'application/json'},
                                                          body: `{"scenario": ${scenario(title)}}`});
  const {session_id: id} = await answer.json();
  await server.question(id);
  return id;
}

async function hasEnded(id) {
  while ((await server.request(`/v1/sessions/${id}`)).status !== 'completed') {
    await new Promise((done) => { setTimeout(done, 50); });
  }
}

test('an answer of an ended session is edited, the fork continues from it, and leads back', async () => {
  const id = await session('Forked');
  await server.answer(id, {content: 'Merge it.'});
  await hasEnded(id);
  const before = await server.events(id);
  const page = await view(id);
  await opens(page, 'Inactive users');
  await page.getByRole('heading', {name: 'Fork at turn 1 of coder'}).waitFor();
  assert.match(await page.getByLabel('Answer', {exact: true}).inputValue(), /^Inactive users are refused\. <script>/);
  await page.getByText('The rest of the reply').click();
  const rest = await page.getByLabel('Reply without its text (JSON)').inputValue();
  assert.ok(rest.includes(large) && !rest.includes('usage'), rest);
  await page.getByLabel('Answer', {exact: true}).fill(`Nothing is refused. ${hostile.script}`);
  await start(page);

  const fork = await forkFrom(page, id);
  await badge(page, 'Waiting for ana');
  await rowOf(page, 'Nothing is refused. <script>').waitFor();
  assert.equal(await rowOf(page, 'Inactive users').count(), 0);
  const written = (await (await fetch(`${server.url}/v1/sessions/${fork}/events?limit=1000`)).text()).match(/"value": ?9\d+/g);
  assert.deepEqual(written.map((each) => each.replace(/\D/g, '')).filter((each) => each !== large), []);
  await server.answer(fork, {content: 'Not like this.'});
  await badge(page, 'Completed');
  assert.deepEqual(await server.events(id), before);

  await page.getByRole('link', {name: `session ${id}`}).click();
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  assert.equal(idOf(page), id);
  // At the event up to which both are the same.
  await page.locator('#event').waitFor();
  const shown = JSON.parse(await page.locator('#json').textContent());
  assert.equal(shown.event_id, (await server.events(fork))[0].payload.spec.origin.event_id);
  await close(page);
});

test('an open question is answered in a fork, by keyboard, and stays open here', async () => {
  const id = await session('Both ways');
  const page = await view(id);
  await rowOf(page, 'waiting').first().click();
  await page.getByRole('button', {name: 'Fork here …'}).press('Enter');
  await page.getByRole('heading', {name: 'Fork at turn 2 of ana'}).waitFor();
  await page.getByLabel('Answer', {exact: true}).fill('Merge it in the fork.');
  await page.getByRole('button', {name: 'Start the fork'}).press('Enter');
  const fork = await forkFrom(page, id);
  await badge(page, 'Completed');
  assert.equal((await server.reply(fork, 'ana')).content, 'Merge it in the fork.');
  assert.equal((await server.request(`/v1/sessions/${id}`)).status, 'active');
  await close(page);
});

test('a fork is asked again, with other settings; one that departs is refused with the reason', async () => {
  const id = await session('Again');
  await server.answer(id, {content: 'No.'});
  const page = await view(id);
  await opens(page, 'No.');
  await page.getByLabel('Ask ana again').check();
  await page.getByText('Other settings').click();
  await page.getByLabel('Members of the scenario to change').fill('collab.mode=broadcast');
  await start(page);
  await page.getByRole('alert').getByText('takes another course before that point').waitFor();
  await page.getByLabel('Members of the scenario to change').fill('session.rounds=2\n\ncollab.title=Longer');
  await start(page);
  const fork = await forkFrom(page, id);
  await server.answer(fork, {content: 'Yes.'});
  await page.getByText('Longer').first().waitFor();
  await server.answer(fork, {content: 'Twice.'});
  await badge(page, 'Completed');
  assert.equal(await rowOf(page, 'No.').count(), 0);
  await close(page);
});

test('an event that is no answer is forked as it is', async () => {
  const id = await session('By event');
  await server.answer(id, {content: 'Late.'});
  const events = await server.events(id);
  const at = events.findIndex((each) => each.event_type === 'resource_written');
  const page = await view(id, {fragment: `#s=1&e=${at + 1}`});
  await page.getByRole('button', {name: 'Fork here …'}).waitFor();
  await page.keyboard.press('.'); // the event alone
  await page.keyboard.press(',');
  await page.getByRole('button', {name: 'Fork here …'}).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('button', {name: 'Back'}).click();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await close(page);
});

test('a key that starts no sessions has neither fork nor run again, nor has an unknown session', async () => {
  const own = await Server.start({keys: {all: 'read,run,answer', reader: 'read'}});
  const {session_id: id} = await own.request('/v1/sessions', {body: {scenario: review()}, key: own.keys.all});
  for (const [key, count] of [['all', 1], ['reader', 0]]) {
    const page = await open(browser, sessionAt(own, id), desktop);
    await page.getByLabel('Key', {exact: true}).fill(own.keys[key]);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
    await rowOf(page, 'Inactive users').first().click();
    await page.locator('#event').waitFor();
    assert.equal(await page.getByRole('button', {name: 'Fork here …'}).count(), count);
    assert.equal(await page.getByRole('link', {name: 'Run again'}).count(), count);
    await close(page);
  }
  const page = await open(browser, sessionAt(server, 'none'), desktop);
  await page.getByText('This server has no session none.').waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.getByRole('link', {name: 'Run again'}).count(), 0);
  await close(page);
  await own.stop();
});

test('run again keeps integers that JavaScript would round', async () => {
  const id = await session('Kept');
  const page = await view(id);
  await page.getByRole('link', {name: 'Run again'}).click();
  await page.waitForFunction((number) => document.getElementById('scenario')?.value.includes(number), large);
  await page.getByRole('button', {name: 'Start session'}).click();
  const again = await forkFrom(page, id);
  const [first] = await server.events(again);
  assert.equal(first.payload.spec.origin, undefined);
  const text = await (await fetch(`${server.url}/v1/sessions/${again}/documents/scenario`)).text();
  assert.ok(text.includes(large), text);
  await close(page);
});

for (const [device, viewport, colorScheme] of [['phone', {width: 390, height: 844}, 'dark'], ['desktop', {width: 1440, height: 900}, 'light']]) {
  test(`axe finds nothing in a fork's form and on its page: ${device}, ${colorScheme}`, async () => {
    const id = await session('Looked at');
    const page = await view(id, {options: {viewport, colorScheme}});
    await opens(page, 'Inactive users');
    await page.evaluate(() => document.querySelectorAll('dialog details').forEach((each) => { each.open = true; }));
    const findings = async () => {
      await page.evaluate(axe);
      const {violations} = await page.evaluate(() => window.axe.run());
      return [...violations.map(({id: rule, nodes}) => `${rule}: ${nodes.map((each) => each.html).join(' ')}`),
              ...await page.evaluate(() => (document.documentElement.scrollWidth > innerWidth ? ['too wide'] : []))];
    };
    assert.deepEqual(await findings(), []);
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `fork-${device}.png`)});
    }
    await start(page);
    await forkFrom(page, id);
    await page.locator('#origin').waitFor();
    assert.deepEqual(await findings(), []);
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `forked-${device}.png`)});
    }
    await close(page);
  });
}
