// A session that a server has, in the inspector, while it runs.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {inflateRawSync} from 'node:zlib';
import {close, launch, open, tabTo, texts} from './browser.mjs';
import {decision, hostile, review, vote} from './scenarios.mjs';
import {Server, sessionAt} from './server.mjs';

const program = process.env.CONVENE;
const examples = new URL('../../examples/', import.meta.url).pathname;
const desktop = {viewport: {width: 1440, height: 900}};

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

async function view(of, id, {fragment = '', options = desktop} = {}) {
  const page = await open(browser, sessionAt(of, id) + fragment, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
}

const shows = (page, text) => page.getByText(text, {exact: false}).first().waitFor();
const rowOf = (page, text) => page.locator('#transcript .row', {hasText: text});
const badge = (page, text) => page.locator('#badge', {hasText: text}).waitFor();

/// One who talks for so many rounds, and then ana.
const talk = (rounds, latency = 20) => ({
  ...review({title: 'Talk', rounds}),
  behaviours: {coder: {type: 'simulated', failure: 0.1, latency_ms: {constant: latency}}, ana: {type: 'human'}},
});

test('a session is followed: who is waited for, what is said, how it ends', async () => {
  const id = await server.session(review({title: 'Seen live'}));
  const page = await view(server, id);
  await badge(page, 'Waiting for ana');
  assert.equal(await page.locator('#reason').textContent(), 'Review pull request 42');
  await rowOf(page, 'waiting').locator('.question', {hasText: 'Review pull request 42'}).waitFor();
  await page.locator('.tile', {hasText: '1,234'}).waitFor();
  await page.locator('.tile', {hasText: 'of $2.50 budget'}).waitFor();
  await page.locator('.workspace summary').click();
  await page.getByText('file/auth/token.ts version 2').click();
  await shows(page, `if (!user.active) throw 1; // ${hostile.script}`);

  await server.answer(id, {content: 'What does the test say?', writes: [
    {resource_type: 'file', resource_id: 'auth/token.ts', base_version: 2, value: 'rewritten'}]});
  await rowOf(page, 'What does the test say?').locator('.fold', {hasText: 'v2 → v3'}).waitFor();
  await page.locator('.workspace .code', {hasText: 'rewritten'}).waitFor();
  await server.answer(id, {content: 'Merged.'});
  await badge(page, 'Completed');
  assert.equal(await page.locator('#reason').textContent(), 'All 2 rounds are done.');
  await page.locator('.ending.done').waitFor();
  await page.getByRole('button', {name: 'Suspend'}).waitFor({state: 'detached'});
  assert.equal(await rowOf(page, 'waiting').count(), 0);
  await close(page);
});

test('a person answers where the session is shown, by keyboard', async () => {
  const id = await server.session(review({title: 'Answered here', rounds: 1}));
  const page = await view(server, id);
  await page.locator('.asked h2', {hasText: 'ana: it is your turn'}).waitFor();
  await tabTo(page, 'What you say');
  await page.keyboard.type('Merge it, please.'); // keys of the inspector are not meant
  await tabTo(page, 'Send');
  await page.keyboard.press('Enter');
  await badge(page, 'Completed');
  assert.equal((await server.reply(id, 'ana')).content, 'Merge it, please.');
  await shows(page, 'Your answer was sent.');
  assert.equal(await page.locator('.asked .answer').count(), 0);
  await close(page);
});

test('of several open questions each can be answered, and what was begun is kept', async () => {
  const id = await server.session(vote('Look at both'));
  const page = await view(server, id);
  await shows(page, '2 open questions.');
  await page.locator('.asked .others button', {hasText: 'your vote is wanted'}).click();
  await page.getByLabel('The new version, by ivo').check();
  await page.locator('.asked').getByRole('button', {name: 'Send'}).click();
  await shows(page, 'votes for ivo');
  await page.locator('.side', {hasText: 'ivo'}).locator('.tag', {hasText: 'stands'}).waitFor();
  await page.getByLabel('What you say').fill('half of it');
  await server.request(`/v1/sessions/${id}/messages`, {body: {content: 'A word from outside'}});
  await rowOf(page, 'message').waitFor();
  assert.equal(await page.getByLabel('What you say').inputValue(), 'half of it');
  await close(page);
});

test('a session is suspended, resumed, spoken to and cancelled', async () => {
  const id = await server.session(decision());
  const page = await view(server, id);
  const confirm = async (name, reason) => {
    await page.getByRole('button', {name, exact: true}).click();
    await page.getByLabel('Why (may be empty)').fill(reason);
    await page.getByRole('button', {name: `Yes, ${name.toLowerCase()} it`}).click();
  };
  await confirm('Suspend', 'lunch');
  await badge(page, 'Suspended');
  assert.equal(await page.locator('#reason').textContent(), 'lunch.');
  await confirm('Resume', '');
  await badge(page, 'Waiting for dan');
  await page.getByRole('button', {name: 'Message'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Send'}).click();
  await shows(page, 'the message is empty');
  await page.getByLabel('Message').fill(`The deadline moved. ${hostile.script}`);
  await page.getByLabel('From').selectOption('dan');
  await page.getByRole('dialog').getByRole('button', {name: 'Send'}).click();
  await page.getByRole('dialog').waitFor({state: 'detached'});
  await rowOf(page, 'dan: message').waitFor();
  await confirm('Cancel', 'no more');
  await badge(page, 'Cancelled');
  await page.locator('.ending.stop').waitFor();
  await close(page);
});

test('what comes is appended: rows that are there stay, and so does what is looked at', async () => {
  const id = await server.session(talk(40));
  const page = await view(server, id);
  for (let i = 0; i < 12; ++i) {
    await server.answer(id, {content: `Answer ${i}`});
  }
  await rowOf(page, 'Answer 11').waitFor();
  await page.evaluate(async () => {
    const all = document.getElementById('transcript');
    // The page learns of it with the next frame.
    const scrolled = new Promise((done) => all.addEventListener('scroll', done, {once: true}));
    all.scrollTop = 0;
    await scrolled;
    window.first = all.querySelector('.row');
    window.drawn = 0;
    const {replaceChildren} = Element.prototype;
    Element.prototype.replaceChildren = function count(...each) {
      if (this.id === 'transcript') {
        ++window.drawn;
      }
      return replaceChildren.apply(this, each);
    };
  });
  await server.answer(id, {content: 'Answer 12'});
  await server.answer(id, {content: 'Answer 13'});
  await page.locator('#newer', {hasText: 'new'}).waitFor();
  assert.deepEqual(await page.evaluate(() => [document.getElementById('transcript').scrollTop, window.first.isConnected, window.drawn]),
                   [0, true, 0]);
  await page.locator('#newer').click();
  await rowOf(page, 'Answer 13').waitFor();
  await page.locator('#newer').waitFor({state: 'hidden'});
  // At the end it stays there.
  await server.answer(id, {content: 'Answer 14'});
  await rowOf(page, 'Answer 14').waitFor();
  await page.waitForFunction(() => {
    const {scrollHeight, scrollTop, clientHeight} = document.getElementById('transcript');
    return scrollHeight - scrollTop - clientHeight < 60;
  });
  await close(page);
});

test('the chosen turn stays chosen while the session goes on, and its link leads there', async () => {
  const id = await server.session(review({title: 'Chosen', rounds: 3}));
  const page = await view(server, id);
  await rowOf(page, 'coder').first().click();
  const chosen = page.locator('#transcript [aria-current="true"]');
  await chosen.waitFor();
  const {hash} = new URL(page.url());
  assert.match(hash, /e=\d+/);
  await server.answer(id, {content: 'Meanwhile.'});
  await rowOf(page, 'Meanwhile.').waitFor();
  assert.match(await chosen.textContent(), /coder#1/);
  await page.keyboard.press('j');
  await page.waitForFunction(() => /ana#2/.test(document.querySelector('[aria-current="true"]').textContent));
  await close(page);
  const again = await view(server, id, {fragment: hash});
  assert.match(await again.locator('#transcript [aria-current="true"]').textContent(), /coder#1/);
  await close(again);
});

test('on a phone the open question comes first, and its buttons are large enough', async () => {
  const id = await server.session(review({title: 'On a phone'}));
  const page = await view(server, id, {options: {viewport: {width: 390, height: 844}, hasTouch: true, colorScheme: 'dark'}});
  const top = async (selector) => (await page.locator(selector).boundingBox()).y;
  await page.locator('.asked').waitFor();
  assert.ok(await top('.asked') < await top('#timeline'));
  for (const each of await page.locator('.top button:visible, .asked button:visible').all()) {
    assert.ok((await each.boundingBox()).height >= 44, await each.textContent());
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.getByLabel('What you say').fill('From here');
  await page.getByRole('button', {name: 'Send', exact: true}).tap();
  await rowOf(page, 'From here').waitFor();
  await close(page);
});

test('however long a title is, the open question can be answered below it', async () => {
  const id = await server.session(review({title: 'Review '.repeat(430), rounds: 1}));
  const page = await view(server, id, {options: {viewport: {width: 1366, height: 650}}});
  assert.ok((await page.locator('#transcript').boundingBox()).height > 200);
  await page.getByLabel('What you say').fill('Short');
  await page.locator('.asked').getByRole('button', {name: 'Send'}).click();
  await rowOf(page, 'Short').waitFor();
  await close(page);
});

test('a server that is killed and started again is told, and nothing is lost or doubled', async () => {
  const own = await Server.start();
  const id = await own.session(review({title: 'Through a restart'}));
  const page = await view(own, id);
  await badge(page, 'Waiting for ana');
  await own.kill();
  await shows(page, 'The connection is lost');
  await shows(page, 'Not live since');
  assert.equal(await rowOf(page, 'Inactive users').count(), 1);
  await own.startAgain();
  await page.getByText('The connection is lost').waitFor({state: 'detached'});
  await own.answer(id, {content: 'after the restart'});
  await own.answer(id, {content: 'the second one'});
  await badge(page, 'Completed');
  await rowOf(page, 'Completed at').waitFor();
  const live = await texts(page, '#transcript .row');
  // A page that reads all of it at once has the same rows.
  const fresh = await view(own, id);
  await rowOf(fresh, 'Completed at').waitFor();
  assert.deepEqual(live, await texts(fresh, '#transcript .row'));
  await close(fresh);
  await close(page);
  await own.stop();
});

test('an unknown session is said to be unknown at once, and a draft to have not started', async () => {
  const page = await open(browser, sessionAt(server, 'none'), desktop);
  await page.getByText('This server has no session none.').waitFor({timeout: 5000});
  assert.ok(await page.locator('.panes').isHidden());
  await close(page);
  const {session_id: id} = await server.request('/v1/sessions', {body: {scenario: review(), start: false}});
  const draft = await open(browser, sessionAt(server, id), desktop);
  await shows(draft, 'It has not started.');
  await draft.getByRole('button', {name: 'Start'}).click();
  await draft.getByRole('button', {name: 'Yes, start it'}).click();
  await badge(draft, 'Waiting for ana');
  await close(draft);
  const old = await open(browser, `${server.url}/#/session/${id}`, desktop);
  await badge(old, 'Waiting for ana');
  await close(old);
});

const sums = (list) => list.reduce((all, each) => [...all, (all.at(-1) ?? 0) + each], []);

/// What a file of the log has of its session, in the words of an inspector.
function columnsOf(log, file) {
  execFileSync(program, ['view', log, '--out', file, '--quiet']);
  const coded = /id="s0">([^<]*)</.exec(readFileSync(file, 'utf8'))[1];
  const {time, type, lane, bar, rest} = JSON.parse(inflateRawSync(Buffer.from(coded, 'base64')));
  const from = sums(bar.from);
  return {time: sums(time), type, lane, types: rest.types, lanes: rest.lanes, conflicts: rest.conflicts, handoffs: rest.handoffs.map((each) => each.slice(0, 3)),
          bars: from.map((begin, i) => [bar.kind[i], bar.lane[i], bar.status[i], begin, bar.status[i] === 0 ? null : begin + bar.length[i]])};
}

test('events that come one by one make what a file of their log has', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'convene-live-'));
  const id = await server.session(review());
  const page = await view(server, id);
  for (const name of ['support-desk', 'contested-decision', 'code-review', 'structured-vote', 'incident-announcement', 'runaway-pair']) {
    const log = path.join(folder, name);
    const done = spawnSync(program, ['run', path.join(examples, name, 'scenario.json'), '--out', log, '--seed', '3', '--quiet'], {encoding: 'utf8'});
    assert.ok(done.status <= 1, done.stderr);
    const lines = readFileSync(path.join(log, 'events.jsonl'), 'utf8').trim().split('\n').filter((line) => JSON.parse(line).event_type !== undefined);
    const made = await page.evaluate(async (all) => {
      const {LiveSession} = await import('/page/inspector.js');
      const live = new LiveSession('s');
      all.forEach((line) => live.take(JSON.parse(line), line));
      live.settle(Date.now());
      const {time, type, lane, types, lanes, bar, conflicts, handoffs} = live.session;
      const bars = bar.from.map((from, i) => [bar.kind[i], bar.lane[i], bar.status[i], from, bar.status[i] === 0 ? null : bar.to[i]]);
      return {time: time.slice(0, type.length), type, lane, types, lanes: lanes.map(({id, role, kind}) => ({id, role, kind})),
              conflicts: conflicts.map(({begin, end, sides, winner}) => [begin, end, sides, winner]),
              handoffs: handoffs.map(({begin, end, sides}) => [begin, end, sides]), bars: bars.sort((one, two) => one[3] - two[3])};
    }, lines);
    assert.deepEqual(made, columnsOf(log, path.join(folder, `${name}.html`)), name);
  }
  await close(page);
  rmSync(folder, {recursive: true});
});

test('what is not an event of this version is passed over', async () => {
  const id = await server.session(review());
  const page = await view(server, id);
  const seen = await page.evaluate(async () => {
    const {LiveSession} = await import('/page/inspector.js');
    const live = new LiveSession('s');
    for (const event of [{}, {event_type: 'constructor', payload: []}, {event_type: 'MAPTurnCompleted', payload: {token_id: 1}},
                         {event_type: 'session_input', payload: {input: 'valueOf'}}, {event_type: 'MAPRolesAssigned', payload: {assignments: [null, 1]}},
                         {event_type: 'MAPConflictDetected', payload: {conflicting_participants: 'ab'}}, {event_type: 'MAPSessionCompleted'}]) {
      live.take(event, JSON.stringify(event));
    }
    live.settle(0);
    return [live.session.number.length, live.session.bar.from.length, live.session.lanes.length, live.isOver];
  });
  assert.deepEqual(seen, [7, 0, 1, true]);
  await close(page);
});
