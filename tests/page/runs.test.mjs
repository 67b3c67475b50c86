// A person at the page, before runs of workflows.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {close, launch, open, tabTo, texts} from './browser.mjs';
import {hostile, review, vote} from './scenarios.mjs';
import {runAt, Server, sessionAt} from './server.mjs';
import {amounts, approvals, broken, calling, payments, release} from './workflows.mjs';

let browser;
let server;
before(async () => {
  browser = await launch();
  server = await Server.start({workflows: [amounts, approvals, broken, calling, payments]});
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const shows = (page, text) => page.getByText(text, {exact: false}).first().waitFor();
const press = (page, name) => page.getByRole('button', {name, exact: true}).click();

test('a person approves, clarifies, converses and reviews, over a kill of the server', async () => {
  const own = await Server.start({workflows: [release]});
  const id = await own.startRun('release');
  const page = await open(browser, own.url);
  await tabTo(page, 'gate: an approval is wanted');
  await page.keyboard.press('Enter');
  await shows(page, `Ship release 4? ${hostile.script}`);
  assert.equal(await page.evaluate(() => document.activeElement.textContent),
               'gate: an approval is wanted');
  await tabTo(page, 'Accept');
  await page.keyboard.press('Enter');

  await shows(page, 'ask: something is to be clarified');
  await press(page, 'Send');
  await shows(page, 'What is it called? is empty');
  await page.getByLabel('What is it called?').fill('Four');
  await press(page, 'Send');

  await shows(page, 'What do we tell the customers?');
  const say = async (text) => {
    await page.getByLabel('What you say').fill(text);
    await press(page, 'Send');
    await page.locator('.request .event', {hasText: text}).waitFor();
    assert.equal(await page.getByLabel('What you say').inputValue(), '');
  };
  await say('That it is faster.');
  await page.getByLabel('What you say').fill('And that it is safer.');
  await own.kill();
  await shows(page, 'The connection is lost');
  await press(page, 'Send');
  await shows(page, 'Your answer is still here: try again.');
  await own.startAgain();
  await page.getByText('The connection is lost').waitFor({state: 'detached'});
  assert.equal(await page.getByLabel('What you say').inputValue(), 'And that it is safer.');
  await press(page, 'Send');
  await page.locator('.request .event', {hasText: 'And that it is safer.'}).waitFor();
  await say('Nothing else.');
  await page.getByText('Who speaks, and the outcome').click();
  await page.getByLabel('Outcome', {exact: true}).fill('two sentences');
  await press(page, 'Close the conversation');

  await page.getByRole('link', {name: 'its session'}).click();
  await page.getByLabel('What you say').fill('Fine');
  await press(page, 'Approve');
  await shows(page, 'You approved it.');
  await page.goto(runAt(own, id));
  await shows(page, 'The run is completed.');
  await shows(page, 'Nodes (4 of 4 ended)');

  const run = await own.run(id, 'completed');
  assert.equal(run.nodeStates.session.outputs.result.status, 'completed');
  assert.deepEqual((await own.runEvents(id, 'conversation.exchanged')).map(({turn}) => turn.content),
                   ['That it is faster.', 'And that it is safer.', 'Nothing else.']);
  assert.deepEqual((await own.runEvents(id, 'interrupt.resolved')).map((each) => each.resumeValue)
                       .slice(0, 2),
                   [{action: 'accept'}, {answers: {name: 'Four'}}]);
  assert.equal((await own.runEvents(id, 'conversation.closed'))[0].outcome, 'two sentences');
  await close(page);
  await own.stop();
});

test('a run is seen live, and what it was given is shown as text', async () => {
  const id = await server.startRun('approvals');
  const page = await open(browser, runAt(server, id));
  await shows(page, `Ship release 4? ${hostile.script}`);
  await shows(page, 'It has two fixes. left [U+202E] thgir');
  assert.equal(await page.locator('main script, main img').count(), 0);
  await shows(page, 'Nodes (0 of 2 ended)');
  await page.locator('.badge', {hasText: 'waiting approval'}).waitFor();
  // Somebody else answers.
  await server.request(`/v1/runs/${id}/interrupts/gate`, {body: {resumeValue: {action: 'accept'}}});
  await shows(page, 'This question is over');
  await shows(page, 'The run is completed.');
  await shows(page, 'Nodes (2 of 2 ended)');
  const live = await texts(page, '.event');
  await page.reload();
  await shows(page, 'The run is completed.');
  assert.deepEqual(await texts(page, '.event'), live);
  await close(page);

  const other = await server.startRun('broken');
  const failed = await open(browser, runAt(server, other));
  await shows(failed, `The run has failed: It did not work. ${hostile.script}`);
  await shows(failed, 'Channels (1)');
  assert.equal(await failed.locator('main script, main img').count(), 0);
  await close(failed);
});

test('from a run to its child run, which asks something, and back', async () => {
  const id = await server.startRun('calling');
  const page = await open(browser, runAt(server, id));
  await page.getByRole('link', {name: 'child run'}).click();
  await press(page, 'Accept');
  await shows(page, 'The run is completed.');
  await page.getByRole('link', {name: 'parent run'}).click();
  await page.getByRole('heading', {name: 'calling', level: 1}).waitFor();
  await shows(page, 'The run is completed.');
  await page.getByRole('link', {name: 'child run'}).waitFor();
  await close(page);
});

test('a run waits in the same words as the server has', async () => {
  for (const workflow of ['approvals', 'amounts', 'payments']) {
    const id = await server.startRun(workflow);
    const {status} = await server.request(`/v1/runs/${id}`);
    assert.match(status, /^waiting-/);
    const page = await open(browser, runAt(server, id));
    await page.locator('.head .badge', {hasText: status.replace('-', ' ')}).waitFor();
    await close(page);
  }
});

test('turns of a conversation are filled in as their schema has them', async () => {
  const id = await server.startRun('amounts');
  const page = await open(browser, runAt(server, id));
  await page.getByLabel('Amount').fill('twelve');
  await press(page, 'Send');
  await shows(page, 'Amount is to be a number');
  await page.getByLabel('Amount').fill('12');
  await press(page, 'Send');
  await shows(page, 'Paid is empty');
  await page.getByLabel('Paid').selectOption('no');
  await page.getByLabel('Kind').selectOption('food');
  await press(page, 'Send');
  await page.locator('.request .event', {hasText: '"amount": 12'}).waitFor();
  assert.deepEqual((await server.runEvents(id, 'conversation.exchanged'))[0].turn.content,
                   {amount: 12, kind: 'food', paid: false});
  // What the server refuses is said, and stays.
  await page.getByLabel('Amount').fill('0');
  await page.getByLabel('Paid').selectOption('yes');
  await press(page, 'Send');
  await shows(page, 'The answer was refused');
  assert.equal(await page.getByLabel('Amount').inputValue(), '0');
  await close(page);
});

test('a run and a session are stopped for a while, and cancelled, once that is meant', async () => {
  const id = await server.startRun('approvals');
  const page = await open(browser, runAt(server, id));
  const confirm = async (name) => {
    await press(page, name);
    await page.getByRole('dialog').getByRole('button', {name: `Yes, ${name.toLowerCase()} it`}).click();
  };
  await press(page, 'Cancel');
  await press(page, 'Back');
  await confirm('Pause');
  await page.locator('.badge', {hasText: 'paused'}).waitFor();
  await confirm('Resume');
  await page.locator('.badge', {hasText: 'waiting approval'}).waitFor();
  await press(page, 'Cancel');
  await page.getByLabel('Why').fill('no longer needed');
  await page.keyboard.press('Enter');
  await shows(page, 'The run is cancelled.');
  assert.equal((await server.runEvents(id, 'run.cancelled'))[0].reason, 'no longer needed');
  assert.equal(await page.getByRole('button', {name: 'Cancel'}).count(), 0);

  await page.goto(sessionAt(server, await server.session(review({title: 'Stopped'}))));
  await confirm('Suspend');
  await page.locator('#badge', {hasText: 'Suspended'}).waitFor();
  await page.locator('.asked .answer').waitFor({state: 'detached'});
  await confirm('Resume');
  await page.locator('.asked', {hasText: 'ana: it is your turn'}).waitFor();
  await confirm('Cancel');
  await page.locator('#badge', {hasText: 'Cancelled'}).waitFor();
  await close(page);
});

test('a key that may only read sees runs, and nothing to press', async () => {
  const own = await Server.start({keys: {all: 'read,run,answer', reader: 'read'},
                                  workflows: [approvals]});
  const id = await own.startRun('approvals', own.keys.all);
  const page = await open(browser, runAt(own, id));
  await page.getByLabel('Key', {exact: true}).fill(own.keys.reader);
  await page.keyboard.press('Enter');
  await shows(page, 'This key does not allow an answer.');
  assert.deepEqual(await texts(page, 'main button:visible'), []);
  await page.goto(own.url);
  await shows(page, 'waiting approval');
  assert.equal(await page.locator('.question').count(), 0);
  await close(page);
  await own.stop();
});

test('many runs are listed page by page, the latest first', async () => {
  const own = await Server.start({workflows: [approvals, broken]});
  await own.startRun('broken');
  for (let i = 0; i < 60; ++i) {
    await own.startRun('approvals');
  }
  const page = await open(browser, own.url);
  const section = page.getByRole('region', {name: 'Runs of workflows'});
  await section.locator('.card').nth(49).waitFor();
  assert.equal(await section.locator('.card').count(), 50);
  await page.getByRole('button', {name: 'Show more runs'}).click();
  await section.locator('.card').nth(60).waitFor();
  assert.match(await section.locator('.card').last().textContent(), /^broken.*failed/);
  await close(page);
  await own.stop();
});

test('a person who is asked two things in one session answers both', async () => {
  const id = await server.session(vote('Say what it costs'));
  const page = await open(browser, sessionAt(server, id));
  await page.locator('.asked h2', {hasText: 'cleo: it is your turn'}).waitFor();
  await press(page, 'cleo: your vote is wanted');
  await page.getByLabel('The new version, by ivo').check();
  await press(page, 'Send');
  // The other one comes by itself.
  await page.getByLabel('What you say').fill('Nothing.');
  await press(page, 'Send');
  await shows(page, 'Your answer was sent.');
  const replies = (await server.events(id)).map(({payload}) => payload)
      .filter((each) => each.participant_id === 'cleo' && each.reply !== undefined);
  assert.deepEqual(replies.map(({reply}) => reply.vote?.for ?? reply.content).sort(),
                   ['Nothing.', 'ivo']);
  await close(page);
});
