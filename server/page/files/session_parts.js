// What the view of a session is made of.
import {deadline, element, name, plain, prose, time, valueText} from './dom.js';
import {statusBadge} from './home.js';
import {spentWords} from './model.js';

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

/// A row of a timeline; `self` is what it tells of if it names nobody.
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

/// What a participant is doing: {key, who, kind, role, holds: [..], does}.
export function participantsOf(model) {
  const holding = [...model.holders.values()];
  const asked = [...model.asked.values()];
  const acting = [...model.acting.values()];
  return model.participants.map((each) => ({
    who: each.participant_id,
    kind: each.kind,
    role: each.role_name ?? each.role_id ?? '',
    turns: holding.filter((one) => one.who === each.participant_id),
    asked: asked.filter((one) => one.who.includes(each.participant_id)).map((one) => one.until),
    does: acting.filter((one) => one.who === each.participant_id).map((one) => one.words),
  })).sort((a, b) => b.turns.length + b.asked.length - a.turns.length - a.asked.length);
}

export function participantNode({who, kind, role, turns, asked, does}) {
  return element('li', {className: turns.length + asked.length > 0 ? 'holder' : ''},
      element('strong', {}, name(who)), ' ',
      element('span', {className: 'meta'}, [kind, role].filter(Boolean).join(', ')),
      turns.map((turn) => element('div', {},
          `has the token, turn ${turn.turn}${turn.duty ? `, as ${turn.duty}` : ''} · `,
          deadline(turn.until))),
      asked.map((until) => element('div', {}, 'is asked in a broadcast · ', deadline(until))),
      does.map((words) => element('div', {className: 'meta'}, 'at work: ', name(words))));
}

export function conflictNode({resource, type, who, resolved}) {
  return element('li', {},
      element('strong', {}, name(resource)), ' ', statusBadge(resolved ? 'resolved' : 'open'),
      element('div', {}, String(type).replaceAll('_', ' '), ': ', name(who.join(', '))),
      resolved ? element('div', {className: 'meta'},
                         resolved.strategy, resolved.winner ? ': ' : '',
                         resolved.winner ? name(resolved.winner) : '',
                         resolved.winner ? ' wins' : '',
                         resolved.reason ? `, ${resolved.reason}` : '')
               : '');
}

/// A resource; `open` has the names of those that are shown with their values.
export function resourceNode(resource, open = new Set()) {
  const called = `${resource.resource_type}/${resource.resource_id}`;
  const by = resource.participant_id;
  const node = element('details', {open: open.has(called)},
      element('summary', {}, name(called), ' ',
              element('span', {className: 'meta'},
                      resource.deleted ? 'was deleted' : `version ${resource.version}`,
                      by ? ' by ' : '', by ? name(by) : '')),
      resource.deleted ? '' : prose(valueText(resource.value), 'code'));
  node.addEventListener('toggle', () => open[node.open ? 'add' : 'delete'](called));
  return element('li', {}, node);
}

/// How much of a budget was used; empty: nothing was, and there is none.
function share(used, budget, words) {
  if (!budget) {
    return used > 0 ? words(used) : '';
  }
  return `${used > 0 ? words(used) : 'none'} of ${words(budget)}`;
}

export function costNodes({tokens, costMicrousd, budget, spenders}) {
  const total = [
    share(tokens, budget.tokens, (count) => spentWords(count, 0)),
    share(costMicrousd, budget.cost_microusd, (money) => spentWords(0, money)),
  ].filter(Boolean).join('; ') || 'Nothing so far.';
  const most = [...spenders].sort(([, a], [, b]) => b.costMicrousd - a.costMicrousd ||
                                                    b.tokens - a.tokens).slice(0, shownMax);
  return [
    element('p', {}, total),
    element('ul', {className: 'plain'}, most.map(([who, of]) =>
        element('li', {}, name(who), `: ${spentWords(of.tokens, of.costMicrousd)}`))),
  ];
}
