// The story of `convene explain`: what matters as cards that lead to their
// places, and its sentences.

const cardsMax = 4;

const findingTitles = {
  step_repetition: 'Loop', missed_termination: 'No participant ended the session', conversation_reset: 'Started over',
  ignored_input: 'Outdated write', lost_task: 'Lost task',
};
const findingShapes = {step_repetition: ['loop', 'stop'], missed_termination: ['stop', 'stop'], conversation_reset: ['loop', 'stop'],
                       ignored_input: ['conflict', 'wait'], lost_task: ['refused', 'fail']};

const sentence = (words) => `${words}${/[.!?…”"]$/.test(words) ? '' : '.'}`;

/// [{shape, tone, title, words, event (from 0), count}], what matters most first.
function cardsOf(session, facts) {
  const {story, conflicts, lanes, bar, time} = session;
  const cards = [];
  const rules = new Map();
  for (const each of story.findings.first) {
    rules.set(each.rule, [...rules.get(each.rule) ?? [], each]);
  }
  for (const [rule, all] of rules) {
    // The reason at the top says so already.
    if (rule === 'missed_termination' && story.status !== 'completed') {
      continue;
    }
    const names = [...new Set(all.map((each) => each.participant_id))].filter((each) => each !== '');
    const who = names.length > 4 ? counted(names.length, 'participant') : listed(names);
    const [shape, tone] = findingShapes[rule] ?? ['fail', 'fail'];
    cards.push({shape, tone, title: `${findingTitles[rule] ?? rule.replaceAll('_', ' ')}${who === '' ? '' : `: ${who}`}`, words: sentence(all[0].message),
                event: all[0].event - 1, count: all.length});
  }
  const byTimes = [...story.failures.first].sort((one, two) => (two.times ?? 1) - (one.times ?? 1));
  for (const {words, event, times = 1} of byTimes.slice(0, 3)) {
    const title = times > 1 ? `${times.toLocaleString('en')} failures, one reason` : 'Failed once';
    cards.push({shape: /refused/.test(words) ? 'refused' : 'fail', tone: 'fail', title, words: sentence(words), event: event - 1, count: times});
  }
  if (conflicts.length > 0) {
    const first = story.conflicts.first[0];
    const resources = new Map();
    for (const {resource} of story.conflicts.first) {
      resources.set(resource, (resources.get(resource) ?? 0) + 1);
    }
    const [[resource]] = [...resources].sort(([, one], [, two]) => two - one);
    const settled = first.settled ? `${first.participants.join(' and ')}: ${first.winner === '' ? 'none won' : `${first.winner} won`}, ${first.reason}`
        : `${first.participants.join(' and ')}: not settled`;
    cards.push({shape: 'conflict', tone: 'wait', title: `${counted(conflicts.length, 'conflict')} over ${resource}${resources.size > 1 ? ' and others' : ''}`,
                words: sentence(settled), event: conflicts[0].begin, count: conflicts.length});
  }
  const total = time.at(-1);
  const longest = bar.from.reduce((best, from, i) => (lanes[bar.lane[i]].isHuman && bar.kind[i] !== 4
      && (best < 0 || time[bar.to[i]] - time[from] > time[bar.to[best]] - time[bar.from[best]]) ? i : best), -1);
  if (longest >= 0 && total > 0) {
    const who = lanes[bar.lane[longest]].id;
    const isOpen = bar.status[longest] === 0;
    cards.splice(isOpen ? 0 : cards.length, 0,
                 {shape: 'wait', tone: 'wait', title: isOpen ? `Waiting for ${who}` : `Waited ${lasting(facts.waited)} for people`,
                  words: `${isOpen ? 'Waiting' : `Longest: ${who}`} for ${lasting(time[bar.to[longest]] - time[bar.from[longest]])}, `
                      + `${Math.round(100 * facts.waited / total)} % of the time in all.`,
                  event: bar.from[longest], count: 1});
  }
  return cards.slice(0, cardsMax);
}

let cardsShown = '';

function showCards(session, open) {
  const all = cardsOf(session, factsOf(session));
  // Those that are there keep the focus.
  const looks = JSON.stringify(all);
  if (looks === cardsShown) {
    return;
  }
  cardsShown = looks;
  const cards = all.map(({shape, tone, title, words, event, count}) => {
    const go = count > 1 ? `first of ${count.toLocaleString('en')}` : `event ${event + 1}`;
    const card = make('button', {type: 'button', class: 'card', onclick: () => open(event)}, icon(shape, tone),
                      make('b', {}, title), make('span', {class: 'go'}, go), make('span', {class: 'words', dir: 'auto'}, firstWords(words, 180)));
    return make('li', {}, card);
  });
  byId('cards').replaceChildren(...cards);
  byId('cards').hidden = cards.length === 0;
}

/// The sentences, each a button that leads to its event.
function sentencesOf(session, open) {
  const {story} = session;
  const {first, last, total} = story.happenings;
  const line = ({words, event}) => make('li', {}, make('button', {type: 'button', class: 'sentence', onclick: () => open(event - 1)},
                                                       make('time', {}, lasting(session.time[event - 1] ?? 0)), make('span', {dir: 'auto'}, sentence(words))));
  const hidden = total - first.length - last.length;
  const section = (title, all, more) => (all.length === 0 ? [] : [make('h3', {}, title), make('ol', {}, ...all),
                                                                  ...(more > 0 ? [make('p', {class: 'dim'}, `and ${more.toLocaleString('en')} more`)] : [])]);
  return [make('p', {class: 'purpose', dir: 'auto'}, story.purpose === '' ? '' : `Purpose: ${story.purpose}`),
          ...section('What happened', [...first.map(line), ...(hidden > 0 ? [make('li', {class: 'dim'}, `… ${counted(hidden, 'more sentence')}`)] : []),
                                       ...last.map(line)], 0),
          ...section('Failures', story.failures.first.map((each) => line({...each, words: each.words + (each.times > 1
              ? ` (${each.times.toLocaleString('en')} times)` : '')})), story.failures.total
              - story.failures.first.reduce((all, {times = 1}) => all + times, 0)),
          ...section('Failures of the group', story.findings.first.map((each) => line({...each, words: `${each.rule.replaceAll('_', ' ')}${
              each.mast === null ? '' : ` (MAST ${each.mast})`}: ${each.message}`})), story.findings.total - story.findings.first.length)];
}
