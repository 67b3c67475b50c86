// Workflows that ask people.
import {hostile, review} from './scenarios.mjs';

const node = (id, typeId, config) =>
    ({id, typeId, name: id, position: {x: 0, y: 0}, config, inputs: {}});

/// Nodes that run one after the other.
const workflow = (id, nodes, more = {}) => ({
  id, name: id, version: '1.0.0', nodes, triggers: [{id: 'manual', type: 'manual'}], variables: [],
  edges: nodes.slice(1).map((each, index) => ({id: `e${index}`, sourceNodeId: nodes[index].id,
                                                targetNodeId: each.id})),
  metadata: {}, settings: {timeout: 0, maxRetries: 0}, ...more,
});

const gate = node('gate', 'core.approvalGate', {
  title: `Ship release 4? ${hostile.script}`, description: `It has two fixes. ${hostile.override}`,
  actions: ['accept', 'reject'], ticket: 'R-4'});
const ask = node('ask', 'core.clarificationGate', {questions: [
  {id: 'name', question: 'What is it called?'},
  {id: 'note', question: 'Anything to add?', required: false}]});
const talk = node('talk', 'core.conversationGate', {title: 'The announcement',
                                                    prompt: 'What do we tell the customers?'});
const session = node('session', 'convene.session', {
  scenario: review({title: 'Review of the release', rounds: 1})});

/// An approval, a clarification, a conversation, and a session that ana reviews.
export const release = workflow('release', [gate, ask, talk, session],
                                {channels: {conversation: {reducer: 'message'}}});

export const approvals = workflow('approvals', [gate, node('then', 'core.noop', {})]);

/// Runs `approvals` and waits for its end.
export const calling = workflow('calling', [
  node('call', 'core.subWorkflow', {workflowId: 'approvals'})]);

export const payments = workflow('payments', [
  node('paid', 'core.interrupt', {kind: 'external-event', data: {
    eventType: 'order.paid', correlation: {orderId: 'order-1'}}})]);

/// A conversation whose turns are an object.
export const amounts = workflow('amounts', [node('convo', 'core.conversationGate', {
  prompt: 'How much?',
  schema: {
    type: 'object', required: ['amount', 'paid'], additionalProperties: false,
    properties: {
      amount: {type: 'integer', minimum: 1, title: 'Amount', description: 'In whole dollars.'},
      kind: {enum: ['travel', 'food'], title: 'Kind'},
      paid: {type: 'boolean', title: 'Paid'},
      note: {type: 'string', title: 'Note'},
    },
  },
})]);

/// Ends at once, with an error and a long text.
export const broken = workflow('broken', [
  node('write', 'core.channelWrite', {channelName: 'notes', reducer: 'append',
                                      value: `${hostile.image} ${'long '.repeat(1000)}`}),
  node('fail', 'core.fail', {code: 'no_luck', message: `It did not work. ${hostile.script}`})]);
