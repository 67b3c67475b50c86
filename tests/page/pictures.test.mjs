// The pictures of docs/pictures: a folder for them, as that one, is given to tests/page/run.
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {close, launch, open} from './browser.mjs';
import {Server, sessionAt} from './server.mjs';

const pictures = process.env.CONVENE_SCREENSHOTS;
const how = {viewport: {width: 1280, height: 800}, colorScheme: 'light'};
const example = JSON.parse(readFileSync(new URL('../../examples/server/review.json', import.meta.url), 'utf8'));

/// Three who take a while; some fail.
const team = (title, seconds) => ({
  collab: {title, purpose: title, mode: 'swarm', participants: ['ada', 'ben', 'mia'].map(
      (id) => ({participant_id: id, kind: 'agent', role_id: `role-${id}`}))},
  tasks: ['Read the report', 'Find the cause', 'Write a test', 'Fix it'].map((words) => ({title: words, description: words})),
  behaviours: {'*': {type: 'simulated', failure: seconds % 2 === 0 ? 0.15 : 0, latency_ms: {uniform: {min: 10 * seconds, max: 90 * seconds}}}},
});

let browser;
let server;
let asked;
before(async () => {
  [browser, server] = await Promise.all([launch(), Server.start()]);
  const titles = ['Answer ticket 4711', 'Rotate the keys', 'Fix the flaky test', 'Triage the backlog',
                  'Write the changelog', 'Review the schema'];
  await Promise.all(titles.map((title, at) => server.request('/v1/sessions', {body: {scenario: team(title, at + 1)}})));
  asked = await server.session(example.scenario);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function picture(name, url, ...texts) {
  const page = await open(browser, url, how);
  for (const text of texts) {
    await page.getByText(text, {exact: false}).first().waitFor();
  }
  if (pictures) {
    await page.screenshot({path: path.join(pictures, `${name}.png`)});
  }
  await close(page);
}

test('the picture of the home shows sessions that ended, and one that asks', () =>
  picture('home', server.url, '1 open question', 'Answer ticket 4711', 'Review the schema', 'Plan complete: 4 of 4 steps'));

test('the picture of a session shows who is waited for, the timeline and the transcript', () =>
  picture('session-live', sessionAt(server, asked), 'Waiting for ana', 'Timeline', 'Transcript', 'it is your turn'));
