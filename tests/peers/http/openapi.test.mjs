import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {createConfig, lintFromString} from '@redocly/openapi-core';
import {Validator} from '@seriousme/openapi-schema-validator';
import {Server} from '../../page/server.mjs';
import {Bodies} from './bodies.mjs';

const review = JSON.parse(readFileSync(new URL('../../../examples/server/review.json', import.meta.url)));
const skills = fileURLToPath(new URL('../../../examples/remote/skills', import.meta.url));
let server;
let bodies;

before(async () => {
  server = await Server.start({options: ['--agents', skills]});
  bodies = new Bodies(await server.request('/openapi.json'));
});
after(() => server.stop());

/// Sends a request; what comes must have this status, and be as the document says.
async function ask(wanted, path, {method = 'GET', body, accept} = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const got = await fetch(server.url + path, {
    method,
    headers: {...(text !== undefined && {'Content-Type': 'application/json'}), ...(accept && {Accept: accept})},
    body: text,
  });
  const answer = await got.text();
  const type = got.headers.get('content-type');
  assert.equal(got.status, wanted, `${method} ${path}: ${answer}`);
  bodies.check({method, path, status: got.status, type, body: text, answer});
  return type?.startsWith('application/json') ? JSON.parse(answer) : answer;
}
const post = (wanted, path, body) => ask(wanted, path, {method: 'POST', body});

test('the OpenAPI document is one, of version 3.1', async () => {
  const validator = new Validator();
  const {valid, errors} = await validator.validate(bodies.document);
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.equal(validator.version, '3.1');
  assert.ok(bodies.document.paths['/v1/runs/{id}/events'], 'it has the endpoints of runs');
});

// As `redocly lint` does without a file of its own.
test('Redocly finds no errors in the OpenAPI document', async () => {
  const problems = await lintFromString({
    source: JSON.stringify(bodies.document),
    absoluteRef: 'openapi.json',
    config: await createConfig({extends: ['recommended']}),
  });
  const errors = problems.filter(({severity}) => severity === 'error')
      .map(({ruleId, message, location: [{pointer}]}) => `${ruleId}: ${message} (${pointer})`);
  assert.deepEqual(errors, []);
});

test('the OpenAPI document has no files of the page, and says where the server is', () => {
  const {paths, servers} = bodies.document;
  assert.deepEqual(Object.keys(paths).filter((path) => path === '/' || /^\/(page|session)\//.test(path)), []);
  assert.equal(servers[0].url, '/');
  const {parameters, requestBody} = paths['/message:send'].post;
  assert.ok(parameters.some(({$ref}) => $ref === '#/components/parameters/A2aVersion'));
  assert.deepEqual(Object.keys(requestBody.content), ['application/json', 'application/a2a+json']);
  assert.ok(paths['/tasks'].get.parameters.some(({name}) => name === 'contextId'));
});

test('the OpenAPI document says of each endpoint what it takes and gives', () => {
  const lacking = [];
  for (const [name, {requestBody, responses}] of bodies.operations()) {
    const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const has = (content) => Object.values(content ?? {}).length > 0
        && Object.values(content).every(({schema}) => Object.keys(schema ?? {}).length > 0);
    if (!good.every(([status, {content}]) => status === '204' || has(content))
        || (name.startsWith('POST') && !has(requestBody?.content))) {
      lacking.push(name);
    }
  }
  assert.deepEqual(lacking, [], 'describe them in schemas/api');
});

test('what the server says of itself is as its OpenAPI document says', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/v1/openapi.json',
                      '/.well-known/openwop']) {
    await ask(200, path);
  }
  await ask(404, '/v1/runs/none');
  await ask(404, '/v1/sessions/none');
});

test('what the server takes and gives of sessions is as its OpenAPI document says', async () => {
  const {session_id: id} = await post(201, '/v1/sessions', review);
  const at = `/v1/sessions/${id}`;
  const {requests: [{token}]} = await ask(200, `/v1/requests?session=${id}&wait_ms=60000`);
  await ask(200, at);
  await ask(200, `${at}/workspace`);
  await ask(200, `${at}/dialog`);
  await ask(200, `${at}/story`);
  await ask(409, `${at}/documents/result`);
  await post(422, `/v1/requests/${token}/reply`, {content: 1});
  const reply = {content: 'APPROVED', writes: [
    {resource_type: 'doc', resource_id: 'remarks', base_version: 0, op: 'put', value: ['none']},
  ]};
  await post(200, `/v1/requests/${token}/reply`, reply);
  await post(200, `/v1/requests/${token}/reply`, reply);
  const stream = await ask(200, `${at}/events`, {accept: 'text/event-stream'});
  const {events} = await ask(200, `${at}/events`);
  assert.equal(stream.match(/^id: /gm).length, events.length);
  await ask(204, `${at}/events?after=${events.length}`, {accept: 'text/event-stream'});
  await ask(200, at);
  await ask(200, `${at}/workspace`);
  await ask(200, `${at}/dialog`);
  for (const name of ['scenario', 'result', 'trace', 'collab']) {
    await ask(200, `${at}/documents/${name}`);
  }
  await ask(200, '/v1/sessions?limit=1');
  await post(409, `${at}/cancel`);
});

test('what the server takes and gives of controls is as its OpenAPI document says', async () => {
  for (const last of ['cancel', 'stop']) {
    const {session_id: id} = await post(201, '/v1/sessions', review);
    const at = `/v1/sessions/${id}`;
    await ask(200, `/v1/requests?session=${id}&wait_ms=60000`);
    const {next} = await ask(200, `${at}/events`);
    await post(202, `${at}/suspend`, {reason: 'a pause'});
    await ask(200, `${at}/events?after=${next}&wait_ms=60000`);
    await post(202, `${at}/resume`);
    await post(202, `${at}/${last}`, {});
    await ask(200, `${at}/events`, {accept: 'text/event-stream'});
  }
  await post(422, '/v1/sessions', {scenario: {convene: '1'}});
});

test('what was taken and given in tests/openwop is as the OpenAPI document says', {
  skip: process.env.RECORDED === undefined && 'no file of tests/openwop/run --record is given',
}, () => {
  const lines = readFileSync(process.env.RECORDED, 'utf8').trim().split('\n');
  lines.map((line) => JSON.parse(line)).filter(({method}) => method !== 'HEAD').forEach((one) => bodies.check(one));
  const missed = [...bodies.operations()].map(([name]) => name)
      .filter((name) => name.includes('/v1/runs/') && !bodies.seen.has(name));
  assert.deepEqual(missed, [], 'operations on a run that no test there has carried out');
});
