// What one participant has to do with: the events that name it, its requests
// and actions, and conflicts, handoffs and broadcasts that it has a part in.

/// The events, in their order, and the lanes of those it meets there.
function ownView(session, own) {
  const events = new Set();
  const lanes = new Set([0, own]);
  const {bar, lane} = session;
  for (let i = 0; i < lane.length; ++i) {
    if (lane[i] === own) {
      events.add(i);
    }
  }
  const asked = new Set(); // broadcasts that it was asked by
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.lane[i] === own) {
      events.add(bar.from[i]);
      if (bar.status[i] !== 0) {
        events.add(bar.to[i]);
      }
      if (bar.kind[i] === 1) {
        asked.add(bar.from[i]);
      }
    }
  }
  for (const {begin, end, sides} of [...session.conflicts, ...session.handoffs]) {
    if (sides.includes(own)) {
      sides.forEach((each) => lanes.add(each));
      events.add(begin);
      if (end !== null) {
        events.add(end);
      }
    }
  }
  for (const {begin, sender} of session.broadcasts) {
    if (asked.has(begin)) {
      lanes.add(sender);
    }
  }
  return {lane: own, asked, lanes: [...lanes].sort((one, two) => one - two),
          events: Float64Array.from(events).sort()};
}

/// How often it was asked, how that ended, and how long it took.
function ownWords(session, {lane: own, events}) {
  const {bar, time} = session;
  const ends = new Map();
  let asked = 0;
  let busy = 0;
  let longest = 0;
  for (let i = 0; i < bar.from.length; ++i) {
    if (bar.lane[i] !== own || bar.kind[i] === 4) {
      continue;
    }
    ++asked;
    ends.set(bar.status[i], (ends.get(bar.status[i]) ?? 0) + 1);
    if (bar.status[i] !== 0) {
      const took = time[bar.to[i]] - time[bar.from[i]];
      busy += took;
      longest = Math.max(longest, took);
    }
  }
  const many = (count, word) => `${count.toLocaleString('en')} ${word}`;
  const ended = [...ends].sort(([one], [two]) => one - two).map(([status, count]) => many(count, statusNames[status]));
  return `${session.lanes[own].id}: ${counted(asked, 'request')}${ended.length === 0 ? '' : ` (${ended.join(', ')})`}, `
      + `${timeWords(busy)} from request to answer, at most ${timeWords(longest)}; ${counted(events.length, 'event')}`;
}
