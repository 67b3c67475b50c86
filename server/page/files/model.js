// What a session is like after its events so far. Knows nothing of the page.

/// The state before the first event.
export const begin = () => ({
  status: 'starting',
  title: '',
  purpose: '',
  mode: '',
  task: '',
  participants: [], // {participant_id, role_id, kind}
  holders: new Map(), // open turns by token: {who, turn, duty, task, since, until}
  asked: new Map(), // open broadcasts by id: {who: [ids], since, until}
  acting: new Map(), // open actions by execution_id: {who, words}
  conflicts: new Map(), // by id, in the order of their detection
  stepsTotal: 0,
  stepsClosed: 0,
  turns: 0,
  tokens: 0,
  costMicrousd: 0,
  spenders: new Map(), // by participant: {tokens, costMicrousd}
  budget: {},
  revision: 0, // rises with each write
  endedBy: undefined, // stop_reason
});

const micro = 1_000_000;
const closedSteps = ['completed', 'failed', 'skipped'];
const tokensOf = (usage = {}) => (usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0);

function spend(model, who, tokens, costMicrousd) {
  if (!tokens && !costMicrousd) {
    return;
  }
  model.tokens += tokens;
  model.costMicrousd += costMicrousd;
  const of = model.spenders.get(who) ?? {tokens: 0, costMicrousd: 0};
  model.spenders.set(who, {tokens: of.tokens + tokens, costMicrousd: of.costMicrousd + costMicrousd});
}

/// What a reply says of its own usage.
function spendReply(model, who, reply) {
  spend(model, who, tokensOf(reply?.usage), reply?.usage?.cost_microusd ?? 0);
}

/// What one action is.
export const actionWords = (payload) => payload.kind === 'person' && payload.arguments?.name
    ? `asks ${payload.name} to approve ${payload.arguments.kind} ${payload.arguments.name}`
    : [payload.kind, payload.name].filter(Boolean).join(' ');

const inputs = {
  suspend(model) {
    model.status = 'suspended';
  },
  resume(model) {
    model.status = 'active';
  },
};

const kinds = {
  MAPSessionStarted(model, payload) {
    const spec = payload.spec ?? {};
    Object.assign(model, {
      status: 'active',
      title: payload.title ?? '',
      purpose: payload.purpose ?? '',
      mode: payload.policy ?? payload.mode ?? '',
      task: spec.task ?? '',
      participants: spec.collab?.participants ?? [],
      budget: spec.session?.budget ?? {},
      stepsTotal: spec.plan?.steps?.length ?? 0,
    });
  },
  MAPRolesAssigned(model, payload) {
    model.participants = payload.assignments ?? [];
  },
  MAPTurnDispatched(model, payload, event) {
    model.turns = Math.max(model.turns, payload.turn_number);
    model.holders.set(payload.token_id, {
      who: payload.participant_id,
      turn: payload.turn_number,
      duty: payload.duty ?? '',
      task: payload.task ?? '',
      since: event.timestamp,
      until: payload.expires_at,
    });
  },
  MAPTurnCompleted(model, payload) {
    model.holders.delete(payload.token_id);
    spendReply(model, payload.participant_id, payload.reply);
  },
  MAPBroadcastSent(model, payload, event) {
    model.asked.set(payload.broadcast_id, {
      who: [...payload.target_participants ?? []],
      since: event.timestamp,
      until: payload.expires_at,
    });
  },
  MAPBroadcastReceived(model, payload) {
    const open = model.asked.get(payload.broadcast_ref);
    if (open !== undefined) {
      open.who = open.who.filter((each) => each !== payload.receiver_participant);
      if (open.who.length === 0) {
        model.asked.delete(payload.broadcast_ref);
      }
    }
    spendReply(model, payload.receiver_participant, payload.reply);
  },
  MAPConflictDetected(model, payload) {
    model.conflicts.set(payload.conflict_id, {
      id: payload.conflict_id,
      type: payload.conflict_type,
      resource: `${payload.resource_type}/${payload.resource_id}`,
      who: payload.conflicting_participants ?? [],
    });
  },
  MAPConflictResolved(model, payload) {
    const found = model.conflicts.get(payload.conflict_id);
    if (found !== undefined) {
      found.resolved = {
        strategy: payload.resolution_strategy,
        winner: payload.winning_participant ?? '',
        reason: payload.reason ?? '',
      };
    }
  },
  MAPSessionCompleted(model, payload) {
    Object.assign(model, {
      status: payload.status,
      endedBy: payload.stop_reason,
      tokens: tokensOf(payload.usage),
      costMicrousd: payload.usage?.cost_microusd ?? 0,
    });
    model.holders.clear();
    model.asked.clear();
    model.acting.clear();
  },
  plan_created(model, payload) {
    model.stepsTotal = payload.plan?.steps?.length ?? 0;
  },
  step_added(model) {
    model.stepsTotal += 1;
  },
  step_status_changed(model, payload) {
    if (closedSteps.includes(payload.to_status) && !closedSteps.includes(payload.from_status)) {
      model.stepsClosed += 1;
    }
  },
  resource_written(model) {
    model.revision += 1;
  },
  action_started(model, payload, event) {
    model.acting.set(event.execution_id, {who: payload.participant_id, words: actionWords(payload)});
  },
  action_ended(model, payload, event) {
    model.acting.delete(event.execution_id);
    const usage = payload.result?.usage;
    spend(model, payload.participant_id, tokensOf(usage), usage?.cost_microusd ?? 0);
  },
  session_input(model, payload) {
    spendReply(model, payload.participant_id, payload.reply);
    inputs[payload.input]?.(model);
  },
};

/// Takes the session's next event.
export function apply(model, event) {
  if (Object.hasOwn(kinds, event.event_type)) {
    kinds[event.event_type](model, event.payload ?? {}, event);
  }
}

export const isEnd = (event) => event.event_type === 'MAPSessionCompleted';

/// Dollars, to the millionth where there are only few of these.
const dollars = (microusd) => microusd >= micro / 100
    ? `$${(microusd / micro).toFixed(2)}`
    : `$${(microusd / micro).toFixed(6).replace(/0+$/, '')}`;

/// Tokens and money in words; empty: none.
export function spentWords(tokens, costMicrousd) {
  return [tokens > 0 ? `${tokens.toLocaleString('en')} tokens` : '',
          costMicrousd > 0 ? dollars(costMicrousd) : ''].filter(Boolean).join(', ');
}

/// Why a session ended, in words.
export function reasonWords({condition = '', observed = '', limit} = {}) {
  const words = {
    rounds: 'all rounds done',
    end_votes: 'everybody voted to end',
    navigator_end: 'the navigator ended it, rounds',
    plan_complete: 'plan complete',
    orchestrator_complete: 'the orchestrator is done',
    plan_failed: 'steps of the plan failed, done are',
    max_turns: `limit reached: max_turns ${limit}`,
    max_duration: `limit reached: max_duration_ms ${limit}`,
  };
  const begun = Object.hasOwn(words, condition) ? words[condition] : condition;
  return observed === '' || condition.startsWith('max_') ? begun : `${begun}: ${observed}`;
}
