// Scenarios to begin with, which need no model and no key.

const agent = (id, role) => ({participant_id: id, kind: 'agent', role_id: role});

const twoAgents = {
  convene: '1',
  collab: {
    title: 'Name the new release', purpose: 'Agree on one name', mode: 'round_robin',
    participants: [agent('ada', 'role-writer'), agent('ben', 'role-critic')],
  },
  task: 'Propose a name for the release, and say why.',
  behaviours: {
    ada: {type: 'script', latency_ms: 1500, turns: [{content: 'Harbor: everything comes home safely.'},
                                                    {content: 'Harbor it is. I have updated the notes.', end: true}]},
    ben: {type: 'script', latency_ms: 1500, turns: [{content: 'Harbor is short and free. I agree.'}, {content: 'Agreed.', end: true}]},
  },
  session: {rounds: 2},
};

const withPerson = {
  convene: '1',
  collab: {
    title: 'Review the announcement', purpose: 'Publish only what a person approved', mode: 'round_robin',
    participants: [agent('writer', 'role-writer'), {participant_id: 'you', kind: 'human', role_id: 'role-editor'}],
  },
  task: 'Announce the maintenance on Sunday in one sentence.',
  behaviours: {
    writer: {type: 'script', turns: [{content: 'On Sunday from 6 to 7 the service is read-only; nothing is lost.'}]},
    you: {type: 'human', confirms: true},
  },
};

const simulated = {
  convene: '1',
  collab: {
    title: 'Four agents share a plan', purpose: 'See turns, failures and conflicts', mode: 'swarm',
    participants: ['ada', 'ben', 'cleo', 'dan'].map((id) => agent(id, 'role-worker')),
  },
  task: 'Write the release notes',
  tasks: [1, 2, 3, 4, 5, 6, 7, 8].map((part) => ({title: `Part ${part}`})),
  behaviours: {'*': {type: 'simulated', failure: 0.15, latency_ms: {lognormal: {median: 900, p99: 4000}}}},
};

export const examples = [['Two agents agree, by script', twoAgents], ['An agent writes, you approve', withPerson],
                         ['Four simulated agents, some turns fail', simulated]];
