// What a session came to, in a badge, a sentence and tiles.

/// Numbers of a session that tiles show.
function factsOf(session) {
  const {bar, lanes} = session;
  const facts = {calls: 0, failedCalls: 0, turns: 0, failedTurns: 0, failed: 0, waited: 0, refused: 0, open: [], people: lanes.some((each) => each.isHuman)};
  for (let i = 0; i < bar.from.length; ++i) {
    const kind = bar.kind[i];
    if (kind === 4) {
      ++facts.calls;
      facts.failedCalls += isFailure(bar.status[i]) ? 1 : 0;
      continue;
    }
    facts.turns += kind === 0 ? 1 : 0;
    if (isFailure(bar.status[i])) {
      ++facts.failed;
      facts.failedTurns += kind === 0 ? 1 : 0;
    }
    if (bar.status[i] === 0) {
      facts.open.push(i);
    }
    if (lanes[bar.lane[i]].isHuman) {
      facts.waited += session.time[bar.to[i]] - session.time[bar.from[i]];
    }
  }
  for (let i = 0; i < session.type.length; ++i) {
    facts.refused += session.markOf[session.type[i]] === 'refused' ? 1 : 0;
  }
  return facts;
}

/// The turns that a guard counted, as bars; empty if none did.
function countedTurns(session) {
  const {condition, observed, limit} = session.story.stop_reason;
  const count = Math.min(Number(observed), Number(limit ?? observed));
  if (!['no_progress', 'no_turn_completed'].includes(condition) || !(count > 0)) {
    return [];
  }
  const turns = [];
  for (let i = 0; i < session.bar.from.length; ++i) {
    if (session.bar.kind[i] === 0 && session.bar.status[i] !== 0) {
      turns.push(i);
    }
  }
  return turns.sort((one, two) => session.bar.to[one] - session.bar.to[two]).slice(-count);
}

/// Where a guard began to count, and what ended the session: {from, words}.
function guardOf(session) {
  const {story, bar} = session;
  if (!story.has_end || story.status === 'completed') {
    return undefined;
  }
  const turns = countedTurns(session);
  const {condition = 'cancelled', observed, limit} = story.stop_reason;
  return {from: turns.length === 0 ? session.number.length - 1 : bar.from[turns[0]],
          words: `${condition.replaceAll('_', ' ')}${limit === undefined ? '' : ` ${observed}/${limit}`}`};
}

/// {kind, shape, badges: [[words, tone]], reason}
function outcomeOf(session, facts) {
  const {story, lanes, bar} = session;
  if (!story.has_end && session.live !== undefined) {
    return session.live.outcome(facts.open);
  }
  if (!story.has_end) {
    const waits = facts.open.map((i) => lanes[bar.lane[i]]).filter(({isHuman}) => isHuman).map(({id}) => id);
    if (waits.length !== 0) {
      const who = listed([...new Set(waits)]);
      return {kind: 'wait', shape: 'wait', badges: [[`Waiting for ${who}`, 'wait']], reason: `The log stops here, waiting for ${who}.`};
    }
    return {kind: 'run', shape: 'run', badges: [['No end on the log', 'run']],
            reason: facts.open.length === 0 ? 'The log stops here, with no request open.'
                : `The log stops here, with ${counted(facts.open.length, 'request')} open: `
                  + `${listed([...new Set(facts.open.map((i) => lanes[bar.lane[i]].id))])}.`};
  }
  const latest = [...new Set(countedTurns(session).map((i) => lanes[bar.lane[i]].id))];
  const reason = reasonSentence(story.stop_reason, latest);
  if (story.status !== 'completed') {
    const isGuard = guardConditions.has(story.stop_reason.condition);
    return {kind: 'stop', shape: 'stop', reason,
            badges: [[isGuard ? 'Cancelled by a guard' : story.status === 'cancelled' ? 'Cancelled' : story.status, 'stop']]};
  }
  const failures = facts.failed + facts.refused;
  return failures === 0 ? {kind: 'done', shape: 'done', badges: [['Completed', 'done']], reason}
      : {kind: 'mixed', shape: 'done', reason, badges: [['Completed', 'done'], [`with ${counted(failures, 'failure')}`, 'fail']]};
}

/// [[number, label, tone]], of which a label may have a part in that tone.
function tilesOf(session, facts) {
  const {time, usage, lanes, story} = session;
  const tiles = [[lasting(time.at(-1) ?? 0), story.has_end ? 'duration' : 'so far'],
                 [facts.turns.toLocaleString('en'), facts.turns === 1 ? 'turn' : 'turns',
                  facts.failedTurns === 0 ? '' : `${facts.failedTurns.toLocaleString('en')} failed`],
                 ...(facts.calls === 0 ? [] : [[facts.calls.toLocaleString('en'), facts.calls === 1 ? 'call' : 'calls',
                                                facts.failedCalls === 0 ? '' : `${facts.failedCalls.toLocaleString('en')} failed`]]),
                 [session.conflicts.length.toLocaleString('en'), session.conflicts.length === 1 ? 'conflict' : 'conflicts'],
                 ...(usage.tokens === 0 && usage.cost === 0 ? []
                   : [[usage.tokens.toLocaleString('en'), 'tokens'], [money(usage.cost), session.budget === undefined ? 'cost' : `of ${money(session.budget)} budget`]])];
  if (lanes.some(({isHuman}) => isHuman)) {
    tiles.push([lasting(facts.waited), 'waited for people']);
  }
  return tiles;
}

/// Fills the band at the top of the page.
function showOutcome(session, of, logName) {
  const facts = factsOf(session);
  const outcome = outcomeOf(session, facts);
  byId('band').className = `band ${outcome.kind}`;
  byId('shape').replaceChildren(icon(outcome.shape));
  byId('badge').replaceChildren(...outcome.badges.map(([words, tone]) => make('span', {class: `badge ${tone}`}, icon(tone), words)));
  byId('title').textContent = plain(of.title || of.id);
  byId('reason').textContent = plain(outcome.reason);
  const began = new Date(of.start);
  byId('facts').textContent = plain([logName, of.mode, counted(of.participants, 'participant'), counted(of.events, 'event'),
                                     Number.isNaN(began.getTime()) ? '' : `${began.toISOString().slice(0, 16).replace('T', ' ')} UTC`]
      .filter((each) => each !== '').join(' · '));
  byId('tiles').replaceChildren(...tilesOf(session, facts).map(([number, label, bad]) => make('div', {class: 'tile'},
      make('dt', {}, label, bad ? [', ', make('em', {}, bad)] : ''), make('dd', {}, number))));
  return outcome;
}
