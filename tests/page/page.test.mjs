// A person at the page.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {close, launch, open, tabTo, texts} from './browser.mjs';
import {approval, decision, hostile, review, vote} from './scenarios.mjs';
import {questionAt, Server, sessionAt} from './server.mjs';

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

const shows = (page, text) => page.getByText(text, {exact: false}).first().waitFor();

test('a person answers by keyboard, and sees the session complete', async () => {
  const id = await server.session(review({title: 'By keyboard', rounds: 1}));
  const page = await open(browser, server.url);
  await shows(page, '1 open question');
  await tabTo(page, 'ana: it is your turn');
  await page.keyboard.press('Enter');
  await shows(page, 'Review pull request 42');
  await shows(page, 'Said since');
  await shows(page, 'Changed since');
  await shows(page, 'file/auth/token.ts is at version 2 by coder');
  assert.match(page.url(), new RegExp(`#/question/${id}/ana/[0-9a-f]{8}$`));

  await tabTo(page, 'What you say');
  await page.keyboard.type('It may be merged.\nSoon.');
  await tabTo(page, 'Send');
  await page.keyboard.press('Enter');
  await shows(page, 'Your answer was sent.');
  await tabTo(page, 'The session');
  await page.keyboard.press('Enter');

  await shows(page, 'The one round is done.');
  assert.deepEqual(await texts(page, 'h1'), ['By keyboard']);
  await page.locator('#transcript .say', {hasText: 'Soon.'}).waitFor();
  assert.equal((await texts(page, '#transcript .row')).filter((each) => /ana.*Soon\./s.test(each)).length, 1);
  assert.equal((await server.reply(id, 'ana')).content, 'It may be merged.\nSoon.');
  await close(page);
});

test('the keyboard reaches everything, and the focus is never lost', async () => {
  const id = await server.session(review());
  const page = await open(browser, server.url);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // skips to the content
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  for (const where of [questionAt(server, id, 'ana'), `${server.url}/#/`]) {
    await page.goto(where);
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(() => document.activeElement.tagName === 'H1');
  }
  await page.goto(questionAt(server, id, 'ana'));
  await page.getByRole('button', {name: 'Go to the answer'}).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'answer');
  await server.answer(id, {content: 'one'});
  await server.answer(id, {content: 'two'});
  await close(page);
});

test('what others wrote is shown as text', async () => {
  const id = await server.session(review({title: `A title ${hostile.script}${hostile.image}`}));
  const page = await open(browser, server.url);
  for (const where of [`${server.url}/#/`, sessionAt(server, id), questionAt(server, id, 'ana')]) {
    await page.goto(where);
    await page.locator('main', {hasText: hostile.script}).waitFor();
    assert.equal(await page.locator('main :is(script, img, [onload], [onerror])').count(), 0);
  }
  await page.goto(sessionAt(server, id));
  await page.locator('#transcript', {hasText: hostile.script}).waitFor();
  await server.answer(id, {content: hostile.image});
  await server.question(id);
  await shows(page, hostile.arabic.slice(0, 20));
  await shows(page, 'left ⟨202E⟩ thgir');
  assert.equal(await page.locator('main :is(script, img, [onload], [onerror])').count(), 0);
  await server.answer(id, {content: 'done'});
  await close(page);
});

test('a person changes a resource and hands over from the page', async () => {
  const id = await server.session(review({title: 'Changing'}));
  const page = await open(browser, questionAt(server, id, 'ana'));
  await page.getByText('Change shared resources').click();
  const field = page.getByLabel('file/auth/token.ts');
  assert.match(await field.inputValue(), /throw 1/);
  await field.fill('a better one');
  await page.getByLabel('Name').fill('notes.md');
  await page.getByLabel('Content').fill('# Notes');
  await page.getByText('End or hand over').click();
  await page.getByLabel('Hand your turn to').fill('nobody');
  await page.getByLabel('What you say').fill('Go on with it');
  await page.getByRole('button', {name: 'Send'}).click();
  // What is wrong is said, and nothing that was filled in is gone.
  await shows(page, 'is neither a participant of the session nor a role');
  assert.equal(await field.inputValue(), 'a better one');
  await page.getByLabel('Hand your turn to').fill('coder');
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'Your answer was sent.');
  const reply = await server.reply(id, 'ana');
  assert.equal(reply.handoff.to, 'coder');
  assert.equal(reply.handoff.instructions, 'Go on with it');
  assert.deepEqual(reply.writes.map((each) => [each.resource_id, each.base_version, each.value]),
                   [['auth/token.ts', 2, 'a better one'], ['notes.md', 0, '# Notes']]);
  await close(page);
});

test('an empty answer is not sent, and what was written is kept', async () => {
  const id = await server.session(review({title: 'Kept', rounds: 1}));
  const page = await open(browser, questionAt(server, id, 'ana'));
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'the answer is empty; to decline, use Decline');
  await page.getByLabel('What you say').fill('half of it');
  await page.goto(`${server.url}/#/`);
  await page.goto(questionAt(server, id, 'ana'));
  assert.equal(await page.getByLabel('What you say').inputValue(), 'half of it');
  // Somebody else answers meanwhile.
  await server.answer(id, {content: 'from elsewhere'});
  await shows(page, 'This question is over');
  assert.equal(await page.getByLabel('What you say').inputValue(), 'half of it');
  assert.ok(await page.getByRole('button', {name: 'Send'}).isDisabled());
  await close(page);
});

test('a person approves, rejects and declines', async () => {
  for (const [name, wanted] of [['Approve', {content: 'APPROVED: so it is'}],
                                ['Reject', {status: 'failed', content: 'REJECTED: so it is'}],
                                ['Decline', {status: 'declined', content: 'so it is'}]]) {
    const id = await server.session(approval());
    const page = await open(browser, questionAt(server, id, 'lea'));
    await page.getByLabel('What you say').fill('so it is');
    assert.equal(await page.getByRole('button', {name: 'Send'}).count(), 0);
    await page.getByRole('button', {name}).click();
    await shows(page, 'The session');
    const reply = await server.reply(id, 'lea');
    assert.equal(reply.content, wanted.content);
    assert.equal(reply.status ?? 'completed', wanted.status ?? 'completed');
    await close(page);
  }
});

test('a person votes on two versions', async () => {
  const id = await server.session(vote());
  const page = await open(browser, questionAt(server, id, 'cleo'));
  await shows(page, 'Two versions of doc/decision.md');
  await shows(page, 'Jobs go through a broker.');
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'choose one of the versions');
  await page.getByLabel('The new version, by ivo').check();
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'Your vote was sent.');
  assert.equal((await server.reply(id, 'cleo')).vote.for, 'ivo');
  await page.goto(sessionAt(server, id));
  await shows(page, 'votes for ivo');
  await page.locator('.side', {hasText: 'ivo'}).locator('.tag', {hasText: 'stands'}).waitFor();
  await close(page);
});

test('a person decides what happens next', async () => {
  const id = await server.session(decision());
  const page = await open(browser, questionAt(server, id, 'dan'));
  await page.getByLabel('Who gets the turn').selectOption('tests');
  await page.getByLabel('The task, or why').fill('Run all of them');
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'Your decision was sent.');
  assert.deepEqual((await server.reply(id, 'dan')).decision,
                   [{dispatch: {participant: 'tests', task: 'Run all of them'}}]);
  // The next question comes by itself.
  await page.getByLabel('The session is done').check();
  await page.getByLabel('The task, or why').fill('all green');
  await page.getByRole('button', {name: 'Send'}).click();
  await shows(page, 'Your decision was sent.');
  await page.goto(sessionAt(server, id));
  await shows(page, 'The orchestrator ended it: “all green”.');
  await close(page);
});

test('a key is asked for, kept in the tab, and in no address', async () => {
  const own = await Server.start({keys: {all: 'read,run,answer'}});
  const key = own.keys.all;
  const id = await own.session(review({title: 'Behind a key', rounds: 1}), key);
  const page = await open(browser, own.url);
  await shows(page, 'The server asks for a key.');
  // One answer to the wrong key comes once the right one is there.
  const isHeld = (request) => request.url().endsWith('/v1/requests')
                              && request.headers().authorization === 'Bearer not-the-key';
  let letGo;
  const heldBack = new Promise((go) => { letGo = go; });
  await page.route('**/v1/requests', async (route) => {
    if (isHeld(route.request())) {
      await heldBack;
    }
    await route.continue();
  });
  const asked = page.waitForRequest(isHeld);
  const late = page.waitForResponse((answer) => isHeld(answer.request()));
  await page.getByLabel('Key', {exact: true}).fill('not-the-key');
  await page.keyboard.press('Enter');
  await shows(page, 'The server does not know this key.');
  await asked;
  await page.getByLabel('Key', {exact: true}).fill(key);
  await page.keyboard.press('Enter');
  await shows(page, 'Behind a key');
  letGo();
  assert.equal((await late).status(), 401);
  await shows(page, 'ana: it is your turn');
  assert.equal(await page.locator('#key').count(), 0);
  await page.reload();
  await shows(page, 'ana: it is your turn');
  assert.deepEqual(page.seen.urls.filter((each) => each.includes(key)), []);
  assert.equal(await page.evaluate(() => location.href.length + localStorage.length), `${own.url}/`.length);
  assert.equal(await page.evaluate(() => document.cookie), '');
  // Another tab asks again, in a session's document, too.
  for (const where of [own.url, sessionAt(own, id)]) {
    const other = await open(browser, where);
    await shows(other, 'The server asks for a key.');
    await close(other);
  }
  await page.goto(sessionAt(own, id));
  await page.locator('#transcript', {hasText: 'Inactive users'}).waitFor();
  await page.goto(own.url);
  await page.getByRole('button', {name: 'Key'}).click();
  await page.getByRole('button', {name: 'Forget the key'}).click();
  await shows(page, 'The server asks for a key.');
  await close(page);
  await own.stop();
});
