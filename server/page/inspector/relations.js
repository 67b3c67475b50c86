// Paints what lies between lanes: conflicts, broadcasts and handoffs.

/// What lies between lanes.
function paintRelations(view) {
  const {context: to, session} = view;
  to.lineWidth = 1.75;
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
  view.conflictsInView().forEach((each) => paintConflict(view, each));
}

function bowTie(to, x, y, size, colour, behind) {
  to.fillStyle = behind;
  to.fillRect(x - size - 2, y - size - 1, 2 * size + 4, 2 * size + 2);
  to.fillStyle = colour;
  to.beginPath();
  to.moveTo(x - size, y - size);
  to.lineTo(x, y - 1);
  to.lineTo(x + size, y - size);
  to.lineTo(x + size, y + size);
  to.lineTo(x, y + 1);
  to.lineTo(x - size, y + size);
  to.fill();
}

/// A line between the sides: a dot for who won, a bow tie for who lost.
function paintConflict(view, {begin, end, sides, winner}) {
  const {context: to, colours} = view;
  const x = view.eventX(begin);
  const until = end === null ? x : view.eventX(end);
  if (until < view.gutter || x > view.width) {
    return;
  }
  const at = sides.map((lane) => [lane, view.middle(lane)]).filter(([, y]) => y !== undefined);
  to.strokeStyle = colours.wait;
  to.lineWidth = 1.75;
  to.beginPath();
  const heights = at.map(([, y]) => y);
  to.moveTo(x, Math.min(...heights));
  to.lineTo(x, Math.max(...heights));
  to.stroke();
  for (const [lane, y] of at) {
    if (lane !== winner) {
      bowTie(to, x, y, 6, colours.wait, colours.surface);
      continue;
    }
    to.beginPath();
    to.arc(x, y, 5, 0, 2 * Math.PI);
    to.fillStyle = colours.wait;
    to.fill();
    to.strokeStyle = colours.surface;
    to.stroke();
    to.strokeStyle = colours.wait;
  }
}

/// How many conflicts there were, over time.
function paintHistogram(view) {
  const {context: to, colours, session: {conflicts}} = view;
  const {shown} = view.scale;
  const column = 6;
  const inner = view.width - view.gutter;
  const counts = new Uint32Array(Math.max(1, Math.ceil(inner / column)));
  for (const {begin} of view.ofOwn(conflicts)) {
    const at = Math.floor((view.x(shown[begin]) - view.gutter) / column);
    if (at >= 0 && at < counts.length) {
      ++counts[at];
    }
  }
  const most = Math.max(1, ...counts);
  const foot = axisHeight + conflictsHeight - 4;
  const high = conflictsHeight - 16;
  to.fillStyle = colours.wait;
  counts.forEach((count, at) => {
    const height = count / most * high;
    to.fillRect(view.gutter + at * column + 1, foot - height, column - 2, height);
  });
  const peak = counts.indexOf(most);
  const words = `${most} in ${lasting(Math.max(1, view.scale.timeAt(view.placeAt(view.gutter + (peak + 1) * column))
                                                - view.scale.timeAt(view.placeAt(view.gutter + peak * column))))}`;
  to.font = `600 11px ${view.font}`;
  const x = Math.min(view.width - to.measureText(words).width - 6, view.gutter + (peak + 1) * column + 3);
  to.fillText(words, x, axisHeight + 8);
}

/// From who asks to all that are asked.
function paintBroadcast(view, x, y, firstY, lastY) {
  const heights = [y, firstY, lastY].filter((each) => each !== undefined);
  if (x < view.gutter || x > view.width || heights.length === 0) {
    return;
  }
  const {context: to, colours} = view;
  to.strokeStyle = colours['ink-3'];
  to.fillStyle = colours['ink-3'];
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
  to.strokeStyle = colours.ink;
  to.fillStyle = colours.ink;
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
