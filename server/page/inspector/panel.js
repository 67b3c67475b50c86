// What is below the timeline: an event as JSON, and lists of events.

const rowsMax = 200;
const shownMax = 1 << 20;

/// An event's time, kind and participant, as a row has them.
function rowOf(session, event, open) {
  const row = element('button', '');
  row.type = 'button';
  row.dataset.event = event;
  row.append(element('time', timeWords(session.time[event])),
             ` ${session.types[session.type[event]]} · ${session.lanes[session.lane[event]].id}`);
  row.addEventListener('click', () => open(event));
  const item = document.createElement('li');
  item.append(row);
  return item;
}

class Panel {
  constructor(texts, open) {
    this.texts = texts;
    this.open = open;
    this.asked = 0;
  }

  /// Shows an event of the session, by its index there.
  async showEvent(session, event, link) {
    const asked = ++this.asked;
    const text = await this.texts.text(session.number[event]);
    if (asked !== this.asked) {
      return;
    }
    const pretty = indented(text);
    byId('event-title').textContent = `Event ${event + 1} of ${session.number.length}: `
        + `${session.types[session.type[event]]}, ${session.lanes[session.lane[event]].id}, `
        + `at ${timeWords(session.time[event])}`;
    byId('json').textContent = pretty.length <= shownMax ? pretty
        : `${pretty.slice(0, shownMax)}\n… ${pretty.length - shownMax} more characters`;
    byId('link').href = link;
    byId('previous').disabled = event === 0;
    byId('next').disabled = event === session.number.length - 1;
    this.#showOther(session, event);
    byId('event').hidden = false;
    for (const row of byId('rows').querySelectorAll('button')) {
      row.setAttribute('aria-current', String(Number(row.dataset.event) === event));
    }
  }

  /// The other end of a request or an action.
  #showOther(session, event) {
    const {from, to, status} = session.bar;
    const begun = from.indexOf(event);
    const ended = begun >= 0 ? -1 : to.findIndex((each, i) => each === event && status[i] !== 0);
    const button = byId('other');
    button.hidden = (begun < 0 || status[begun] === 0) && ended < 0;
    if (!button.hidden) {
      const target = begun >= 0 ? to[begun] : from[ended];
      button.textContent = begun >= 0 ? `Its end: ${statusNames[status[begun]]}` : 'Its beginning';
      button.onclick = () => this.open(target);
    }
  }

  /// Lists events of the session, by their indexes.
  showList(session, title, events, total) {
    byId('list-title').textContent = title;
    byId('rows').replaceChildren(...events.slice(0, rowsMax).map((each) => rowOf(session, each, this.open)));
    if (total > Math.min(events.length, rowsMax)) {
      byId('rows').append(element('li', `and ${(total - Math.min(events.length, rowsMax)).toLocaleString('en')} more`));
    }
    byId('list').hidden = false;
  }

  hideList() {
    byId('list').hidden = true;
  }
}
