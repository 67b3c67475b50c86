// Each view as axe sees it, on a phone and a desktop, light and dark; and
// pictures of it for people, if a folder for them is given.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {close, launch, open} from './browser.mjs';
import {approval, decision, review, vote} from './scenarios.mjs';
import {questionAt, runAt, Server, sessionAt} from './server.mjs';
import {amounts, approvals, broken, release} from './workflows.mjs';

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const pictures = process.env.CONVENE_SCREENSHOTS;
const sizes = {phone: {width: 360, height: 740}, desktop: {width: 1280, height: 900}};

let browser;
let server;
let empty;
let guarded;
let views;

before(async () => {
  browser = await launch();
  [server, empty, guarded] = await Promise.all(
      [Server.start({workflows: [amounts, approvals, broken, release]}), Server.start(),
       Server.start({keys: {all: 'read,run,answer'}})]);
  const [asked, voted, decided, approved, ended, cancelled] = await Promise.all([
    server.session(review({title: 'A title that is long, and goes on and on and on, for a while'})),
    server.session(vote()), server.session(decision()), server.session(approval()),
    server.session(review({title: 'Ended', rounds: 1})), server.session(review({title: 'Cancelled'})),
  ]);
  await server.request(`/v1/sessions/${cancelled}/cancel`, {body: {reason: 'no more'}});
  await server.answer(ended, {content: 'done', end: true});
  await server.answer(asked, {content: 'Why?', usage: {prompt_tokens: 5}});
  await server.question(asked);
  const [approve, failed, amount, talk] = await Promise.all(
      [approvals, broken, amounts, release].map(({id}) => server.startRun(id)));
  const resolve = (node, resumeValue) =>
      server.request(`/v1/runs/${talk}/interrupts/${node}`, {body: {resumeValue}});
  await resolve('gate', {action: 'accept'});
  await resolve('ask', {answers: {name: 'four'}});
  await resolve('talk', {operation: 'exchange', turn: {
    messageId: 'm1', from: 'ana', role: 'user', turnIndex: 1, ts: Date.now(), content: 'long '.repeat(900)}});
  views = {
    approving: [runAt(server, approve), 'an approval is wanted'],
    failed: [runAt(server, failed), 'The run has failed'],
    amounts: [runAt(server, amount), 'In whole dollars.'],
    talking: [runAt(server, talk), 'What you say'],
    home: [server.url, 'Waiting for dan'],
    new: [`${server.url}/#/new`, 'Scenario (JSON)'],
    nothing: [empty.url, 'Start a first session'],
    key: [guarded.url, 'The server asks for a key.'],
    session: [sessionAt(server, asked), 'ana: it is your turn'],
    ended: [sessionAt(server, ended), 'The one round is done.'],
    cancelled: [sessionAt(server, cancelled), 'Cancelled at'],
    unknown: [sessionAt(server, 'none'), 'This server has no session none.'],
    turn: [questionAt(server, asked, 'ana'), 'What you say'],
    approval: [questionAt(server, approved, 'lea'), 'What you say'],
    vote: [questionAt(server, voted, 'cleo'), 'Which version stands?'],
    decision: [questionAt(server, decided, 'dan'), 'What happens next?'],
    over: [questionAt(server, ended, 'ana'), 'not open'],
  };
});
after(async () => {
  await browser?.close();
  await Promise.all([server, empty, guarded].map((each) => each?.stop()));
});

async function findings(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  return violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`);
}

for (const [device, viewport] of Object.entries(sizes)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, and nothing is too wide: ${device}, ${colorScheme}`, async () => {
      for (const [name, [url, text]] of Object.entries(views)) {
        const page = await open(browser, url, {viewport, colorScheme});
        await page.getByText(text).first().waitFor();
        await page.evaluate(() => document.querySelectorAll('details').forEach((each) => {
          each.open = true;
        }));
        assert.deepEqual(await findings(page), [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                  `${name} is too wide`);
        if (pictures) {
          await page.evaluate(() => scrollTo(0, 0));
          await page.screenshot({path: path.join(pictures, `${name}-${device}-${colorScheme}.png`),
                                 fullPage: true});
        }
        await close(page);
      }
    });
  }
}

test('axe finds nothing while the connection is lost', async () => {
  const own = await Server.start();
  const page = await open(browser, own.url, {viewport: sizes.phone});
  await page.getByText('Start a first session').waitFor();
  await own.kill();
  await page.getByText('The connection is lost').waitFor();
  assert.deepEqual(await findings(page), []);
  if (pictures) {
    await page.screenshot({path: path.join(pictures, 'lost-phone-light.png')});
  }
  await page.context().close();
  await own.stop();
});

test('axe finds nothing in the question whether that is meant', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(browser, views.session[0], {viewport: sizes.phone, colorScheme});
    await page.getByRole('button', {name: 'Cancel'}).click();
    await page.getByText('Cancel this session?').waitFor();
    assert.deepEqual(await findings(page), []);
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `confirm-phone-${colorScheme}.png`)});
    }
    await close(page);
  }
});

test('the page comes with the headers that it needs', async () => {
  for (const where of ['/', '/session/any', '/page/page.js', '/page/inspector.js', '/page/page.css', '/page/icon.svg']) {
    const answer = await fetch(server.url + where);
    assert.equal(answer.status, 200, where);
    assert.match(answer.headers.get('Content-Security-Policy'), /default-src 'none'/);
    assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff');
    assert.equal(answer.headers.get('Referrer-Policy'), 'no-referrer');
    assert.equal(answer.headers.get('Cache-Control'), 'no-cache');
    assert.equal(answer.headers.get('Set-Cookie'), null);
  }
});
