// A range of the timeline that a reader has marked, and its events as a list.

/// Events of the session in a part of the scale.
function listRange() {
  if (drawing.range === undefined) {
    seeAs(drawing.own?.lane ?? 0);
    return;
  }
  const [from, until] = drawing.range;
  const {shown} = drawing.scale;
  const first = lastAtMost(shown, from - 1e-9) + 1;
  const last = lastAtMost(shown, until);
  const own = drawing.own?.events.filter((each) => each >= first && each <= last);
  const count = own?.length ?? Math.max(0, last - first + 1);
  const {bar} = session;
  const turns = bar.kind.filter((each, i) => each === 0 && bar.from[i] >= first && bar.from[i] <= last
                                             && (own === undefined || bar.lane[i] === drawing.own.lane)).length;
  const events = own === undefined ? Array.from({length: Math.min(count, rowsMax)}, (_, i) => first + i)
      : [...own.subarray(0, rowsMax)];
  const length = last < first ? 0 : session.time[last] - session.time[first];
  panel.showList(session, `${counted(count, 'event')} in ${timeWords(length)}, ${counted(turns, 'turn')} begun`,
                 events, count);
}

function setRange(from, until) {
  drawing.range = from === undefined ? undefined : [Math.min(from, until), Math.max(from, until)];
  drawing.soon();
  listRange();
}

/// One end of the range, at the event that is open.
function setEdge(which) {
  const at = drawing.scale.shown[drawing.chosen ?? 0];
  const other = drawing.range?.[1 - which] ?? (which === 0 ? drawing.scale.length : 0);
  setRange(at, other);
}
