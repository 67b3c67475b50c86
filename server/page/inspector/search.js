// Finds a text in the events of the session that is shown.

const hitsMax = 1000;
let searches = 0;

/// Looks through the text of all events of the session, block by block.
async function search(words) {
  const mine = ++searches;
  drawing.hits = [];
  drawing.soon();
  panel.hideList();
  if (words === '') {
    say('');
    return;
  }
  // As JSON has it.
  const wanted = JSON.stringify(words).slice(1, -1).toLowerCase();
  const {number} = session;
  const own = drawing.own === undefined ? undefined : new Set(drawing.own.events);
  const found = [];
  for (let block = 0; block < panel.texts.blocks && found.length < hitsMax; ++block) {
    const lines = await panel.texts.lines(block);
    if (mine !== searches) {
      return;
    }
    const first = panel.texts.first(block);
    for (let i = 0; i < lines.length && found.length < hitsMax; ++i) {
      if (lines[i].toLowerCase().includes(wanted)) {
        const event = lastAtMost(number, first + i);
        if (event >= 0 && number[event] === first + i && (own === undefined || own.has(event))) {
          found.push(event);
        }
      }
    }
    if (block % 16 === 15) {
      say(`Searching: ${Math.round(100 * block / panel.texts.blocks)} %`);
    }
  }
  drawing.hits = found;
  drawing.soon();
  const first = found.length === hitsMax ? 'The first ' : '';
  say(found.length === 0 ? 'No event has this text.'
      : `${first}${counted(found.length, 'event')} ${found.length === 1 ? 'has' : 'have'} this text.`);
  if (found.length !== 0) {
    panel.showList(session, `Events with “${words}”`, found, found.length);
  }
}
