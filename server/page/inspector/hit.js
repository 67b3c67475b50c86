// Finds what is drawn at a point.

/// The event that is drawn at a point, and its bar if it has one; undefined if
/// there is none.
function eventAt(view, x, y) {
  const {session} = view;
  const {shown} = view.scale;
  const near = 7;
  if (x < view.gutter) {
    return undefined;
  }
  for (const {begin, sides} of view.conflictsInView()) {
    if (Math.abs(view.eventX(begin) - x) <= near
        && sides.some((lane) => Math.abs((view.middle(lane) ?? -100) - y) <= near)) {
      return {event: begin};
    }
  }
  for (const {begin, sender} of view.kinds.has('broadcast') ? view.ownBroadcasts() : []) {
    if (Math.abs(view.eventX(begin) - x) <= near && Math.abs((view.middle(sender) ?? -100) - y) <= near) {
      return {event: begin};
    }
  }
  const row = view.rowAt(y);
  if (row?.lane === undefined) {
    return undefined;
  }
  const {lane} = row;
  const isLow = y - view.rowY(row) > row.height - 11;
  if (isLow && view.hasMarks(lane)) {
    const mark = session.marksOf[lane].find((i) => Math.abs(view.x(shown[i]) - x) <= near);
    if (mark !== undefined) {
      return {event: mark};
    }
  }
  // What is drawn last is on top; diamonds are at the end of what they stand for.
  const hit = (list) => {
    const those = list.filter((i) => view.isShown(i) && view.x(shown[session.bar.from[i]]) <= x + 2
                                     && view.x(shown[session.bar.to[i]]) >= x - 6);
    return those.find((i) => view.x(shown[session.bar.to[i]]) >= x - 1) ?? those[0];
  };
  const found = (isLow ? hit(session.actionsOf[lane]) : undefined) ?? hit(session.requestsOf[lane]);
  return found === undefined ? undefined : {event: session.bar.from[found], bar: found};
}
