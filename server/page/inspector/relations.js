// Paints what lies between lanes: conflicts, broadcasts and handoffs.

/// What lies between lanes.
function paintRelations(view) {
  const {context: to, session} = view;
  to.lineWidth = 2;
  if (view.kinds.has('conflict')) {
    view.ofOwn(session.conflicts).forEach((each) => paintConflict(view, each));
  }
  if (view.kinds.has('broadcast')) {
    for (const {begin, sender, first, last} of view.ownBroadcasts()) {
      const [from, to] = view.own?.asked.has(begin) ? [view.own.lane, view.own.lane] : [first, last];
      paintBroadcast(view, view.eventX(begin), view.middle(sender), view.middle(from), view.middle(to));
    }
  }
  if (view.kinds.has('handoff')) {
    for (const {begin, end, sides: [giver, receiver]} of view.ofOwn(session.handoffs)) {
      paintArrow(view, view.eventX(begin), view.middle(giver), view.eventX(end ?? begin), view.middle(receiver));
    }
  }
}

/// A line between the sides; the one that won is filled.
function paintConflict(view, {begin, end, sides, winner}) {
  const {context: to, colours} = view;
  const x = view.eventX(begin);
  const until = end === null ? x : view.eventX(end);
  if (until < view.gutter || x > view.width) {
    return;
  }
  const at = sides.map((lane) => [lane, view.middle(lane)]).filter(([, y]) => y !== undefined);
  to.strokeStyle = colours.failed;
  to.beginPath();
  const heights = at.map(([, y]) => y);
  to.moveTo(x, Math.min(...heights));
  to.lineTo(x, Math.max(...heights));
  to.stroke();
  for (const [lane, y] of at) {
    to.beginPath();
    to.arc(x, y, 5, 0, 2 * Math.PI);
    to.fillStyle = lane === winner ? colours.failed : colours.surface;
    to.fill();
    to.stroke();
  }
}

/// From who asks to all that are asked.
function paintBroadcast(view, x, y, firstY, lastY) {
  const heights = [y, firstY, lastY].filter((each) => each !== undefined);
  if (x < view.gutter || x > view.width || heights.length === 0) {
    return;
  }
  const {context: to, colours} = view;
  to.strokeStyle = colours.link;
  to.fillStyle = colours.link;
  to.setLineDash([2, 3]);
  to.beginPath();
  to.moveTo(x, Math.min(...heights));
  to.lineTo(x, Math.max(...heights));
  to.stroke();
  to.setLineDash([]);
  if (y !== undefined) {
    to.beginPath();
    to.moveTo(x + 7, y);
    to.lineTo(x - 2, y - 6);
    to.lineTo(x - 2, y + 6);
    to.fill();
  }
}

/// A handoff: from who gave to who took up.
function paintArrow(view, x, y, toX, toY) {
  if (y === undefined || toY === undefined || Math.max(x, toX) < view.gutter || Math.min(x, toX) > view.width) {
    return;
  }
  const {context: to, colours} = view;
  to.strokeStyle = colours.handed;
  to.fillStyle = colours.handed;
  to.beginPath();
  to.moveTo(x, y);
  const bend = Math.max(12, (toX - x) / 2);
  to.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
  to.stroke();
  to.beginPath();
  to.moveTo(toX + 2, toY);
  to.lineTo(toX - 7, toY - 5);
  to.lineTo(toX - 7, toY + 5);
  to.fill();
}
