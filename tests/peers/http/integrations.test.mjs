// What CI and tools tell the server, as they would: by requests, several times,
// over a kill.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Server} from '../../page/server.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'convene-outside-'));
const log = path.join(folder, 'outside.jsonl');
let server;

before(async () => {
  server = await Server.start({options: ['--outside', log], keys: {ci: 'webhooks:manage', other: 'read,run,answer'}});
});
after(async () => {
  await server.stop();
  rmSync(folder, {recursive: true});
});

const pipeline = (run, status, more = {}) => ({
  event_type: 'ci_pipeline',
  payload: {ci_provider: 'ci-server', pipeline_id: 'main', run_id: run, status}, ...more,
});

async function tell(body, {key = server.keys.ci, source = 'ci-server-v2'} = {}) {
  const answer = await fetch(`${server.url}/v1/integrations/${source}`, {
    method: 'POST', body: JSON.stringify(body),
    headers: {'Content-Type': 'application/json', ...(key && {Authorization: `Bearer ${key}`})}});
  return {status: answer.status, body: await answer.json()};
}

const events = () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const gate = () => spawnSync(process.env.CONVENE, ['gate', '--log', log], {encoding: 'utf8'}).status;

test('an event is on the log once it is answered, and a gate sees it', async () => {
  const {status, body} = await tell(pipeline('81', 'failed'));
  assert.deepEqual([status, body.status], [200, 'written']);
  const [written] = events();
  assert.deepEqual([written.event_id, written.source, written.payload.run_id],
                   [body.event_id, 'ci-server-v2', '81']);
  assert.equal(gate(), 1);
  assert.equal((await tell(pipeline('82', 'succeeded'))).body.status, 'written');
  assert.equal(gate(), 0);
});

test('what was told before is a duplicate, after a kill too', async () => {
  const before = events().length;
  assert.equal((await tell(pipeline('82', 'succeeded'))).body.status, 'duplicate');
  await server.kill();
  await server.startAgain();
  const {status, body} = await tell(pipeline('82', 'succeeded'));
  assert.deepEqual([status, body.status, events().length], [200, 'duplicate', before]);
});

test('of one event that is told many times at once, one is written', async () => {
  const before = events().length;
  const all = await Promise.all(Array.from({length: 20}, () => tell(pipeline('83', 'running'))));
  assert.deepEqual(all.map(({body}) => body.status).sort().slice(-2), ['duplicate', 'written']);
  assert.equal(events().length, before + 1);
});

test('what is no event is refused, and said where; the log stays as it was', async () => {
  const before = readFileSync(log, 'utf8');
  const where = async (body, how) => {
    const refused = await tell(body, how);
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'event_invalid'], JSON.stringify(refused));
    return refused.body.error.details.errors[0].instance;
  };
  assert.equal(await where(pipeline('84', 'great')), '/payload/status');
  assert.equal(await where({event_type: 'ci_pipeline', payload: {ci_provider: 'ci-server'}}), '/payload');
  assert.equal(await where(pipeline('84', 'failed', {source: 'another'})), '/source');
  assert.equal(await where({event_type: 'MAPSessionStarted', payload: {}}), '/event_type');
  assert.equal(await where({event_type: 'file_update', payload: {
    file_path: '../outside', change_type: 'deleted', timestamp: '2026-01-01T00:00:00Z'}}), '/payload/file_path');
  assert.equal(await where(pipeline('84', 'failed'), {source: 'x'.repeat(201)}), '/source');
  assert.equal(readFileSync(log, 'utf8'), before);
});

test('only a key for webhooks may tell anything', async () => {
  const refused = await tell(pipeline('85', 'failed'), {key: server.keys.other});
  assert.deepEqual([refused.status, refused.body.error.details.scopeRequired], [403, 'webhooks:manage']);
  assert.equal((await tell(pipeline('85', 'failed'), {key: ''})).status, 401);
});

test('a file that is something else, or that another program writes, is refused at the start', () => {
  const file = path.join(folder, 'notes.txt');
  writeFileSync(file, 'mine\n');
  const start = (name) => {
    const {status, stderr} = spawnSync(process.env.CONVENE, [
      'serve', '--listen', '127.0.0.1:0', '--data', path.join(folder, 'data'), '--outside', name],
                                       {encoding: 'utf8', timeout: 120_000});
    assert.match(stderr, new RegExp(path.basename(name)));
    return status;
  };
  assert.deepEqual([start(file), start(log)], [2, 2]);
  assert.equal(readFileSync(file, 'utf8'), 'mine\n');
});
