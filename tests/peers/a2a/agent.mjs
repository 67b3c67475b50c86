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
const nothing = () => ({ messages: [], cancelled: [], keys: [], types: [] });
let seen = nothing();
let mayGo = false;

const textPart = (value) =>
  ({ content: { $case: 'text', value }, metadata: {}, filename: '', mediaType: 'text/plain' });
const dataPart = (value, mediaType, metadata = {}) =>
  ({ content: { $case: 'data', value }, metadata, filename: '', mediaType });
const write = (name, value) =>
  ({ writes: [{ resource_type: 'file', resource_id: name, base_version: 0, op: 'put', value }] });

class Agent {
  async execute(context, bus) {
    const { userMessage: message, taskId, contextId } = context;
    // A2A 0.3 has the media type in the metadata, and HTTP+JSON of 0.3 nowhere.
    const data = message.parts.find(({ content }) => content.$case === 'data');
    seen.types.push(data.mediaType || (data.metadata?.mediaType ?? 'none'));
    const request = data.content.value;
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
      artifact(textPart('worked'), dataPart(write('a.txt', 'by a2a'), replyType));
      update(TaskState.TASK_STATE_COMPLETED);
    } else if (who === 'elder') {
      artifact(textPart('by A2A 0.3'), dataPart(write('b.txt', 'by an elder'), '', { mediaType: replyType }));
      update(TaskState.TASK_STATE_COMPLETED);
    } else if (who === 'eldest') {
      update(TaskState.TASK_STATE_COMPLETED, 'by HTTP+JSON of A2A 0.3');
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
  // Agents that offer A2A 0.3 alone: one with a card of 0.3, and one with a card of 1.0.
  const legacyCompat = { enabled: true };
  const olderHandlerOf = (path, protocolBinding) => handlerOf(path, protocolBinding, {
    supportedInterfaces: [{ url: base + path, protocolBinding, tenant: '', protocolVersion: '0.3' }] });
  const elder = olderHandlerOf('/elder', 'JSONRPC');
  const eldest = olderHandlerOf('/eldest', 'HTTP+JSON');
  app.get('/elder/old', (_request, response) => response.json({
    protocolVersion: '0.3.0', name: 'elder', description: 'An elder', version: '1.0.0', url: `${base}/elder`,
    preferredTransport: 'JSONRPC', additionalInterfaces: [{ url: `${base}/elder`, transport: 'JSONRPC' }],
    capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] }));
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/elder', jsonRpcHandler({ requestHandler: elder, userBuilder, legacyCompat }));
  app.use('/eldest', restHandler({ requestHandler: eldest, userBuilder, legacyCompat }));
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
