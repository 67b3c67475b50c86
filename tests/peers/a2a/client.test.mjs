// A convene server as an agent, as the client of the official SDK sees it.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {createHmac} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import http from 'node:http';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Role, TaskState} from '@a2a-js/sdk';
import {ClientFactory, DefaultAgentCardResolver, RestTransportFactory} from '@a2a-js/sdk/client';
import {Server} from '../../page/server.mjs';

const skills = path.resolve(import.meta.dirname, '../../../examples/remote/skills');
const options = ['--agents', skills];
let server;
let client;

before(async () => {
  server = await Server.start({options});
  client = await clientOf(server);
});
after(() => server.stop());

function clientOf(of, key) {
  const fetchImpl = (url, how = {}) => fetch(url, {
    ...how, headers: {...how.headers, ...(key && {Authorization: `Bearer ${key}`})},
  });
  return new ClientFactory({
    transports: [new RestTransportFactory({fetchImpl})],
    cardResolver: new DefaultAgentCardResolver({fetchImpl}),
  }).createFromUrl(of.url);
}

let last = 0;
const textPart = (value) =>
  ({content: {$case: 'text', value}, metadata: undefined, filename: '', mediaType: 'text/plain'});

/// A message; `about` has its other members.
function message(text, skill, about = {}) {
  return {
    tenant: '', metadata: undefined,
    configuration: about.configuration,
    message: {
      messageId: about.messageId ?? `message-${process.pid}-${++last}`, contextId: about.contextId ?? '',
      taskId: about.taskId ?? '', role: Role.ROLE_USER, parts: about.parts ?? [textPart(text)],
      metadata: skill === undefined ? undefined : {skill}, extensions: [], referenceTaskIds: [],
    },
  };
}

const stateOf = ({status}) => TaskState[status.state];
const said = ({status}) => status.message?.parts.map(({content}) => content.value).join('\n');
const answerOf = ({artifacts}) =>
  artifacts.find(({artifactId}) => artifactId === 'answer')?.parts[0].content.value;
const workspaceOf = ({artifacts}) =>
  artifacts.find(({artifactId}) => artifactId === 'workspace')?.parts[0].content.value;
const named = (name) => (error) => {
  assert.equal(error.name, name, error.message);
  return true;
};

/// The name of a stream's event, and the state that it tells.
const nameOf = ({payload: {$case, value}}) =>
  $case === 'artifactUpdate' ? `artifact ${value.artifact.artifactId}` : `${$case} ${stateOf(value)}`;

async function collected(stream) {
  const all = [];
  for await (const event of stream) {
    all.push(nameOf(event));
  }
  return all;
}

test('the card names the skills, and what is not offered', async () => {
  const card = await client.getAgentCard();
  assert.deepEqual(card.skills.map(({id, name}) => [id, name]),
                   [['pair', 'Two opinions'], ['review', 'Review of a retry policy']]);
  assert.deepEqual([card.capabilities.streaming, card.capabilities.pushNotifications], [true, false]);
  assert.equal(card.supportedInterfaces[0].url, server.url);
});

test('a message starts a session, and its task has what was said last', async () => {
  const task = await client.sendMessage(message('Is it late?', 'pair', {contextId: 'talk 1'}));
  assert.deepEqual([stateOf(task), answerOf(task), task.contextId],
                   ['TASK_STATE_COMPLETED', 'echo: Is it late?', 'talk 1']);
  assert.deepEqual(await client.getTask({id: task.id, tenant: ''}), task);
  const {result} = await server.request(`/v1/sessions/${task.id}`);
  assert.equal(result.status, 'completed');
});

test('a message answers the question of a task, which goes on', async () => {
  const asked = await client.sendMessage(message('When is it tried again?', 'review'));
  assert.equal(stateOf(asked), 'TASK_STATE_INPUT_REQUIRED');
  assert.equal(said(asked), 'ana is asked: When is it tried again?\n\nA first draft.');
  assert.deepEqual(asked.artifacts, []);
  const again = await client.sendMessage(message('Shorter, please', undefined, {taskId: asked.id}));
  assert.equal(said(again), 'ana is asked: When is it tried again?\n\nThen it stays as you wrote it.');
  const done = await client.sendMessage(message('APPROVED', undefined, {taskId: asked.id}));
  assert.deepEqual([stateOf(done), answerOf(done)], ['TASK_STATE_COMPLETED', 'Then it stays as you wrote it.']);
  assert.equal(workspaceOf(done).resources[0].value, 'Requests are tried again three times.');
  await assert.rejects(client.sendMessage(message('More', undefined, {taskId: asked.id})),
                       named('UnsupportedOperationError'));
});

test('a stream begins with the task and ends where it asks, or is over', async () => {
  let all;
  do {
    all = await collected(client.sendMessageStream(message('Hello', 'pair')));
    // One that is over before it is shown is shown whole.
  } while (all.length === 1 && all[0] === 'task TASK_STATE_COMPLETED');
  assert.deepEqual(all, ['task TASK_STATE_WORKING', 'artifact answer', 'statusUpdate TASK_STATE_COMPLETED']);
  const asked = await collected(client.sendMessageStream(message('Hello', 'review', {messageId: 'streamed'})));
  assert.deepEqual(asked.slice(-1), [asked.length === 1 ? 'task TASK_STATE_INPUT_REQUIRED'
                                                        : 'statusUpdate TASK_STATE_INPUT_REQUIRED']);
  const again = client.sendMessageStream(message('Hello', 'review', {messageId: 'streamed'}));
  assert.deepEqual(await collected(again), ['task TASK_STATE_INPUT_REQUIRED']);
  const {id} = await client.sendMessage(message('Hello', 'review', {messageId: 'streamed'}));
  assert.deepEqual(
      await collected(client.sendMessageStream(message('APPROVED', undefined, {taskId: id}))).then(
          (all) => all.slice(-3)),
      ['artifact answer', 'artifact workspace', 'statusUpdate TASK_STATE_COMPLETED']);
});

test('a task is subscribed to again after a kill and a restart', async () => {
  const {id} = await client.sendMessage(message('Say it', 'review'));
  const cut = collected(client.resubscribeTask({id, tenant: ''})).catch(() => 'cut');
  await server.kill();
  assert.equal(await cut, 'cut');
  await server.startAgain();
  const stream = client.resubscribeTask({id, tenant: ''})[Symbol.asyncIterator]();
  // Before the answer: from then on it is subscribed to.
  assert.equal(nameOf((await stream.next()).value), 'task TASK_STATE_INPUT_REQUIRED');
  const seen = collected({[Symbol.asyncIterator]: () => stream});
  const done = await client.sendMessage(message('APPROVED', undefined, {taskId: id}));
  assert.equal(stateOf(done), 'TASK_STATE_COMPLETED');
  assert.deepEqual(await seen, ['statusUpdate TASK_STATE_WORKING', 'artifact answer', 'artifact workspace',
                                'statusUpdate TASK_STATE_COMPLETED']);
});

test('a message that is sent again changes nothing, after a kill neither', async () => {
  const first = message('Say it once', 'review');
  const {id} = await client.sendMessage(first);
  const second = message('Shorter', undefined, {taskId: id});
  const [one, other] = await Promise.all([client.sendMessage(second), client.sendMessage(second)]);
  assert.deepEqual([one.id, other.id], [id, id]);
  await server.kill();
  await server.startAgain();
  assert.equal((await client.sendMessage(first)).id, id);
  const asked = await client.sendMessage(second);
  assert.equal(stateOf(asked), 'TASK_STATE_INPUT_REQUIRED');
  const replies = (await server.events(id)).filter(
      ({event_type: type, payload}) => type === 'MAPTurnCompleted' && payload.participant_id === 'ana');
  assert.deepEqual(replies.map(({payload}) => payload.reply.content), ['Shorter']);
  await assert.rejects(
      client.sendMessage(message('Something else', 'review', {messageId: first.message.messageId})),
      named('RequestMalformedError'));
});

test('a message that is sent again has its task where its skill is no more', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'convene-skills-'));
  const offer = (name) => writeFileSync(path.join(folder, name), readFileSync(path.join(skills, 'pair.json')));
  offer('one.json');
  const other = await Server.start({options: ['--agents', folder]});
  try {
    const first = message('Hello');
    const {id} = await (await clientOf(other)).sendMessage(first);
    await other.kill();
    rmSync(path.join(folder, 'one.json'));
    ['two.json', 'three.json'].forEach(offer);
    await other.startAgain();
    const again = await (await clientOf(other)).sendMessage(first);
    assert.deepEqual([again.id, again.metadata.skill], [id, 'one']);
  } finally {
    await other.stop();
    rmSync(folder, {recursive: true});
  }
});

test('a task is cancelled once', async () => {
  const {id} = await client.sendMessage(message('Say it', 'review'));
  const gone = await client.cancelTask({id, tenant: '', metadata: undefined});
  assert.equal(stateOf(gone), 'TASK_STATE_CANCELED');
  await assert.rejects(client.cancelTask({id, tenant: '', metadata: undefined}), named('TaskNotCancelableError'));
  await assert.rejects(collected(client.resubscribeTask({id, tenant: ''})), named('UnsupportedOperationError'));
  const {status} = await server.request(`/v1/sessions/${id}`);
  assert.equal(status, 'cancelled');
});

test('tasks are listed by pages, those that changed last first', async () => {
  const ids = [];
  for (const text of ['one', 'two', 'three']) {
    ids.unshift((await client.sendMessage(message(text, 'pair', {contextId: 'listed'}))).id);
  }
  const list = (more) => client.listTasks(
      {tenant: '', contextId: 'listed', status: TaskState.TASK_STATE_COMPLETED, pageToken: '',
       statusTimestampAfter: undefined, ...more});
  const first = await list({pageSize: 2});
  assert.deepEqual(first.tasks.map(({id}) => id), ids.slice(0, 2));
  assert.deepEqual([first.totalSize, first.tasks[0].artifacts], [3, []]);
  const rest = await list({pageSize: 2, pageToken: first.nextPageToken, includeArtifacts: true});
  assert.deepEqual(rest.tasks.map((task) => [task.id, answerOf(task)]), [[ids[2], 'echo: one']]);
  assert.equal(rest.nextPageToken, '');
  for (const status of [TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_REJECTED]) {
    assert.equal((await list({status})).totalSize, 0);
  }
});

test('what cannot be done is refused by the name that A2A gives it', async () => {
  await assert.rejects(client.getTask({id: 'nobody', tenant: ''}), named('TaskNotFoundError'));
  await assert.rejects(client.sendMessage(message('Hello', 'nothing')), named('RequestMalformedError'));
  await assert.rejects(client.sendMessage(message('Hello')), named('RequestMalformedError'));
  await assert.rejects(client.sendMessage(message('', 'pair')), named('RequestMalformedError'));
  const url = {content: {$case: 'url', value: 'file:///etc/passwd'}, metadata: undefined, filename: '',
               mediaType: ''};
  await assert.rejects(client.sendMessage(message('', 'pair', {parts: [url]})),
                       named('ContentTypeNotSupportedError'));
  const {id} = await client.sendMessage(message('Hello', 'review', {contextId: 'here'}));
  await assert.rejects(client.sendMessage(message('APPROVED', undefined, {taskId: id, contextId: 'elsewhere'})),
                       named('RequestMalformedError'));
});

test('a client hears what it accepts, and what it began the task with', async () => {
  const accept = (...acceptedOutputModes) =>
    ({configuration: {acceptedOutputModes, historyLength: undefined, taskPushNotificationConfig: undefined,
                      returnImmediately: false}});
  const types = (parts) => parts.map(({mediaType}) => mediaType);
  const shown = ({artifacts}) => artifacts.map(({artifactId, parts}) => [artifactId, types(parts)]);
  const text = await client.sendMessage(message('Hello', 'pair', accept('image/png', 'text/plain; charset=utf-8')));
  assert.deepEqual(shown(text), [['answer', ['text/plain']]]);
  assert.deepEqual(shown(await client.getTask({id: text.id, tenant: ''})), shown(text));
  const data = await client.sendMessage(message('Hello', 'pair', accept('application/json')));
  assert.deepEqual(shown(data), [['answer', ['application/json', 'application/json']]]);
  assert.deepEqual(answerOf(data), {text: 'echo: Hello'});
  const all = await client.sendMessage(message('Hello', 'pair', accept('*/*')));
  assert.deepEqual(shown(all), [['answer', ['text/plain', 'application/json']]]);

  const asked = await client.sendMessage(message('Hello', 'review', {...accept('application/*'), messageId: 'data'}));
  assert.deepEqual(types(asked.status.message.parts), ['application/json']);
  assert.match(asked.status.message.parts[0].content.value.text, /^ana is asked: Hello/);
  const again = await client.sendMessage(message('Hello', 'review', {...accept('text/plain'), messageId: 'data'}));
  assert.deepEqual([again.id, types(again.status.message.parts)], [asked.id, ['text/plain']]);
  const stream = client.sendMessageStream(message('APPROVED', undefined, {taskId: asked.id, ...accept('text')}));
  assert.deepEqual((await collected(stream)).slice(-2), ['artifact answer', 'statusUpdate TASK_STATE_COMPLETED']);
  assert.deepEqual(shown(await client.getTask({id: asked.id, tenant: ''})),
                   [['answer', ['application/json', 'application/json']], ['workspace', ['application/json']]]);

  for (const modes of [['image/png'], ['text/html', 'audio/wav']]) {
    await assert.rejects(client.sendMessage(message('Hello', 'pair', accept(...modes))),
                         named('ContentTypeNotSupportedError'));
  }
});

test('requests of another version, or of no JSON, are refused in the form of A2A', async () => {
  const send = (headers, body, where = '/message:send') =>
    fetch(server.url + where, {method: 'POST', headers, body});
  const reasonOf = async (answer) => {
    assert.equal(answer.headers.get('content-type'), 'application/a2a+json');
    const {error} = await answer.json();
    assert.equal(error.code, answer.status);
    return [answer.status, error.status, error.details[0].reason];
  };
  const json = {'Content-Type': 'application/a2a+json'};
  const own = {...json, 'A2A-Version': '1.0'};
  assert.deepEqual(await reasonOf(await send(json, '{}')), [400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED']);
  assert.deepEqual(await reasonOf(await send(own, '{')), [400, 'INVALID_ARGUMENT', 'INVALID_PARAMS']);
  for (const part of [{text: 'Hello', data: {n: 1}}, {text: 'Hello', url: 'https://a.example/'}, {}]) {
    const body = {message: {messageId: 'odd', role: 'ROLE_USER', metadata: {skill: 'pair'}, parts: [part]}};
    assert.deepEqual(await reasonOf(await send(own, JSON.stringify(body))),
                     [400, 'INVALID_ARGUMENT', 'INVALID_PARAMS']);
  }
  assert.deepEqual(await reasonOf(await send({...own, 'Content-Type': 'text/plain'}, '{}')),
                   [400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED']);
  assert.deepEqual(await reasonOf(await send(own, '{}', '/tasks/x/pushNotificationConfigs')),
                   [400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED']);
});

test('a key does what its scopes allow', async () => {
  const other = await Server.start({options, keys: {reader: 'read', runner: 'read,run', all: 'read,run,answer'}});
  try {
    await assert.rejects((await clientOf(other)).sendMessage(message('Hello', 'pair')),
                         ({statusCode}) => statusCode === 401);
    await assert.rejects((await clientOf(other, other.keys.reader)).sendMessage(message('Hello', 'pair')),
                         ({statusCode}) => statusCode === 403);
    const runner = await clientOf(other, other.keys.runner);
    assert.ok((await runner.getAgentCard()).securitySchemes.key);
    const {id} = await runner.sendMessage(message('Hello', 'review'));
    await assert.rejects(runner.sendMessage(message('APPROVED', undefined, {taskId: id})),
                         ({statusCode}) => statusCode === 403);
    const done = await (await clientOf(other, other.keys.all))
        .sendMessage(message('APPROVED', undefined, {taskId: id}));
    assert.equal(stateOf(done), 'TASK_STATE_COMPLETED');
  } finally {
    await other.stop();
  }
});

test('each endpoint wants its scope, and the card none', async () => {
  const scopes = ['manifest:read', 'runs:read', 'runs:create', 'runs:cancel', 'approvals:respond'];
  const other = await Server.start({options, keys: Object.fromEntries(scopes.map((each) => [each, each]))});
  const statusOf = async (method, where, key) => {
    const answer = await fetch(other.url + where, {
      method, body: method === 'POST' ? '{}' : undefined,
      headers: {'A2A-Version': '1.0', 'Content-Type': 'application/json',
                ...(key && {Authorization: `Bearer ${key}`})}});
    return answer.status;
  };
  try {
    assert.equal(await statusOf('GET', '/.well-known/agent-card.json'), 200);
    for (const [method, where, wanted] of [
      ['GET', '/tasks', 'runs:read'], ['GET', '/tasks/x', 'runs:read'], ['POST', '/tasks/x:cancel', 'runs:cancel'],
      ['POST', '/tasks/x:subscribe', 'runs:read'], ['GET', '/tasks/x:subscribe', 'runs:read'],
      ['POST', '/message:send', 'runs:create'], ['POST', '/message:stream', 'runs:create'],
      ['GET', '/tasks/x/pushNotificationConfigs', 'runs:read'],
      ['GET', '/tasks/x/pushNotificationConfigs/y', 'runs:read'],
      ['POST', '/tasks/x/pushNotificationConfigs', 'runs:create'],
      ['DELETE', '/tasks/x/pushNotificationConfigs/y', 'runs:create'], ['GET', '/extendedAgentCard', 'runs:read']]) {
      assert.equal(await statusOf(method, where), 401, where);
      assert.equal(await statusOf(method, where, 'convene_unknown'), 401, where);
      for (const scope of scopes) {
        const status = await statusOf(method, where, other.keys[scope]);
        assert.equal(status === 403, scope !== wanted, `${method} ${where} with ${scope}: ${status}`);
        assert.notEqual(status, 401);
      }
    }
  } finally {
    await other.stop();
  }
});

/// A client's own server: what it was called with.
async function callee() {
  const calls = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => body += text).on('end', () => {
      calls.push({headers: request.headers, body});
      response.end();
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {calls, server, port: server.address().port};
}

test('clients get a task\'s changes by signed calls, over a kill', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'convene-push-'));
  const secret = 'a secret of the server';
  writeFileSync(path.join(folder, 'secret'), secret, {mode: 0o600});
  const {calls, server: called, port} = await callee();
  const url = `http://127.0.0.1:${port}/told`;
  const other = await Server.start({options: [...options, '--allow', `net=127.0.0.1:${port}`, '--callback-secret',
                                              path.join(folder, 'secret')]});
  try {
    const to = await clientOf(other);
    assert.equal((await to.getAgentCard()).capabilities.pushNotifications, true);
    const config = {tenant: '', taskId: '', id: 'one', url, token: 'token',
                    authentication: {scheme: 'Bearer', credentials: 'credential'}};
    const configured = (taskPushNotificationConfig) => ({configuration: {
      acceptedOutputModes: [], historyLength: undefined, returnImmediately: false, taskPushNotificationConfig}});
    const {id} = await to.sendMessage(message('Say it', 'review', configured(config)));
    assert.deepEqual(await to.getTaskPushNotificationConfig({tenant: '', taskId: id, id: 'one'}),
                     {...config, taskId: id, token: '', authentication: {scheme: 'Bearer', credentials: ''}});
    const second = await to.createTaskPushNotificationConfig({...config, taskId: id, id: '', url: `${url}?second`});
    const all = await to.listTaskPushNotificationConfig({tenant: '', taskId: id, pageSize: 0, pageToken: ''});
    assert.deepEqual(all.configs.map((each) => each.id).sort(), ['one', second.id].sort());
    for (let times = 0; times < 2; ++times) {
      await to.deleteTaskPushNotificationConfig({tenant: '', taskId: id, id: second.id});
    }
    await assert.rejects(to.getTaskPushNotificationConfig({tenant: '', taskId: id, id: second.id}),
                         named('TaskNotFoundError'));
    for (const wrong of ['http://169.254.169.254/', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'told']) {
      await assert.rejects(to.createTaskPushNotificationConfig({...config, taskId: id, url: wrong}),
                           named('RequestMalformedError'));
      await assert.rejects(to.sendMessage(message('Say it', 'review', configured({...config, url: wrong}))),
                           named('RequestMalformedError'));
    }
    await other.kill();
    await other.startAgain();
    await to.sendMessage(message('APPROVED', undefined, {taskId: id}));
    while (!calls.some(({body}) => JSON.parse(body).task)) {
      await new Promise((done) => setTimeout(done, 20));
    }
    const told = calls.map(({body}) => Object.entries(JSON.parse(body))[0]);
    assert.ok(told.some(([name, {status}]) =>
      name === 'statusUpdate' && status.state === 'TASK_STATE_INPUT_REQUIRED'));
    const [, last] = told.at(-1);
    assert.deepEqual([last.id, last.status.state, last.artifacts[0].artifactId],
                     [id, 'TASK_STATE_COMPLETED', 'answer']);
    for (const {headers, body} of calls) {
      const signed = `${headers['x-convene-timestamp']}.${body}`;
      assert.equal(headers['x-convene-signature'],
                   `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`);
      assert.deepEqual([headers.authorization, headers['x-a2a-notification-token'], headers['content-type']],
                       ['Bearer credential', 'token', 'application/a2a+json']);
    }
  } finally {
    await other.stop();
    called.close();
    rmSync(folder, {recursive: true});
  }
});

test('a server that was told of no scenarios is no agent', async () => {
  const other = await Server.start();
  try {
    for (const where of ['/.well-known/agent-card.json', '/tasks']) {
      assert.equal((await fetch(other.url + where)).status, 404, where);
    }
  } finally {
    await other.stop();
  }
});

test('what is no folder of scenarios is refused at the start, and said where', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'convene-skills-'));
  const refused = (wanted, ...more) => {
    const {status, stderr} = spawnSync(process.env.CONVENE, [
      'serve', '--listen', '127.0.0.1:0', '--data', path.join(folder, 'data'), '--agents', folder, ...more],
                                       {encoding: 'utf8', timeout: 120_000});
    assert.deepEqual([status, wanted.test(stderr)], [2, true], stderr);
  };
  try {
    refused(/has no scenario/);
    writeFileSync(path.join(folder, 'one.json'), '{"collab": {"title": 7}}');
    refused(/one\.json:1:\d+: .*purpose/);
    writeFileSync(path.join(folder, 'one.json'), readFileSync(path.join(skills, 'pair.json')));
    refused(/--public-url/, '--public-url', 'agents.example');
    writeFileSync(path.join(folder, 'a b.json'), readFileSync(path.join(skills, 'pair.json')));
    refused(/a b\.json.*dashes/);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('a participant of another convene can be such an agent', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'convene-a2a-'));
  const one = mkdtempSync(path.join(tmpdir(), 'convene-skill-'));
  writeFileSync(path.join(one, 'pair.json'), readFileSync(path.join(skills, 'pair.json')));
  const other = await Server.start({options: ['--agents', one]});
  try {
    const scenario = path.join(folder, 'scenario.json');
    writeFileSync(scenario, JSON.stringify({
      collab: {title: 'Ask', purpose: 'Ask', mode: 'round_robin',
               participants: [{participant_id: 'there', kind: 'agent', role_id: 'there'}]},
      task: 'Say something', session: {rounds: 1},
      behaviours: {there: {type: 'a2a', card: `${other.url}/.well-known/agent-card.json`}}}));
    execFileSync(process.env.CONVENE, ['run', scenario, '--out', path.join(folder, 'out'), '--allow',
                                       `net=${new URL(other.url).host}`], {stdio: 'pipe'});
    const dialog = JSON.parse(readFileSync(path.join(folder, 'out', 'dialog.json')));
    assert.match(dialog.messages.at(-1).content, /^echo: .*Say something/s);
  } finally {
    await other.stop();
    rmSync(folder, {recursive: true});
    rmSync(one, {recursive: true});
  }
});
