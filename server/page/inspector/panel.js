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

function requestTitle({bar, lanes, turnNumbers}, i) {
  const who = lanes[bar.lane[i]];
  return [avatar(who), ` ${plain(who.id)} ${bar.kind[i] === 0 ? `#${turnNumbers[i]}` : barKinds[bar.kind[i]]}`];
}

/// What a request was, in numbers.
function requestFacts(session, i, {begin, end, usage, task}) {
  const {bar, time} = session;
  const facts = [['status', statusNames[bar.status[i]]], ['asked at', lasting(time[bar.from[i]])],
                 ['took', lasting(time[bar.to[i]] - time[bar.from[i]])],
                 ['tokens', usage.tokens === 0 ? '' : usage.tokens.toLocaleString('en')], ['cost', usage.cost === 0 ? '' : money(usage.cost)],
                 ['attempt', begin.attempt > 1 ? String(begin.attempt) : ''],
                 ['duty', begin.duty ?? ''], ['may write', begin.resources === undefined ? ''
                   : begin.resources.length === 0 ? 'nothing' : begin.resources.map(resourceOf).join(', ')],
                 ['deadline', bar.kind[i] < 2 ? begin.expires_at ?? '' : ''],
                 ['error', end?.error === undefined ? '' : `${end.error.code ?? ''}: ${end.error.message ?? ''}`],
                 ['task', firstWords(String(task), 400)]];
  return facts.filter(([, value]) => value !== '').flatMap(([name, value]) => [make('dt', {}, name), make('dd', {dir: 'auto'}, value)]);
}

/// Who had how much to do, and what came of it.
function participantsTable(session) {
  const {story, lanes} = session;
  const rowsShown = 100;
  const all = [...story.participants].sort((one, two) => two.busy_ms - one.busy_ms || two.asked - one.asked);
  const cell = (words, className) => make('td', {class: className}, words);
  const rows = all.slice(0, rowsShown).map(({participant_id: id, role_id: role, role_name: name, asked, answers, writes, busy_ms: busy,
                                             longest_ms: longest}) => {
    const known = lanes.find((each, lane) => lane > 0 && each.id === id);
    const failed = (answers.failed ?? 0) + (answers.timed_out ?? 0) + (answers.declined ?? 0);
    return make('tr', {}, make('td', {}, known === undefined ? '' : avatar(known), id), cell(name || role, ''), cell(asked.toLocaleString('en'), 'amount'),
                cell(failed === 0 ? '0' : failed.toLocaleString('en'), `amount${failed === 0 ? '' : ' bad'}`), cell(writes.toLocaleString('en'), 'amount'),
                cell(lasting(busy), 'amount'), cell(lasting(longest), 'amount'));
  });
  const heads = ['participant', 'role', 'requests', 'failed', 'writes', 'time in all', 'longest'];
  return [make('table', {}, make('thead', {}, make('tr', {}, ...heads.map((words, at) => make('th', {class: at > 1 ? 'amount' : ''}, words)))),
               make('tbody', {}, ...rows)),
          ...(all.length > rowsShown ? [make('p', {class: 'dim'}, `and ${all.length - rowsShown} more`)] : [])];
}

class Panel {
  constructor(texts, open) {
    this.texts = texts;
    this.open = open;
    this.asked = 0;
  }

  /// Shows an event of the session, by its index there.
  async showEvent(session, event, link, entry) {
    const asked = ++this.asked;
    const text = await this.texts.text(session.number[event]);
    if (asked !== this.asked) {
      return;
    }
    const details = entry?.kind === 'bar' ? await requestDetails(session, entry.bar) : undefined;
    if (asked !== this.asked) {
      return;
    }
    byId('request').replaceChildren(...(details === undefined ? [] : requestFacts(session, entry.bar, details)));
    byId('calls').replaceChildren(...(details === undefined ? [] : modelCalls(details.parts)));
    byId('details-title').replaceChildren(...(entry?.kind === 'bar' ? requestTitle(session, entry.bar) : ['Event']));
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
    byId('nothing').hidden = true;
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
      button.textContent = begun >= 0 ? `Jump to end: ${statusNames[status[begun]]}` : 'Jump to start';
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
    byId('nothing').hidden = true;
    byId('details-scroll').scrollTop = 0;
  }

  hideList() {
    byId('list').hidden = true;
    byId('nothing').hidden = !byId('event').hidden;
  }

  hideEvent() {
    ++this.asked;
    byId('event').hidden = true;
    byId('details-title').textContent = 'Participants';
    byId('nothing').hidden = !byId('list').hidden;
  }
}
