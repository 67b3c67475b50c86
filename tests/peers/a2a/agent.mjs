// An agent made with the official SDK, behind several cards. What it is told
// decides what it does; GET /seen has what it heard since the last POST
// /forget. What is slow goes on once there was a POST /go. Prints its port.
import express from 'express';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';

const key = 'planted-key';
const replyType = 'application/vnd.convene.reply+json';
const requestType = 'application/vnd.convene.request+json';
const nothing = () => ({ messages: [], cancelled: [], keys: [] });
let seen = nothing();
let mayGo = false;

const textPart = (value) =>
  ({ content: { $case: 'text', value }, metadata: {}, filename: '', mediaType: 'text/plain' });
const dataPart = (value, mediaType) =>
  ({ content: { $case: 'data', value }, metadata: {}, filename: '', mediaType });

class Agent {
  async execute(context, bus) {
    const { userMessage: message, taskId, contextId } = context;
    const request = message.parts.find((part) => part.mediaType === requestType)?.content.value;
    seen.messages.push({ id: message.messageId, contextId, who: request.participant.participant_id,
                         task: request.task });
    const number = seen.messages.length;
    const say = (...parts) =>
      ({ messageId: crypto.randomUUID(), contextId, taskId: '', role: Role.ROLE_AGENT, parts,
         metadata: {}, extensions: [], referenceTaskIds: [] });
    const status = (state, text) =>
      ({ state, message: text === undefined ? undefined : say(textPart(text)),
         timestamp: new Date().toISOString() });
    const update = (state, text) =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, text), metadata: {} }));
    const artifact = (...parts) =>
      bus.publish(AgentEvent.artifactUpdate({
        taskId, contextId, append: false, lastChunk: true, metadata: {},
        artifact: { artifactId: 'a', name: 'result', description: '', parts, metadata: {}, extensions: [] } }));
    const who = request.participant.participant_id;
    if (who === 'talker') {
      bus.publish(AgentEvent.message(say(textPart(`hello from ${contextId.length} characters`))));
      return bus.finished();
    }
    bus.publish(AgentEvent.task({
      id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [], history: [message],
      metadata: {} }));
    update(TaskState.TASK_STATE_WORKING);
    await new Promise((done) => setTimeout(done, 50));
    if (who === 'worker') {
      artifact(textPart('worked'), dataPart({
        writes: [{ resource_type: 'file', resource_id: 'a.txt', base_version: 0, op: 'put', value: 'by a2a' }] },
      replyType));
      update(TaskState.TASK_STATE_COMPLETED);
    } else if (who === 'caller') {
      artifact(textPart('by JSON-RPC'));
      update(TaskState.TASK_STATE_COMPLETED, 'not said');
    } else if (who === 'slow') {
      const cancelled = () => seen.cancelled.length >= number;
      while (!mayGo && !cancelled())
        await new Promise((done) => setTimeout(done, 20));
      if (cancelled())
        return;
      artifact(textPart('slowly'));
      update(TaskState.TASK_STATE_COMPLETED);
    } else if (who === 'asker') {
      update(TaskState.TASK_STATE_INPUT_REQUIRED, 'which one?');
    } else if (who === 'failer') {
      update(TaskState.TASK_STATE_FAILED, 'on purpose');
    } else {
      await new Promise((done) => { this.release = done; });
      return;
    }
    bus.finished();
  }

  async cancelTask(taskId, bus) {
    const last = seen.messages.at(-1);
    seen.cancelled.push(last.who);
    bus.publish(AgentEvent.statusUpdate({
      taskId, contextId: last.contextId, metadata: {},
      status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() } }));
    bus.finished();
    this.release?.();
  }
}

const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const handlerOf = (path, protocolBinding, more = {}) => {
    const card = {
      name: 'peer', description: 'A peer', version: '1.0.0', provider: undefined, skills: [], signatures: [],
      capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
      supportedInterfaces: [{ url: base + path, protocolBinding, tenant: '', protocolVersion: '1.0' }],
      defaultInputModes: ['text/plain', requestType], defaultOutputModes: ['text/plain', replyType],
      securitySchemes: {}, securityRequirements: [], ...more };
    const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent());
    app.use(`${path}/card`, agentCardHandler({ agentCardProvider: handler }));
    return handler;
  };
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/rest', restHandler({ requestHandler: handlerOf('/rest', 'HTTP+JSON'), userBuilder }));
  app.use('/rpc', jsonRpcHandler({ requestHandler: handlerOf('/rpc', 'JSONRPC'), userBuilder }));
  const closed = handlerOf('/closed', 'HTTP+JSON', {
    // As it is in JSON: the SDK serves the card as it is.
    securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }] });
  app.use('/closed', (request, response, next) => {
    seen.keys.push(request.header('x-agent-key') === key);
    return seen.keys.at(-1) ? next() : response.status(401).json({ error: { code: 401, message: 'no key' } });
  }, restHandler({ requestHandler: closed, userBuilder }));
  app.get('/seen', (_request, response) => response.json(seen));
  app.post('/forget', (_request, response) => {
    mayGo = false;
    response.json(seen = nothing());
  });
  app.post('/go', (_request, response) => response.json(mayGo = true));
  console.log(server.address().port);
});
