// Finds what is drawn at a point.

/// The event that is drawn at a point; undefined if there is none.
function eventAt(view, x, y) {
  const {session} = view;
  const {shown} = view.scale;
  const near = 7;
  if (x < view.gutter) {
    return undefined;
  }
  for (const {begin, sides} of view.kinds.has('conflict') ? view.ofOwn(session.conflicts) : []) {
    if (Math.abs(view.eventX(begin) - x) <= near
        && sides.some((lane) => Math.abs((view.middle(lane) ?? -100) - y) <= near)) {
      return begin;
    }
  }
  for (const {begin, sender} of view.kinds.has('broadcast') ? view.ownBroadcasts() : []) {
    if (Math.abs(view.eventX(begin) - x) <= near && Math.abs((view.middle(sender) ?? -100) - y) <= near) {
      return begin;
    }
  }
  const hit = (list) => list.find((i) => view.isShown(i) && view.x(shown[session.bar.from[i]]) <= x + 1
                                         && view.x(shown[session.bar.to[i]]) >= x - 2);
  if (y < view.lanesTop) {
    const bars = session.tokens[Math.floor((y - axisHeight - 3) / tokenHeight)];
    const found = bars === undefined ? undefined : hit(bars);
    return found === undefined ? undefined : session.bar.from[found];
  }
  const row = Math.floor((y - view.lanesTop + view.top) / laneHeight);
  const lane = view.lanes[row];
  if (lane === undefined) {
    return undefined;
  }
  const isLow = y - view.laneY(row) > laneHeight - 12;
  if (isLow && view.hasMarks(lane)) {
    const mark = session.marksOf[lane].find((i) => Math.abs(view.x(shown[i]) - x) <= near);
    if (mark !== undefined) {
      return mark;
    }
  }
  const found = (isLow ? hit(session.actionsOf[lane]) : undefined) ?? hit(session.requestsOf[lane]);
  return found === undefined ? undefined : session.bar.from[found];
}
