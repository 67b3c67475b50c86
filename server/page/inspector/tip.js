// What a bar is, beside the pointer or where the keyboard went.

const tipMs = 150;

class Tip {
  #root;
  #timer;
  #asked = 0;

  constructor(root) {
    this.#root = root;
  }

  hide() {
    ++this.#asked;
    clearTimeout(this.#timer);
    this.#root.hidden = true;
  }

  /// Of a bar, at a point of the window.
  soon(session, bar, x, y) {
    this.hide();
    const mine = this.#asked;
    this.#timer = setTimeout(async () => {
      const content = await tipOf(session, bar);
      if (mine === this.#asked) {
        this.#root.replaceChildren(...content);
        this.#root.hidden = false;
        const {offsetWidth: width, offsetHeight: height} = this.#root;
        this.#root.style.left = `${Math.max(8, Math.min(x + 12, innerWidth - width - 8))}px`;
        this.#root.style.top = `${y + 20 + height > innerHeight ? Math.max(8, y - height - 14) : y + 20}px`;
      }
    }, tipMs);
  }
}

async function tipOf(session, i) {
  const {bar, lanes, time, turnNumbers} = session;
  const details = await requestDetails(session, i);
  const status = statusNames[bar.status[i]];
  const {usage, error, reply, task} = details;
  const number = bar.kind[i] === 0 ? `#${turnNumbers[i]} ` : '';
  const said = bar.kind[i] > 1 ? decisionWords(session, details) : typeof reply.content === 'string' ? reply.content : '';
  const amounts = [`at ${lasting(time[bar.from[i]])}`, lasting(time[bar.to[i]] - time[bar.from[i]]),
                   usage.tokens === 0 ? '' : counted(usage.tokens, 'token'), usage.cost === 0 ? '' : money(usage.cost)];
  return [make('b', {}, `${number}${lanes[bar.lane[i]].id}, ${bar.kind[i] === 0 ? '' : `${barKinds[bar.kind[i]]} `}${status}`),
          task === '' ? '' : make('div', {dir: 'auto'}, firstWords(task, 160)),
          said === '' || said === task ? '' : make('div', {class: 'tip-said', dir: 'auto'}, firstWords(said, 240)),
          error === undefined ? '' : make('div', {class: 'tip-error', dir: 'auto'}, firstWords(String(error.message || error.code || error), 300)),
          make('div', {class: 'tip-amounts'}, amounts.filter((each) => each !== '').join(' · '))].filter((each) => each !== '');
}
