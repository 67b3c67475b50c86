// What the parts of the inspector share: elements, shapes, names, amounts.

/// Characters that turn the direction of text around or do not show, by their
/// numbers.
function plain(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
                      (each) => `⟨${each.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/// An element; children are elements, or texts, which are only ever text.
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') {
      made.addEventListener('click', value);
    } else if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  made.append(...children.flat().filter((each) => each !== undefined && each !== '')
      .map((each) => (typeof each === 'object' ? each : plain(String(each)))));
  return made;
}

const shapes = {
  done: 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zM12 5.7 7.4 11a.9.9 0 0 1-1.3 0L3.8 8.5 5 7.3l1.7 1.8 4-4.5z',
  fail: 'M2 0h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H2a2 2 0 0 1-2-2V2a2 2 0 0 1 2-2zm2.2 5.6L6.6 8l-2.4 2.4 1.4 1.4L8 9.4l2.4 2.4 '
      + '1.4-1.4L9.4 8l2.4-2.4-1.4-1.4L8 6.6 5.6 4.2z',
  stop: 'M4.7 0h6.6L16 4.7v6.6L11.3 16H4.7L0 11.3V4.7zM3 6.6v2.8h10V6.6z',
  wait: 'M2 0h12v2.4h-1.2V4L9.2 8l3.6 4v1.6H14V16H2v-2.4h1.2V12l3.6-4-3.6-4V2.4H2z',
  conflict: 'M1 2.5 8 7l7-4.5v11L8 9l-7 4.5z',
  loop: 'M8 1.5a6.5 6.5 0 1 0 6.3 8.1h-2.1A4.5 4.5 0 1 1 8 3.5c1.2 0 2.3.5 3.1 1.3L9 7h6V1l-2.4 2.4A6.5 6.5 0 0 0 8 1.5z',
  refused: 'M2 1h12a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H2a1 1 0 0 1-1-1V2a1 1 0 0 1 1-1zm1 2v7.6L10.6 3zm10 2.4L5.4 13H13z',
  run: 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm0 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z',
  pause: 'M2 0h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H2a2 2 0 0 1-2-2V2a2 2 0 0 1 2-2zm2 4v8h3V4zm5 0v8h3V4z',
  draft: 'M2 0h8l4 4v12H2zm2 2v12h8V5H9V2z',
  handoff: 'M1 7h9V3l5 5-5 5V9H1z',
};

function icon(name, tone = name) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('viewBox', '0 0 16 16');
  made.setAttribute('class', `icon ${tone}`);
  made.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', shapes[name]);
  path.setAttribute('fill-rule', 'evenodd');
  made.append(path);
  return made;
}

/// `640 ms`, `2.6 s`, `3 min 1 s`, `2 h 5 min`.
function lasting(ms) {
  if (ms < 1000) {
    return ms === 0 ? '0 s' : `${Math.round(ms)} ms`;
  }
  const seconds = ms / 1000;
  if (seconds < 120) {
    return `${seconds.toFixed(1)} s`;
  }
  const whole = Math.round(seconds);
  if (whole < 7200) {
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
      : `${Math.floor(minutes / 1440)} d ${Math.floor(minutes % 1440 / 60)} h`;
}

/// US dollars, with as many digits as tell anything.
function money(microusd) {
  const dollars = microusd / 1e6;
  return `$${dollars.toFixed(dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 3 : 4)}`;
}

const tokensIn = (usage) => (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);

/// The first words of a text, on one line.
function firstWords(text, most) {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/// A value of the log as text: strings as they are, others as JSON.
function valueText(value) {
  return value === undefined ? '' : typeof value === 'string' ? value : indented(JSON.stringify(value));
}

const resourceOf = (of) => `${of.resource_type ?? ''}/${of.resource_id ?? ''}`;

/// Monograms and hues of participants; lane 0 is the session.
function dressed(lanes) {
  const hues = 5;
  const people = 6;
  const agents = lanes.filter(({kind}, lane) => lane > 0 && kind !== 'human');
  const roles = [...new Set(agents.map(({role}) => role))];
  const counts = new Map();
  const first = (id, most) => [...id].slice(0, most).join('');
  for (const {id} of lanes.slice(1)) {
    const letter = first(id, 1).toUpperCase();
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  let next = 0;
  return lanes.map((lane, at) => {
    if (at === 0) {
      return {...lane, isHuman: false, hue: 1, monogram: ''};
    }
    const isHuman = lane.kind === 'human';
    const hue = isHuman ? people : 1 + (agents.length <= 8 ? next++ : roles.indexOf(lane.role)) % hues;
    const digits = /(\d{1,3})$/.exec(lane.id)?.[1];
    const letter = first(lane.id, 1).toUpperCase();
    const isShared = counts.get(letter) > 1;
    const two = [...first(lane.id, 2)];
    return {...lane, isHuman, hue,
            monogram: digits ?? (isShared ? `${letter}${(two[1] ?? '').toLowerCase()}` : letter)};
  });
}

function avatar({hue, isHuman, monogram}) {
  return make('span', {class: `avatar w${hue}${isHuman ? ' human' : ''}`, 'aria-hidden': 'true'}, monogram);
}
