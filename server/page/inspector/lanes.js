// The rows of the timeline: lanes, and groups of them where there are many.

const groupedMin = 9; // lanes that are grouped
const denseMin = 13; // lanes that are low

/// How often a lane's requests failed, were refused or lost a conflict.
function troubleOf(session) {
  const trouble = session.lanes.map(() => 0);
  const {bar, marksOf, markOf, type} = session;
  for (let i = 0; i < bar.from.length; ++i) {
    trouble[bar.lane[i]] += bar.kind[i] !== 4 && isFailure(bar.status[i]) ? 1 : 0;
  }
  marksOf.forEach((events, lane) => {
    trouble[lane] += events.filter((at) => markOf[type[at]] === 'refused').length;
  });
  return trouble;
}

/// [{key, title, note, lanes, isQuiet}]; one group without a title: no grouping.
function laneGroups(session, lanes, by) {
  const shown = lanes.filter((lane) => lane !== 0);
  if (by === 'all' || shown.length < groupedMin) {
    return [{key: 'all', title: '', lanes: shown}];
  }
  if (by === 'role') {
    const roles = new Map();
    for (const lane of shown) {
      const {role} = session.lanes[lane];
      roles.set(role, [...roles.get(role) ?? [], lane]);
    }
    return [...roles].map(([role, all]) => ({key: `role ${role}`, title: role || 'no role', note: counted(all.length, 'lane'), lanes: all}));
  }
  const {trouble} = session;
  const bad = shown.filter((lane) => trouble[lane] > 0).sort((one, two) => trouble[two] - trouble[one]);
  const quiet = shown.filter((lane) => trouble[lane] === 0);
  const turns = quiet.reduce((all, lane) => all + session.requestsOf[lane].length, 0);
  return [{key: 'bad', title: 'With failures or time-outs', note: `${bad.length} of ${counted(shown.length, 'lane')}`, lanes: bad},
          {key: 'quiet', title: 'Quiet', note: `${counted(quiet.length, 'lane')}, ${counted(turns, 'request')}, none failed`, lanes: quiet, isQuiet: true}]
      .filter(({lanes: all}) => all.length !== 0);
}

/// [{kind: 'head', 'lane' or 'band', y, height, lane, lanes, group}] and their height.
function laneRows(groups, folded, isNarrow) {
  const count = groups.reduce((all, {lanes, key}) => all + (folded.has(key) ? 0 : lanes.length), 0);
  const height = count >= denseMin ? 18 : isNarrow ? 28 : 34;
  const rows = [];
  let y = 0;
  const add = (row) => {
    rows.push({...row, y});
    y += row.height;
  };
  for (const group of groups) {
    if (group.title !== '') {
      add({kind: 'head', height: 24, group});
    }
    if (folded.has(group.key)) {
      add({kind: 'band', height: 20, lanes: group.lanes, group});
    } else {
      group.lanes.forEach((lane) => add({kind: 'lane', height, lane}));
    }
  }
  return {rows, height: y};
}
