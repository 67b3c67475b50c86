// Sessions with a person in them, each for one kind of question.

/// Texts of others that would do harm as markup, or turn a line around.
export const hostile = {
  script: '<script>window.harmed = 1</script>',
  image: '<img src=x onerror="window.harmed = 1"><svg onload="window.harmed = 1">',
  arabic: 'لا أوافق على هذا التغيير: auth/token.ts سطر 3',
  override: 'left \u202e thgir',
};

const agent = (id, role = `role-${id}`) => ({participant_id: id, kind: 'agent', role_id: role});
const human = (id) => ({participant_id: id, kind: 'human', role_id: 'role-human'});
const script = (...contents) => ({type: 'script', turns: contents.map((content) => ({content}))});

/// A coder speaks and writes, ana answers; as often as there are rounds.
export const review = ({title = 'Review of the login fix', rounds = 2, people = ['ana']} = {}) => ({
  convene: '1',
  collab: {
    title,
    purpose: 'Find what the change breaks',
    mode: 'round_robin',
    participants: [agent('coder'), ...people.map(human)],
  },
  task: 'Review pull request 42',
  behaviours: {
    coder: {type: 'script', turns: [
      {content: `Inactive users are refused. ${hostile.script}${hostile.image}`,
       writes: [{resource_type: 'file', resource_id: 'auth/token.ts', base_version: 1,
                 value: `if (!user.active) throw 1; // ${hostile.script}`}],
       usage: {prompt_tokens: 1000, completion_tokens: 234, cost_microusd: 12_000}},
      {content: `${hostile.arabic}\n${hostile.override}\n${'long '.repeat(1000)}`},
    ]},
    ...Object.fromEntries(people.map((each) => [each, {type: 'human'}])),
  },
  workspace: [{resource_type: 'file', resource_id: 'auth/token.ts', value: 'return sign(user);'}],
  session: {rounds, budget: {tokens: 200_000, cost_microusd: 2_500_000}},
});

/// Two propose, cleo votes; with `task`, she has that to do as well.
export const vote = (task) => ({
  convene: '1',
  collab: {
    title: 'Where jobs are kept',
    purpose: 'Write down one decision',
    mode: 'swarm',
    participants: [agent('mara'), agent('ivo'), human('cleo')],
  },
  task: 'Write the decision record.',
  tasks: [{title: 'A proposal of a table', role: 'mara'}, {title: 'A proposal of a broker', role: 'ivo'},
          ...(task ? [{title: task, role: 'cleo'}] : [])],
  behaviours: {
    mara: {type: 'script', turns: [{content: 'One table.', writes: [
      {resource_type: 'doc', resource_id: 'decision.md', base_version: 1, value: 'Jobs are rows.'}]}]},
    ivo: {type: 'script', latency_ms: 50, turns: [{content: 'A broker.', writes: [
      {resource_type: 'doc', resource_id: 'decision.md', base_version: 1,
       value: 'Jobs go through a broker.'}]}]},
    cleo: {type: 'human'},
  },
  workspace: [{resource_type: 'doc', resource_id: 'decision.md', value: 'undecided'}],
  session: {conflicts: {strategy: 'voting'}},
});

/// dan decides who does what.
export const decision = () => ({
  convene: '1',
  collab: {
    title: 'The release',
    purpose: 'Ship it',
    mode: 'orchestrated',
    participants: [human('dan'), agent('coder'), agent('tests')],
  },
  task: 'Ship the release',
  behaviours: {dan: {type: 'human'}, coder: script('The changelog is written.'), tests: script('Green.')},
  session: {orchestrator: 'dan'},
});

/// lea approves or rejects what was done.
export const approval = () => ({
  convene: '1',
  collab: {
    title: 'The announcement',
    purpose: 'Tell the customers',
    mode: 'round_robin',
    participants: [agent('writer'), human('lea')],
  },
  task: 'Announce the outage',
  behaviours: {writer: script('We had an outage from 10:00 to 10:20.'), lea: {type: 'human', confirms: true}},
});
