// Paints requests, actions and marks of a lane.

/// Those narrower than a pixel are drawn once for each pixel; what failed is
/// drawn over the others, so that it always shows.
function paintBars(view, list, y, height, words, colourOf) {
  const {context: to, colours, session} = view;
  const {bar} = session;
  const {shown} = view.scale;
  const from = view.left;
  const until = view.left + view.span;
  const labels = [];
  for (const failed of [false, true]) {
    let painted = -1;
    for (const i of list) {
      // In the order of their beginnings.
      if (shown[bar.from[i]] > until) {
        break;
      }
      const status = bar.status[i];
      if (isFailure(status) !== failed || shown[bar.to[i]] < from) {
        continue;
      }
      const begin = view.x(shown[bar.from[i]]);
      const end = view.x(shown[bar.to[i]]);
      if (Math.floor(end) <= painted || !view.isShown(i)) {
        continue;
      }
      painted = Math.floor(end);
      to.fillStyle = colourOf === undefined ? colours[statusColours[status]] : colourOf(i);
      to.globalAlpha = bar.kind[i] === 0 ? 1 : 0.75;
      to.fillRect(begin, y, Math.max(1.5, end - begin - 1), height);
      to.globalAlpha = 1;
      if (end - begin > 8 && session.lanes[bar.lane[i]].kind === 'human' && colourOf === undefined) {
        paintStripes(view, begin, y, end - begin - 1, height);
      }
      if (words !== undefined && end - begin > 48) {
        labels.push([i, begin, end]);
      }
    }
  }
  let free = 0;
  for (const [i, begin, end] of labels) {
    const x = Math.max(begin, view.gutter);
    if (x >= free) {
      to.fillStyle = colours['on-bar'];
      paintWords(view, words(i), x + 5, y + height / 2, Math.min(end, view.width) - x - 10);
      free = end;
    }
  }
}

/// A person is waited for.
function paintStripes(view, x, y, width, height) {
  const {context: to, colours} = view;
  const begin = Math.max(x, view.gutter);
  const end = Math.min(x + width, view.width);
  clipped(view, begin, y, end - begin, height, () => {
    to.strokeStyle = colours.surface;
    to.globalAlpha = 0.2;
    to.lineWidth = 3;
    to.beginPath();
    for (let at = begin - height; at < end; at += 9) {
      to.moveTo(at, y + height);
      to.lineTo(at + height, y);
    }
    to.stroke();
    to.globalAlpha = 1;
  });
}

/// Writes, claims and what was refused, as diamonds at the lane's bottom.
function paintMarks(view, list, y) {
  const {context: to, colours, session} = view;
  const {shown} = view.scale;
  let painted = -10;
  for (const i of list) {
    if (shown[i] > view.left + view.span) {
      break;
    }
    if (shown[i] < view.left) {
      continue;
    }
    const kind = session.markOf[session.type[i]];
    const x = view.x(shown[i]);
    if (x - painted < 1 || (view.failedOnly && kind !== 'refused')) {
      continue;
    }
    painted = x;
    const middle = y + laneHeight - 6;
    to.fillStyle = colours[{write: 'text', claim: 'handed', refused: 'failed'}[kind]];
    to.beginPath();
    to.moveTo(x, middle - 5);
    to.lineTo(x + 4, middle);
    to.lineTo(x, middle + 5);
    to.lineTo(x - 4, middle);
    to.fill();
  }
}
