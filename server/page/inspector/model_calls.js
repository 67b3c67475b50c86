// What a model was asked within a request, and what it answered: the attempts at
// one prompt are one call.

const listIn = (value) => (Array.isArray(value) ? value : []);

/// A call of a tool, as a model asks for it.
const toolWords = (call) => `${call?.name ?? call?.function?.name ?? 'tool'}(${valueText(call?.arguments ?? call?.function?.arguments ?? call?.input)})`;

/// A message of a prompt, in the form of either provider.
function messageText({content, tool_calls: calls} = {}) {
  const parts = typeof content === 'string' ? [content] : listIn(content).map((part) => (
    part?.text ?? part?.thinking ?? (part?.type === 'tool_use' ? toolWords(part) : valueText(part?.content ?? part))));
  return [...parts, ...listIn(calls).map(toolWords)].join('\n');
}

function promptParts({system, messages, tools}) {
  const all = [...(system === undefined ? [] : [{role: 'system', content: system}]), ...listIn(messages)];
  const offered = listIn(tools).map((each) => each?.function?.name ?? each?.name ?? '');
  return [folded([`Prompt as sent: ${counted(all.length, 'message')}`], () => [
    ...all.flatMap((each) => [make('h4', {}, each?.role ?? ''), codeBox(messageText(each ?? {}))]),
    ...(offered.length === 0 ? [] : [make('h4', {}, 'tools offered'), make('p', {class: 'mono'}, offered.join(', '))])])];
}

/// What a model thought, wherever its provider puts it.
function thoughtsIn(original, depth = 0) {
  const own = Object.entries(typeof original === 'object' && depth < 4 ? original ?? {} : {});
  return own.flatMap(([name, value]) => (typeof value === 'object' ? thoughtsIn(value, depth + 1)
      : typeof value === 'string' && value !== '' && /reasoning|thinking|thought/.test(name) && !/signature/.test(name) ? [value] : []));
}

function attemptWords({payload: {attempt, result = {}, duration_ms: took = 0} = {}}) {
  const error = result.error === undefined ? '' : `: ${result.error.code}`;
  return `attempt ${attempt} ${String(result.status).replaceAll('_', ' ')} after ${lasting(took)}${error}`;
}

/// Elements for each call of a model; `parts` are the request's, as requestDetails
/// has them.
function modelCalls(parts) {
  const calls = new Map(); // by position: {begin, ends}
  for (const [, event] of parts) {
    const {kind, position} = event.payload;
    if (event.event_type === 'action_started' && kind === 'model') {
      calls.set(position, {ends: [], ...calls.get(position), begin: event.payload});
    } else if (event.event_type === 'action_ended') {
      calls.get(position)?.ends.push(event);
    }
  }
  return [...calls.values()].map(({begin, ends}, at) => {
    const {status, output = {}, usage = {}, error} = ends.at(-1)?.payload.result ?? {};
    const given = begin.arguments ?? {};
    const took = ends.reduce((all, {payload}) => all + (payload.duration_ms ?? 0), 0);
    const amounts = [ends.length === 0 ? 'open' : lasting(took), usage.prompt_tokens === undefined ? ''
      : `${usage.prompt_tokens.toLocaleString('en')} + ${(usage.completion_tokens ?? 0).toLocaleString('en')} tokens`,
                     usage.cost_microusd > 0 ? money(usage.cost_microusd) : '', String(output.finish ?? '').replaceAll('_', ' ')];
    const thoughts = thoughtsIn(output.original);
    const asked = listIn(output.tool_calls);
    return make('section', {class: 'model'},
                make('h3', {}, `Model call ${at + 1}: ${given.model ?? begin.name}`, make('span', {class: 'dim'}, ` ${amounts.filter(Boolean).join(' · ')}`)),
                ...(ends.length > 1 || error !== undefined ? ends.map((each) => make('p', {class: 'minor'}, attemptWords(each))) : []),
                ...(status !== 'completed' && error !== undefined ? [errorBox(error)] : []),
                ...(given.prompt === undefined ? [make('p', {class: 'minor'}, 'Its prompt is not on the log: --log-prompts puts it there.')]
                  : promptParts(given.prompt)),
                ...(thoughts.length === 0 ? [] : [folded(['Thoughts'], () => longText(thoughts.join('\n'), 'say'))]),
                ...asked.map((each) => make('p', {class: 'mono'}, '→ ', toolWords(each))),
                ...(output.text ? longText(String(output.text), 'say') : []));
  });
}
