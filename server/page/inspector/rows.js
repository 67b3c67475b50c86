// Rows of the transcript: who said what, and what came of it.

const foldedMax = 1200; // characters of a text that show at once
const shownTextMax = 200_000;

/// A text; what is long is folded.
function longText(text, className) {
  if (text.length <= foldedMax) {
    return [make('p', {class: className, dir: 'auto'}, text)];
  }
  const rest = text.length - foldedMax;
  const all = text.length <= shownTextMax ? text
      : `${text.slice(0, shownTextMax)}\n… ${counted(text.length - shownTextMax, 'more character')}`;
  return [make('p', {class: className, dir: 'auto'}, `${text.slice(0, foldedMax)}…`),
          folded([`${counted(rest, 'more character')}`], () => [make('p', {class: className, dir: 'auto'}, all)])];
}

/// What opens when asked for, and is made then.
function folded(summary, fill, className = 'fold') {
  const made = make('details', {class: className}, make('summary', {}, ...summary));
  made.addEventListener('toggle', () => {
    if (made.open && made.children.length === 1) {
      made.append(...fill());
    }
  });
  return made;
}

function codeBox(text) {
  return make('pre', {tabindex: '0', class: 'code', dir: 'auto'}, text.length <= shownTextMax ? text
      : `${text.slice(0, shownTextMax)}\n… ${counted(text.length - shownTextMax, 'more character')}`);
}

function diffBox(lines) {
  const tones = {'+': 'added', '−': 'removed', ' ': ''};
  return make('div', {class: 'diff', role: 'group', 'aria-label': 'What the write changes', tabindex: '0'},
              ...lines.map(([sign, line]) => make('div', {class: tones[sign]}, make('span', {class: 'sign'}, sign), make('code', {}, line))));
}

function writeRow(session, payload) {
  const version = Number(payload.version);
  const before = session.whole?.versions.get(`${resourceOf(payload)} ${version - 1}`);
  const isNew = version === 1 || (before === undefined && payload.update_kind === 'node_add');
  const after = payload.op === 'delete' ? '' : valueText(payload.value);
  const lines = payload.op === 'put' && (before !== undefined || isNew) ? lineDiff(valueText(before), after) : undefined;
  const count = (sign) => lines.filter(([each]) => each === sign).length;
  const counts = lines === undefined ? []
      : [make('b', {class: 'plus'}, `+${count('+')}`), ' ', make('b', {class: 'minus'}, `−${count('−')}`)];
  const verb = {put: 'wrote', merge: 'merged into', patch: 'patched', delete: 'deleted'}[payload.op] ?? 'wrote';
  return folded([`${verb} `, make('code', {}, resourceOf(payload)), ` v${payload.base_version ?? version - 1} → v${version} `, ...counts],
                () => [lines === undefined ? codeBox(after) : diffBox(lines)]);
}

function refusedBox(payload, what) {
  return make('div', {class: 'box refused'}, make('div', {class: 'box-head'}, icon('refused', 'fail'), `${what} refused: ${resourceOf(payload)}`),
              make('p', {}, payload.error?.message || payload.error?.code || ''),
              payload.value === undefined ? '' : make('del', {class: 'mono'}, firstWords(valueText(payload.value), 400)));
}

/// A tool's or model's call: what it was asked and gave, and how long it took.
function callRow(started, ended) {
  const {kind = 'action', name = '', attempt = 1} = started.payload;
  const result = ended?.payload.result;
  const status = result?.status ?? 'open';
  const took = ended === undefined ? '' : ` · ${lasting(ended.payload.duration_ms ?? 0)}`;
  const used = tokensIn(result?.usage);
  const isBad = ended !== undefined && status !== 'completed';
  const row = folded([isBad ? icon('fail') : '', make('span', {class: 'kind'}, kind), ' ', make('code', {}, name),
                      make('span', {class: 'meta'}, `${status === 'completed' ? '' : ` ${status.replaceAll('_', ' ')}`}${took}`
                          + `${used === 0 ? '' : ` · ${used.toLocaleString('en')} tok`}${attempt > 1 ? ` · attempt ${attempt}` : ''}`)],
                     () => [make('h4', {}, 'Arguments'), codeBox(valueText(started.payload.arguments) || '(none on the log)'),
                            make('h4', {}, 'Result'), codeBox(valueText(result?.output ?? result?.error) || '(none on the log)')]);
  return isBad && result?.error !== undefined ? [row, errorBox(result.error)] : [row];
}

function errorBox({code = '', message = ''}) {
  return make('div', {class: 'error'}, make('b', {}, icon('fail'), String(code).replaceAll('_', ' ')),
              ...(message === '' ? [] : longText(String(message), 'mono')));
}

/// What happened within a request, in its order.
function partRows(session, parts) {
  const ends = new Map(parts.filter(([, {event_type: type}]) => type === 'action_ended')
      .map(([, event]) => [event.execution_id, event]));
  return parts.flatMap(([, event]) => {
    const {payload} = event;
    switch (event.event_type) {
      case 'resource_written': return [writeRow(session, payload)];
      case 'write_refused': return [refusedBox(payload, 'Write')];
      case 'claim_refused': return [refusedBox(payload, 'Claim')];
      case 'claim_taken': return [make('p', {class: 'minor'}, 'claimed ', make('code', {}, resourceOf(payload)))];
      case 'claim_handed_over':
        return [make('p', {class: 'minor'}, 'handed its claim of ', make('code', {}, resourceOf(payload)), ` to ${payload.to_participant ?? '?'}`)];
      case 'claim_released': return [make('p', {class: 'minor'}, 'released ', make('code', {}, resourceOf(payload)), ` (${payload.reason ?? ''})`)];
      case 'action_started': return callRow(event, ends.get(event.execution_id));
      case 'coordination_reasoning':
        return [folded(['reasoning'], () => (payload.reasoning ?? []).flatMap((each) => longText(String(each), 'say')))];
      case 'budget_exceeded':
        return [make('p', {class: 'minor bad'}, icon('fail'), `budget of ${payload.budget} used up: ${payload.used} of ${payload.limit}`)];
      default: return [];
    }
  });
}

/// What an orchestrator or voter decided, in words.
function decisionWords(session, {reply, begin, end}) {
  const decision = reply.decision ?? end?.decision;
  const task = (of) => (of.task ? `: ${of.task}` : '');
  const verbs = {
    dispatch: (of) => (of.step_id !== undefined ? `gives out the step ${session.whole?.steps.get(of.step_id) ?? of.step_id}`
        : `asks ${of.participant ?? of.role ?? 'whoever is free'}${task(of)}`),
    ask: (of) => `asks ${of.participant ?? '?'}${task(of)}`,
    broadcast: (of) => `asks everybody${task(of)}`,
    complete: (of) => `ends the session${of.reason ? `: ${of.reason}` : ''}`,
    handoff: (of) => `hands off to ${of.to ?? '?'}${of.instructions ? `: ${of.instructions}` : ''}`,
    wait: () => 'waits',
  };
  const words = (Array.isArray(decision) ? decision : []).flatMap((each) => Object.entries(each ?? {}).map(([kind, of]) => (
    Object.hasOwn(verbs, kind) ? verbs[kind](of ?? {}) : kind)));
  if (words.length !== 0) {
    return words.join('; ');
  }
  if (reply.vote !== undefined) {
    return `votes for ${valueText(reply.vote.for ?? reply.vote)}`;
  }
  return firstWords(reply.content ?? String(end?.input ?? begin.input ?? 'answers').replaceAll('_', ' '), 300);
}

const statusTags = {2: ['failed', 'fail'], 3: ['timed out', 'wait'], 4: ['declined', 'fail'], 5: ['cancelled', 'quiet'],
                    6: ['handed off', 'quiet'], 7: ['other', 'quiet']};

/// The beginning of a row, which needs no event.
function requestHead(session, i) {
  const {bar, lanes, turnNumbers} = session;
  const who = lanes[bar.lane[i]];
  const [words, tone] = bar.status[i] === 0 ? [who.isHuman ? 'waiting' : 'open', who.isHuman ? 'wait' : 'run'] : statusTags[bar.status[i]] ?? [];
  return make('div', {class: 'who'}, avatar(who), make('b', {}, who.id),
              make('span', {class: 'number'}, bar.kind[i] === 0 ? `#${turnNumbers[i]}` : barKinds[bar.kind[i]]),
              words === undefined ? '' : make('span', {class: `tag ${tone}`}, words), make('span', {class: 'meta'}));
}

function requestRow(session, i, details) {
  const {bar, lanes, time, whole} = session;
  const {task, reply, error, parts, usage, handoff, begin, end} = details;
  const head = requestHead(session, i);
  const isHuman = lanes[bar.lane[i]].isHuman;
  // The row of an open request is not refreshed as time passes.
  const took = bar.status[i] === 0 && session.live !== undefined ? 0 : time[bar.to[i]] - time[bar.from[i]];
  head.lastChild.append([took === 0 ? '' : lasting(took), usage.tokens === 0 ? '' : `${usage.tokens.toLocaleString('en')} tok`,
                         usage.cost === 0 ? '' : money(usage.cost)].filter((each) => each !== '').join(' · '));
  const made = [head];
  if (bar.kind[i] > 1) {
    return [...made, make('p', {class: 'minor', dir: 'auto'}, decisionWords(session, details)),
            ...(error === undefined ? [] : [errorBox(typeof error === 'object' ? error : {message: String(error)})])];
  }
  if (isHuman) {
    made.push(make('div', {class: 'question', dir: 'auto'}, ...longText(task, 'say')));
  } else if (task !== '' && (task !== session.task || begin.handoff_id !== undefined)) {
    made.push(make('p', {class: 'task', dir: 'auto'}, make('span', {'aria-hidden': 'true'}, '↳ '),
                   begin.handoff_id === undefined ? '' : make('b', {}, 'handed off: '), firstWords(task, 240)));
  }
  if (typeof reply.content === 'string' && reply.content !== '') {
    made.push(...longText(reply.content, 'say'));
  } else if (reply.data !== undefined) {
    made.push(folded(['answer as data'], () => [codeBox(valueText(reply.data))]));
  }
  const same = whole?.sameAs.get(i);
  if (same !== undefined) {
    made.push(make('p', {class: 'same'}, icon('loop', 'stop'), `same words as #${session.turnNumbers[same]}, nothing written`));
  }
  if (error !== undefined && bar.status[i] !== 5) {
    made.push(errorBox(error));
  }
  made.push(...partRows(session, parts));
  if (reply.end === true) {
    made.push(make('p', {class: 'minor'}, 'votes to end the session'));
  }
  for (const each of reply.tasks ?? []) {
    made.push(make('p', {class: 'minor', dir: 'auto'}, 'adds a task: ', each.title ?? valueText(each)));
  }
  if (handoff !== undefined) {
    const to = lanes.find(({id}, lane) => lane > 0 && id === handoff.to_participant);
    made.push(make('div', {class: 'handoff'}, icon('handoff', 'ink'), to === undefined ? '' : avatar(to),
                   make('span', {dir: 'auto'}, make('b', {}, `Hands off to ${handoff.to_participant ?? '?'}: `), handoff.instructions ?? '',
                        handoff.reason ? make('span', {class: 'dim'}, ` “${handoff.reason}”`) : '')));
  }
  if (bar.status[i] === 0 && isHuman) {
    made.push(make('p', {class: 'unanswered'}, icon('wait'), `no answer yet${took === 0 ? '' : `, ${lasting(took)}`}`));
  } else if (end?.status === 'timed_out' && error === undefined) {
    made.push(make('p', {class: 'minor bad'}, 'no answer before its deadline'));
  }
  return made;
}

/// The votes of a ruling: a bar for each choice, and who chose it.
function votesBox(votes) {
  const by = new Map();
  for (const {participant_id: who, for: choice} of votes) {
    const key = typeof choice === 'string' ? choice : JSON.stringify(choice);
    by.set(key, [...by.get(key) ?? [], who]);
  }
  const rows = [...by].sort(([, one], [, two]) => two.length - one.length).map(([choice, who]) => {
    const meter = make('span', {class: 'meter', 'aria-hidden': 'true'}, make('i'));
    meter.firstChild.style.width = `${100 * who.length / votes.length}%`;
    return make('div', {class: 'vote'}, make('b', {}, choice), meter, make('span', {}, `${who.length}: ${who.join(', ')}`));
  });
  return make('div', {class: 'votes'}, ...rows);
}

function conflictRow(session, {payload, ruling, sides}) {
  const words = {concurrent_modification: 'Conflict over', claimed: 'Claimed by another:'}[payload.conflict_type]
      ?? `${String(payload.conflict_type ?? 'conflict').replaceAll('_', ' ')}:`;
  const strategy = ruling === undefined ? 'not settled' : `by ${String(ruling.resolution_strategy ?? '').replaceAll('_', ' ')}`;
  return [make('div', {class: 'box conflict'},
               make('div', {class: 'box-head'}, icon('conflict', 'wait'), `${words} ${resourceOf(payload)}`, make('span', {}, strategy)),
               make('div', {class: 'sides'}, ...sides.map(({who, write, stands}) => {
                 const known = session.lanes.find(({id}, lane) => lane > 0 && id === who);
                 const tag = stands === undefined ? '' : make('span', {class: `tag ${stands ? 'done' : 'wait'}`}, stands ? 'stands' : 'dropped');
                 const text = write.op === 'delete' ? '(deleted)' : valueText(write.value ?? write.merge ?? write.patch);
                 const isKnown = Object.keys(write).length !== 0;
                 const shown = firstWords(text !== '' ? text : isKnown ? '(empty)' : '(its value is not on the log)', 600);
                 return make('div', {class: 'side'}, make('div', {class: 'side-who'}, known === undefined ? '' : avatar(known), make('b', {}, who), tag,
                                                          write.base_version === undefined ? '' : make('span', {class: 'dim'}, `from v${write.base_version}`)),
                             make(stands === false && text !== '' ? 'del' : 'p', {class: 'mono', dir: 'auto'}, shown));
               })),
               ruling?.votes?.length > 0 ? votesBox(ruling.votes) : '',
               ruling?.reason ? make('p', {class: 'box-foot'}, ruling.reason) : '')];
}

async function startRow(session, at) {
  const {payload} = await session.event(at);
  return [make('p', {class: 'minor', dir: 'auto'}, make('b', {}, 'Session began'), payload.purpose ? `: ${payload.purpose}` : ''),
          payload.spec?.task ? make('p', {class: 'task', dir: 'auto'}, firstWords(String(payload.spec.task), 300)) : ''];
}

function endRow(session) {
  const facts = factsOf(session);
  const outcome = outcomeOf(session, facts);
  return [make('div', {class: `ending ${outcome.kind}`}, icon(outcome.shape, outcome.kind === 'mixed' ? 'done' : outcome.kind),
               make('div', {}, make('b', {}, `${outcome.badges.map(([words]) => words).join(' ')} at ${lasting(session.time.at(-1))}. `), outcome.reason))];
}

async function inputRow(session, at) {
  const {payload} = await session.event(at);
  const who = payload.participant_id === undefined ? '' : `${payload.participant_id}: `;
  const because = payload.reason ?? payload.error?.message ?? '';
  return [make('p', {class: 'minor', dir: 'auto'}, `${who}${String(payload.input ?? 'input').replaceAll('_', ' ')}${because === '' ? '' : `: ${valueText(because)}`}`)];
}

/// The content of an entry's row.
async function contentOf(session, entry) {
  switch (entry.kind) {
    case 'bar': return requestRow(session, entry.bar, await requestDetails(session, entry.bar));
    case 'conflict': return conflictRow(session, await conflictDetails(session, entry.conflict));
    case 'start': return startRow(session, entry.at);
    case 'end': return endRow(session);
    default: return inputRow(session, entry.at);
  }
}
