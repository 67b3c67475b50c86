// Parts beside a timeline, and its rows.
import {element, name, plain, prose, time} from './dom.js';

export const shownMax = 100; // of a list beside the timeline

/// A part beside the timeline; it is open where there is room.
export function panel(title, ...children) {
  const heading = element('h2', {}, title);
  return {
    heading,
    node: element('details', {className: 'panel',
                              open: matchMedia('(min-width: 60rem)').matches},
                  element('summary', {}, heading), ...children),
  };
}

/// Shows that a list is empty.
export const none = () => element('p', {className: 'meta if-empty'}, 'None.');

/// A row of a timeline; `self` is the name where it has no participant.
export function rowNode(row, self) {
  return element('li', {className: `event ${row.quiet ? 'quiet-event' : ''} tone-${row.tone || 'none'}`},
      element('div', {className: 'event-head'},
              time(row.at), ' ',
              element('strong', {}, row.who ? name(row.who) : self), ' ',
              element('span', {className: 'what'}, plain(row.what)),
              row.turn ? element('span', {className: 'turn'}, ` turn ${row.turn}`) : ''),
      row.text ? prose(row.text) : '',
      row.note ? element('p', {className: 'meta'}, plain(row.note)) : '');
}
