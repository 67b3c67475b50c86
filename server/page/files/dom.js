// Elements, made of text. What others have written becomes text nodes and
// nothing else: no markup is read anywhere on this page.

/// An element. `what` are its properties, except `data` (its dataset) and names
/// with a dash, which are attributes. Children are elements and texts; empty
/// ones are left out.
export function element(name, what = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(what)) {
    if (value === undefined || value === false) {
      continue;
    }
    if (key === 'data') {
      Object.assign(made.dataset, value);
    } else if (key.includes('-') || key === 'role') {
      made.setAttribute(key, value);
    } else {
      made[key] = value;
    }
  }
  made.append(...children.flat().filter((each) => each !== undefined && each !== ''));
  return made;
}

/// With names for the characters that turn the direction of text around: what
/// is approved must be what is seen.
export const plain = (text) => String(text ?? '').replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (each) => `[U+${each.charCodeAt(0).toString(16).toUpperCase()}]`);

/// A text of others within a line: its direction is its own.
export const name = (text) => element('bdi', {}, plain(text));

const shownMax = 1200; // characters of one text

/// A text of others, with its lines. The end of a long one is shown on demand.
export function prose(text, className = '') {
  const whole = plain(text);
  const made = element('div', {className: `prose ${className}`, dir: 'auto'});
  if (whole.length <= shownMax) {
    made.append(whole);
    return made;
  }
  // Not in the middle of a character of two units.
  const cut = /[\ud800-\udbff]$/.test(whole.slice(0, shownMax)) ? shownMax - 1 : shownMax;
  const rest = element('button', {type: 'button', className: 'quiet', dir: 'ltr'},
                       `… show all ${whole.length.toLocaleString('en')} characters`);
  rest.addEventListener('click', () => {
    made.replaceChildren(whole);
    made.tabIndex = -1;
    made.focus();
  });
  made.append(whole.slice(0, cut), rest);
  return made;
}

/// A value of a resource, as people read it.
export const valueText = (value) =>
    typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/// Shows `items` as children of `list`, in their order. What has not changed
/// stays as it is, and the focus stays on the item that has it.
export function fill(list, items, keyOf, make) {
  const before = new Map([...list.children].map((each) => [each.dataset.key, each]));
  const focused = list.contains(document.activeElement)
                      ? document.activeElement.closest('[data-key]')?.dataset.key
                      : undefined;
  const after = items.map((item) => {
    const key = String(keyOf(item));
    const looks = JSON.stringify(item);
    const old = before.get(key);
    if (old?.looks === looks) {
      return old;
    }
    const made = make(item);
    made.dataset.key = key;
    made.looks = looks;
    return made;
  });
  if (after.length === list.children.length && after.every((each, i) => each === list.children[i])) {
    return;
  }
  list.replaceChildren(...after);
  if (focused !== undefined) {
    const again = after.find((each) => each.dataset.key === focused);
    again?.querySelector('a, button, summary, input')?.focus();
  }
}

/// Replaces what is in `node`; if the focus was there, it goes to the heading.
export function replaceIn(node, ...children) {
  const focused = node.contains(document.activeElement);
  node.replaceChildren(...children);
  if (focused) {
    node.querySelector('h1')?.focus();
  }
}

export const plural = (count, noun) =>
    `${Number(count).toLocaleString('en')} ${noun}${Number(count) === 1 ? '' : 's'}`;

/// The time of day, with the date if that is not today.
export function time(stamp) {
  const at = new Date(stamp);
  if (Number.isNaN(at.getTime())) {
    return element('span');
  }
  const clock = at.toLocaleTimeString([], {hour12: false});
  const today = at.toDateString() === new Date().toDateString();
  return element('time', {dateTime: at.toISOString(), title: at.toLocaleString()},
                 today ? clock : `${at.toLocaleDateString()} ${clock}`);
}

function distance(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) {
    return `${seconds} s`;
  }
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) {
    return `${minutes} min`;
  }
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/// How much time there is until a deadline; kept up to date by `tick`.
export function deadline(stamp) {
  const at = new Date(stamp);
  if (Number.isNaN(at.getTime())) {
    return element('span');
  }
  const made = element('time', {dateTime: at.toISOString(), title: at.toLocaleString(),
                                data: {until: at.getTime()}});
  showDeadline(made);
  return made;
}

function showDeadline(of) {
  const left = Number(of.dataset.until) - Date.now();
  const text = left > 0 ? `${distance(left)} left` : 'time is over';
  if (of.textContent !== text) {
    of.textContent = text;
  }
  of.classList.toggle('soon', left < 5 * 60_000);
}

export const tick = () => document.querySelectorAll('[data-until]').forEach(showDeadline);

/// Says something to those who do not see what changed.
export function announce(text) {
  document.getElementById('news').textContent = text;
}
