// Paints requests, actions and marks of a lane: the participant's hue for who,
// the outcome by color and shape.

const denseBar = 14; // below, bars have no words and no outline

function hatched(view, x, y, width, height, colour, alpha, gap = 8) {
  const {context: to} = view;
  const begin = Math.max(x, view.gutter - height);
  const end = Math.min(x + width, view.width);
  clipped(view, Math.max(x, view.gutter), y, end - Math.max(x, view.gutter), height, () => {
    to.strokeStyle = colour;
    to.globalAlpha = alpha;
    to.lineWidth = 2.5;
    to.beginPath();
    const first = x + Math.floor((begin - x) / gap) * gap;
    for (let at = first - height; at < end; at += gap) {
      to.moveTo(at, y + height);
      to.lineTo(at + height, y);
    }
    to.stroke();
    to.globalAlpha = 1;
  });
}

function cross(to, x, y, size, colour) {
  to.strokeStyle = colour;
  to.lineWidth = 2;
  to.beginPath();
  to.moveTo(x - size, y - size);
  to.lineTo(x + size, y + size);
  to.moveTo(x + size, y - size);
  to.lineTo(x - size, y + size);
  to.stroke();
}

function hourglass(to, x, y, size, colour) {
  to.fillStyle = colour;
  to.beginPath();
  to.moveTo(x - size, y - size);
  to.lineTo(x + size, y - size);
  to.lineTo(x - size, y + size);
  to.lineTo(x + size, y + size);
  to.fill();
}

/// How a bar looks: {fill, edge, ink, hatch, dash, sign}
function lookOf(view, i) {
  const {colours, session: {bar, lanes, whole}} = view;
  const {hue, isHuman} = lanes[bar.lane[i]];
  const own = {fill: colours[`p${hue}-bg`], edge: colours[`p${hue}`], ink: colours.ink};
  switch (bar.status[i]) {
    case 2: return {fill: colours.fail, edge: colours.fail, ink: colours['on-color'], hatch: [colours.surface, 0.18], sign: cross};
    case 3: return {fill: colours.wait, edge: colours.wait, ink: colours['on-color'], sign: hourglass};
    case 4: return {fill: colours['fail-bg'], edge: colours.fail, ink: colours.ink, dash: true, sign: cross, signInk: colours.fail};
    case 5: case 7: return {fill: colours.sunken, edge: colours['ink-3'], ink: colours['ink-2'], dash: true};
    default:
      return isHuman ? {fill: colours['wait-bg'], edge: colours.wait, ink: colours.ink, hatch: [colours.wait, 0.22]}
          : {...own, dash: whole?.sameAs.has(i)};
  }
}

function paintBar(view, i, x, y, width, height, room) {
  const {context: to, colours, session: {bar, turnNumbers}} = view;
  const look = lookOf(view, i);
  const isOpen = bar.status[i] === 0;
  const from = Math.max(x, view.gutter - 10);
  const shown = Math.min(x + width, view.width + 10) - from;
  to.fillStyle = look.fill;
  to.fillRect(from, y, shown, height);
  if (look.hatch !== undefined && width > 4) {
    hatched(view, x, y, width, height, ...look.hatch);
  }
  to.strokeStyle = look.edge;
  to.lineWidth = 1;
  to.setLineDash(look.dash ? [3, 2] : []);
  to.strokeRect(from + 0.5, y + 0.5, Math.max(0, shown - 1), height - 1);
  to.setLineDash([]);
  to.fillStyle = look.edge;
  to.fillRect(x, y, Math.min(4, width), height);
  if (isOpen) {
    to.fillStyle = colours.accent;
    to.fillRect(x + width - 1, y - 4, 2, height + 8);
  }
  const left = Math.max(x, view.gutter) + 7;
  let inner = Math.min(x + width, view.width) - left - 3;
  if (look.sign !== undefined && inner > 10) {
    look.sign(to, Math.min(x + width, view.width) - 9, y + height / 2, 3.5, look.signInk ?? look.ink);
    inner -= 14;
  }
  const number = turnNumbers[i] === 0 ? '' : String(turnNumbers[i]);
  const middle = y + height / 2 + 0.5;
  const words = view.labels.of(i);
  to.fillStyle = look.ink;
  to.font = `650 12px ${view.font}`;
  const numberWidth = to.measureText(number).width;
  if (inner >= 66) {
    to.fillText(number, left, middle);
    to.font = `12px ${view.font}`;
    paintWords(view, words, left + numberWidth + (number === '' ? 0 : 6), middle, inner - numberWidth - 6);
    return;
  }
  const isInside = inner + 4 >= numberWidth;
  if (isInside) {
    to.fillText(number, left + Math.max(-3, (inner - numberWidth) / 2), middle);
  }
  if (room >= 44 && !view.isNarrow) {
    to.font = `12px ${view.font}`;
    to.fillStyle = colours['ink-2'];
    paintWords(view, isInside || number === '' ? words : `${number} ${words}`, x + width + 6, middle, room - 12);
  }
}

/// A decision or vote that took no time to speak of.
function paintDiamond(view, i, x, y) {
  const {context: to, colours, session: {bar, lanes}} = view;
  to.fillStyle = isFailure(bar.status[i]) ? colours.fail : colours[`p${lanes[bar.lane[i]].hue}`];
  to.beginPath();
  to.moveTo(x, y - 6);
  to.lineTo(x + 6, y);
  to.lineTo(x, y + 6);
  to.lineTo(x - 6, y);
  to.fill();
}

/// The first bar of a list that may be in view.
function firstInView({scale, left}, list, reach) {
  return lastAtMost(reach, lastAtMost(scale.shown, left) - 1) + 1;
}

/// Those narrower than two pixels are drawn once for each pixel; what failed is
/// drawn over the others, so that it always shows.
function paintBars(view, list, reach, y, height) {
  const {context: to, colours, session} = view;
  const {bar} = session;
  const {shown} = view.scale;
  const from = view.left;
  const until = view.left + view.span;
  const isDense = height < denseBar;
  const first = firstInView(view, list, reach);
  for (const failed of [false, true]) {
    let painted = -1;
    for (let at = first; at < list.length; ++at) {
      const i = list[at];
      // In the order of their beginnings.
      if (shown[bar.from[i]] > until) {
        break;
      }
      if (isFailure(bar.status[i]) !== failed || shown[bar.to[i]] < from) {
        continue;
      }
      const begin = view.x(shown[bar.from[i]]);
      const end = view.x(shown[bar.to[i]]);
      if (Math.floor(end) <= painted || !view.isShown(i)) {
        continue;
      }
      painted = Math.floor(end);
      const width = end - begin;
      if ((bar.kind[i] === 2 || bar.kind[i] === 3) && width < 10 && !isDense) {
        paintDiamond(view, i, end, y + height / 2);
      } else if (isDense || width < 5) {
        const look = lookOf(view, i);
        const grow = failed ? 2 : 0;
        to.fillStyle = bar.status[i] === 5 ? colours['line-2'] : look.edge;
        to.globalAlpha = failed ? 1 : 0.7;
        to.fillRect(begin, y - grow, Math.max(failed ? 2.5 : 1.5, width - 1), height + 2 * grow);
        to.globalAlpha = 1;
        if (look.sign !== undefined && isDense && width > 12) {
          look.sign(to, begin + width / 2, y + height / 2, 2.5, look.signInk ?? colours['on-color']);
        }
      } else {
        const next = list[at + 1] === undefined ? view.width : view.x(shown[bar.from[list[at + 1]]]);
        paintBar(view, i, begin, y, width - 1, height, Math.min(next, view.width) - end);
      }
      if (i === view.chosenBar) {
        to.strokeStyle = colours.accent;
        to.lineWidth = 2;
        to.strokeRect(begin - 3, y - 3, Math.max(6, width) + 4, height + 6);
      }
    }
  }
}

/// Actions, as lines below the bar of their request.
function paintActions(view, list, y) {
  const {context: to, colours, session: {bar, lanes}} = view;
  const {shown} = view.scale;
  let painted = -1;
  for (const i of list) {
    if (shown[bar.from[i]] > view.left + view.span) {
      break;
    }
    const end = view.eventX(bar.to[i]);
    if (shown[bar.to[i]] < view.left || !view.isShown(i) || Math.floor(end) <= painted) {
      continue;
    }
    painted = Math.floor(end);
    const begin = view.eventX(bar.from[i]);
    to.fillStyle = isFailure(bar.status[i]) ? colours.fail : colours[`p${lanes[bar.lane[i]].hue}`];
    to.fillRect(begin, y, Math.max(2, end - begin - 1), 3);
  }
}

/// Writes as squares, claims as rings, what was refused as a crossed square.
function paintMarks(view, list, y, height) {
  const {context: to, colours, session} = view;
  const {shown} = view.scale;
  let painted = -10;
  for (const at of list) {
    if (shown[at] > view.left + view.span) {
      break;
    }
    if (shown[at] < view.left) {
      continue;
    }
    const kind = session.markOf[session.type[at]];
    const x = view.x(shown[at]);
    if ((x - painted < 1 && kind !== 'refused') || (view.failedOnly && kind !== 'refused')) {
      continue;
    }
    painted = x;
    const hue = colours[`p${session.lanes[session.lane[at]].hue}`];
    const size = height < denseBar ? 2 : 3.5;
    const middle = y + height;
    to.lineWidth = 1.5;
    to.strokeStyle = kind === 'refused' ? colours.fail : kind === 'claim' ? hue : colours.surface;
    to.fillStyle = kind === 'write' ? hue : colours.surface;
    to.beginPath();
    if (kind === 'claim') {
      to.arc(x, middle, size, 0, 2 * Math.PI);
    } else {
      to.rect(x - size, middle - size, 2 * size, 2 * size);
    }
    to.fill();
    to.stroke();
    if (kind === 'refused') {
      to.beginPath();
      to.moveTo(x - size, middle + size);
      to.lineTo(x + size, middle - size);
      to.stroke();
    }
  }
}
