// What the view of a run is made of.
import {element, name, plain, prose, time, valueText} from './dom.js';
import {runUrl, sessionUrl, statusBadge} from './home.js';

const entriesMax = 100; // of one channel

/// A part that can be opened; `open` has the keys of those that are.
function folded(key, open, summary, ...children) {
  const node = element('details', {open: open.has(key)}, element('summary', {}, summary), ...children);
  node.addEventListener('toggle', () => open[node.open ? 'add' : 'delete'](key));
  return node;
}

/// A turn of a conversation.
export const turnNode = (turn) => element('li', {className: 'event'},
    element('div', {className: 'event-head'}, time(turn.ts), ' ',
            element('strong', {}, name(turn.from)), ' ',
            turn.role === turn.from ? '' : element('span', {className: 'meta'}, plain(turn.role))),
    prose(valueText(turn.content ?? '')));

export function nodeNode({id, type, status, attempts, outputs, error, session, child}, open) {
  const has = outputs !== undefined && Object.keys(outputs).length > 0;
  return element('li', {className: status === 'suspended' ? 'holder' : ''},
      element('strong', {}, name(id)), ' ', statusBadge(status),
      element('div', {className: 'meta'}, name(type),
              attempts > 1 ? ` · attempt ${attempts}` : '',
              session ? ' · ' : '',
              session ? element('a', {href: sessionUrl(session)}, 'its session') : '',
              child ? ' · ' : '', child ? element('a', {href: runUrl(child)}, 'child run') : ''),
      error ? prose(error.message ?? error.code) : '',
      has ? folded(`node ${id}`, open, 'Outputs', prose(valueText(outputs), 'code')) : '');
}

/// A channel, of whose entries the latest are shown.
export function channelNode([key, value], open) {
  const list = Array.isArray(value) ? value : undefined;
  const shown = list && list.length > entriesMax ? list.slice(-entriesMax) : value;
  return element('li', {}, folded(`channel ${key}`, open,
      [name(key), ' ', element('span', {className: 'meta'},
                               list ? `${list.length} ${list.length === 1 ? 'entry' : 'entries'}` : '')],
      shown === value ? '' : element('p', {className: 'meta'}, `The latest ${entriesMax} are shown.`),
      value === null || value === undefined ? element('p', {className: 'meta'}, 'Nothing was written.')
                                            : prose(valueText(shown), 'code')));
}
