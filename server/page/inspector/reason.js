// Why a session ended, in a sentence.

/// Conditions that end a session because nothing else did.
const guardConditions = new Set(['max_turns', 'max_duration', 'no_progress', 'budget_tokens', 'budget_cost_microusd',
                                 'no_turn_completed']);

const listed = (names) => (names.length < 2 ? names.join('')
    : names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`
        : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/// Why a session ended, as a sentence. `latest` are the participants of the turns
/// that a guard counted.
function reasonSentence({condition = '', observed = '', limit = ''}, latest) {
  const most = typeof limit === 'number' ? limit.toLocaleString('en') : String(limit);
  const seen = typeof observed === 'string' ? observed : JSON.stringify(observed);
  const many = (number, noun) => (Number.isFinite(Number(number)) ? counted(Number(number), noun) : `${number} ${noun}s`);
  const sentences = {
    no_progress: () => `No progress in ${many(seen, 'turn')}${latest.length === 0 ? '' : ` of ${listed(latest)}`}.`,
    no_turn_completed: () => (seen === '1' ? 'The one turn failed.' : `All ${many(seen, 'turn')} failed.`),
    max_turns: () => `Turn limit reached: ${many(limit, 'turn')}.`,
    max_duration: () => `Time limit reached: ${lasting(Number(limit))}.`,
    budget_tokens: () => `Token budget used up: ${Number(seen).toLocaleString('en')} of ${most}.`,
    budget_cost_microusd: () => `Budget used up: ${money(Number(seen))} of ${money(Number(limit))}.`,
    quorum_missed: () => `Quorum missed: ${seen} of the ${most} needed answered.`,
    rounds: () => (seen === '1' ? 'The one round is done.' : `All ${many(seen, 'round')} are done.`),
    end_votes: () => `Participants voted to end: ${seen}.`,
    plan_complete: () => `Plan complete: ${seen}.`,
    plan_failed: () => `Plan failed; completed: ${seen}.`,
    orchestrator_complete: () => (seen === '' ? 'The orchestrator ended it.' : `The orchestrator ended it: “${seen}”.`),
    navigator_end: () => `The navigator ended it after ${many(seen, 'round')}.`,
    stopped: () => (seen === '' ? 'Stopped from outside.' : `Stopped from outside: ${seen}.`),
    text: () => `Agreed text: ${seen}`,
  };
  if (Object.hasOwn(sentences, condition)) {
    return sentences[condition]();
  }
  const words = condition.replaceAll('_', ' ');
  return words === '' ? 'The log does not say why.' : `${words[0].toUpperCase()}${words.slice(1)}${seen === '' ? '' : `: ${seen}`}.`;
}
