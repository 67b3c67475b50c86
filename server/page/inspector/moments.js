// A session as it was after any of its events: resources, plan and dialog; and
// what changed between two moments.

const momentEventsMax = 20_000; // with a part in it, that are read for one moment
const dialogShown = 100; // latest messages

/// RFC 7396.
function merged(value, patch) {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    return patch;
  }
  const made = new Map(Object.entries(typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}));
  for (const [name, each] of Object.entries(patch)) {
    each === null ? made.delete(name) : made.set(name, merged(made.get(name), each));
  }
  return Object.fromEntries(made);
}

/// RFC 6902, of a patch that was carried out.
function patched(value, patch) {
  const root = {all: structuredClone(value)};
  const place = (pointer) => {
    const names = ['all', ...pointer.split('/').slice(1).map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))];
    return [names.slice(0, -1).reduce((of, name) => of[name], root), names.at(-1)];
  };
  const get = ([of, name]) => of[name];
  const remove = ([of, name]) => (Array.isArray(of) ? of.splice(Number(name), 1) : delete of[name]);
  const add = ([of, name], what) => {
    if (Array.isArray(of)) {
      of.splice(name === '-' ? of.length : Number(name), 0, what);
    } else {
      Object.defineProperty(of, name, {value: what, writable: true, enumerable: true, configurable: true});
    }
  };
  for (const {op, path, from, value: what} of patch) {
    const moved = from === undefined ? what : structuredClone(get(place(from)));
    if (op === 'remove' || op === 'replace') {
      remove(place(path));
    }
    if (op === 'move') {
      remove(place(from));
    }
    if (op !== 'remove' && op !== 'test') {
      add(place(path), moved);
    }
  }
  return root.all;
}

function appliedTo(before, {op, value}) {
  try {
    return op === 'merge' ? merged(before, value) : op === 'patch' ? patched(before, value) : op === 'delete' ? undefined : value;
  } catch {
    return `(a ${op} that cannot be shown)`;
  }
}

const momentTypes = new Set(['MAPSessionStarted', 'resource_written', 'plan_created', 'step_added', 'step_status_changed',
                             'MAPTurnCompleted', 'MAPBroadcastReceived', 'session_input']);

function takeInto(state, at, {event_type: type, payload = {}}) {
  const addStep = (step) => state.steps.set(step?.step_id, {words: String(step?.description ?? step?.title ?? ''), status: step?.status ?? 'pending'});
  if (type === 'MAPSessionStarted') {
    (payload.spec?.workspace ?? []).forEach((each) => state.resources.set(resourceOf(each), {version: 1, value: each.value, by: ''}));
    (payload.spec?.plan?.steps ?? []).forEach(addStep);
  } else if (type === 'resource_written') {
    const key = resourceOf(payload);
    const value = appliedTo(state.resources.get(key)?.value, payload);
    state.resources.set(key, {version: payload.version, value, by: payload.participant_id, isDeleted: payload.op === 'delete'});
  } else if (type === 'plan_created' || type === 'step_added') {
    (payload.plan?.steps ?? [payload.step]).forEach(addStep);
  } else if (type === 'step_status_changed') {
    const step = state.steps.get(payload.resource_id);
    state.steps.set(payload.resource_id, {words: payload.stage_name ?? '', ...step, status: payload.to_status});
  } else {
    const content = type === 'session_input' ? payload.content : payload.reply?.content;
    if (content) {
      state.said.push({at, who: payload.participant_id ?? payload.receiver_participant ?? '', content: String(content)});
    }
  }
}

/// The state after an event; undefined: too many events have a part in it.
async function stateAt(session, last) {
  const state = {resources: new Map(), steps: new Map(), said: []};
  const {types, type} = session;
  const isPart = types.map((name) => momentTypes.has(name));
  let read = 0;
  for (let at = 0; at <= last; ++at) {
    if (isPart[type[at]]) {
      if (++read > momentEventsMax) {
        return undefined;
      }
      takeInto(state, at, await session.event(at));
    }
  }
  return state;
}

const versionWords = (of) => (of === undefined ? 'not there' : of.isDeleted ? 'deleted' : `version ${of.version}`);

/// A resource, or what changed in it.
function resourceNode(name, now, before, isChange) {
  const by = now?.by ? ` by ${now.by}` : '';
  const words = isChange ? `${versionWords(before)} → ${versionWords(now)}${by}` : `${versionWords(now)}${by}`;
  const after = now === undefined || now.isDeleted ? '' : valueText(now.value);
  return folded([make('code', {}, name), ' ', make('span', {class: 'meta'}, words)], () => {
    const lines = isChange ? lineDiff(before === undefined || before.isDeleted ? '' : valueText(before.value), after) : undefined;
    return [lines === undefined ? codeBox(after) : diffBox(lines)];
  });
}

const unchanged = (one, other) => one?.version === other?.version && one?.isDeleted === other?.isDeleted;

/// What a moment has, or what has changed since `before`.
function momentNodes(session, now, before) {
  const isChange = before !== undefined;
  const title = (words, count) => make('h3', {}, `${words} (${count})`);
  const none = (list, words) => (list.length === 0 ? [make('p', {class: 'dim'}, words)] : list);
  const names = [...new Set([...now.resources.keys(), ...before?.resources.keys() ?? []])]
      .filter((name) => !isChange || !unchanged(now.resources.get(name), before.resources.get(name)));
  const steps = [...now.steps].filter(([id, {status}]) => !isChange || before.steps.get(id)?.status !== status);
  const said = isChange ? now.said.slice(before.said.length) : now.said;
  const nodes = names.map((name) => resourceNode(name, now.resources.get(name), before?.resources.get(name), isChange));
  if (nodes.length > 0 && nodes.length <= 3) {
    nodes.forEach((each) => { each.open = true; });
  }
  const stepNodes = steps.map(([id, {words, status}]) => make('li', {}, make('b', {}, isChange && before.steps.has(id)
      ? `${before.steps.get(id).status} → ${status}` : status), ` ${firstWords(words || String(id), 200)}`));
  const saidNodes = said.slice(-dialogShown).map(({at, who, content}) => make('div', {class: 'told'},
      make('button', {type: 'button', class: 'link', onclick: () => openEvent(at)}, `${who || 'the session'} · ${lasting(session.time[at])}`),
      ...longText(content, 'say')));
  return [title(isChange ? 'Resources changed' : 'Resources', names.length), ...none(nodes, isChange ? 'None has changed.' : 'There are none.'),
          ...now.steps.size === 0 ? [] : [title(isChange ? 'Steps changed' : 'Plan', steps.length),
                                          ...none(stepNodes.length === 0 ? [] : [make('ul', {}, ...stepNodes)], 'No step has changed.')],
          title(isChange ? 'Said between' : 'Dialog', said.length),
          ...said.length > dialogShown ? [make('p', {class: 'dim'}, `The latest ${dialogShown} are shown.`)] : [],
          ...none(saidNodes, 'Nothing was said.')];
}

let openEvent = () => {};

/// Two sliders over the events, and what they show.
class Moments {
  node = make('div');
  #session;
  #body = make('div');
  #sliders = ['Moment', 'Compared with'].map((words) => {
    const range = make('input', {type: 'range', min: '1', step: '1', 'aria-label': words});
    return {words, range, told: make('output'), label: make('label', {}, make('span', {}, words), range)};
  });
  #compares = make('input', {type: 'checkbox'});
  #asked = 0;

  constructor() {
    const [now, before] = this.#sliders;
    this.#sliders.forEach(({range, label, told}) => {
      label.append(told);
      range.addEventListener('input', () => this.#show());
    });
    this.#compares.addEventListener('change', () => this.#show());
    this.node.append(now.label, make('label', {class: 'choice'}, this.#compares, 'Show what changed since another moment'), before.label, this.#body);
  }

  /// The session, which may have grown; with it the moment that is its end.
  show(session) {
    const count = session.number.length;
    const [now, before] = this.#sliders.map(({range}) => range);
    const isEnd = this.#session !== session || now.value === now.max;
    [now, before].forEach((each) => { each.max = String(count); });
    if (this.#session !== session) {
      before.value = '1';
    }
    if (isEnd) {
      now.value = String(count);
    }
    this.#session = session;
    this.#show();
  }

  /// To an event.
  go(event) {
    this.#sliders[0].range.value = String(event + 1);
    this.#show();
  }

  async #show() {
    const asked = ++this.#asked;
    const session = this.#session;
    const places = this.#sliders.map(({range}) => Number(range.value) - 1);
    this.#sliders.forEach(({range, told}, i) => {
      const words = `event ${places[i] + 1} of ${session.number.length}, ${lasting(session.time[places[i]])}`;
      told.textContent = words;
      range.setAttribute('aria-valuetext', words);
    });
    const isChange = this.#compares.checked;
    this.#sliders[1].label.hidden = !isChange;
    const [first, last] = isChange ? [Math.min(...places), Math.max(...places)] : [undefined, places[0]];
    const now = await stateAt(session, last);
    const before = isChange ? await stateAt(session, first) : undefined;
    if (asked === this.#asked) {
      this.#body.replaceChildren(...now === undefined ? [make('p', {}, `More than ${momentEventsMax.toLocaleString('en')} events lead to this moment: `
          + 'choose an earlier one.')] : momentNodes(session, now, before));
    }
  }
}
