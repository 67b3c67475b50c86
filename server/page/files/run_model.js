// What a run is like after its events so far. Knows nothing of the page.

/// The state before the first event.
export const begin = () => ({
  status: 'pending',
  workflow: '',
  inputs: undefined,
  parent: undefined, // the run whose child this is
  nodes: new Map(), // by id: {id, type, status, attempts, outputs, error, session, child}
  interrupts: new Map(), // open ones, by id
  settled: 0, // rises with what a snapshot shows
  error: undefined,
  hasEnded: false,
});

const nodeOf = (model, id) => {
  if (!model.nodes.has(id)) {
    model.nodes.set(id, {id, type: '', status: 'pending', attempts: 0});
  }
  return model.nodes.get(id);
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/// The node, which changes; what it asked is over if it does not wait any more.
function change(model, payload, status, more = {}) {
  Object.assign(nodeOf(model, payload.nodeId), {status, ...more});
  if (status !== 'suspended') {
    for (const [id, {nodeId}] of model.interrupts) {
      if (nodeId === payload.nodeId) {
        model.interrupts.delete(id);
      }
    }
  }
}

function take(model, nodeId, turn) {
  for (const each of model.interrupts.values()) {
    if (each.nodeId === nodeId) {
      each.turns.push(turn);
    }
  }
}

const until = ({requestedAt, timeoutMs}) =>
    timeoutMs > 0 ? new Date(Date.parse(requestedAt) + timeoutMs).toISOString() : undefined;

const end = (status) => (model, payload) => {
  Object.assign(model, {status, hasEnded: true, error: payload.error});
  model.interrupts.clear();
};

const kinds = {
  'run.started'(model, payload) {
    Object.assign(model, {status: 'running', workflow: payload.workflowId ?? '',
                          inputs: payload.inputs, parent: payload.parent?.runId});
  },
  'run.paused'(model) {
    model.status = 'paused';
  },
  'run.resumed'(model) {
    model.status = 'running';
  },
  'run.completed': end('completed'),
  'run.failed': end('failed'),
  'run.cancelled': end('cancelled'),
  'node.started'(model, payload) {
    const {attempts} = nodeOf(model, payload.nodeId);
    change(model, payload, 'running', {type: payload.typeId ?? '', attempts: attempts + 1,
                                       session: payload.sessionId, child: undefined,
                                       outputs: undefined, error: undefined});
  },
  'node.dispatched'(model, payload) {
    nodeOf(model, payload.nodeId).child = payload.childRunId;
  },
  'node.suspended': (model, payload) => change(model, payload, 'suspended'),
  'node.resumed': (model, payload) => change(model, payload, 'running'),
  'node.completed': (model, payload) =>
      change(model, payload, 'completed', {outputs: payload.outputs}),
  'node.failed': (model, payload) => change(model, payload, 'failed', {error: payload.error}),
  'node.skipped': (model, payload) => change(model, payload, 'skipped'),
  'node.cancelled': (model, payload) => change(model, payload, 'cancelled'),
  'node.retried': (model, payload) => change(model, payload, 'pending'),
  'interrupt.requested'(model, payload) {
    model.interrupts.set(payload.interruptId, {
      id: payload.interruptId,
      nodeId: payload.nodeId,
      kind: payload.kind,
      data: isObject(payload.data) ? payload.data : {},
      resumeSchema: payload.resumeSchema,
      until: until(payload),
      schema: undefined,
      turns: [],
    });
  },
  'interrupt.resolved'(model, payload) {
    model.interrupts.delete(payload.interruptId);
  },
  'conversation.opened'(model, payload, nodeId) {
    for (const each of model.interrupts.values()) {
      if (each.nodeId === nodeId) {
        each.schema = payload.schema;
      }
    }
    take(model, nodeId, payload.initialTurn);
  },
  'conversation.exchanged': (model, payload, nodeId) => take(model, nodeId, payload.turn),
  'conversation.closed': (model, payload, nodeId) => take(model, nodeId, payload.finalTurn),
};

/// Takes the run's next event.
export function apply(model, event) {
  model.settled += 1;
  if (Object.hasOwn(kinds, event.type)) {
    const payload = event.payload ?? {};
    kinds[event.type](model, payload, event.nodeId ?? payload.nodeId);
  }
}

export const isEnd = ({type}) => ['run.completed', 'run.failed', 'run.cancelled'].includes(type);

/// How the run stands in OpenWOP's words.
export function statusOf(model) {
  if (model.status !== 'running' || model.interrupts.size === 0) {
    return model.status;
  }
  const [first] = model.interrupts.values();
  if (first.kind === 'external-event') {
    return 'waiting-external';
  }
  return /^(approval$|low-confidence$|conversation)/.test(first.kind) ? 'waiting-approval'
                                                                      : 'waiting-input';
}
