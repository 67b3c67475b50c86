// The words of bars: the task, or the first words of the answer. They are read
// when bars are in view that have room for them.

const labelWords = 80;
const labelsAtOnce = 150;
const labelRoom = 24; // pixels

class Labels {
  #session;
  #words = new Map();
  #isReading = false;

  constructor(session) {
    this.#session = session;
  }

  of(i) {
    return this.#words.get(i) ?? '';
  }

  /// It has ended, and may have other words.
  forget(i) {
    this.#words.delete(i);
  }

  async #wordsOf(i) {
    const {bar} = this.#session;
    const {payload = {}} = await this.#session.event(bar.from[i]);
    if (bar.kind[i] > 1) {
      const end = bar.status[i] === 0 ? undefined : (await this.#session.event(bar.to[i])).payload;
      return end === undefined ? '' : plain(firstWords(decisionWords(this.#session, {begin: payload, end, reply: end?.reply ?? {}}), labelWords));
    }
    const task = payload.task ?? payload.message?.task ?? '';
    const isTold = task !== '' && task !== this.#session.task;
    const said = !isTold && bar.status[i] !== 0 ? (await this.#session.event(bar.to[i])).payload?.reply?.content || task : task;
    return plain(firstWords(String(said), labelWords));
  }

  /// Reads those of bars in view; draws again if there were any.
  async read(view) {
    if (this.#isReading) {
      return;
    }
    const {bar, requestsOf, reachOf} = this.#session;
    const wanted = [];
    for (const {lane} of view.rows) {
      const list = lane === undefined ? [] : requestsOf[lane];
      for (let at = list.length === 0 ? 0 : firstInView(view, list, reachOf[lane]); at < list.length; ++at) {
        const i = list[at];
        const [begin, end] = [view.eventX(bar.from[i]), view.eventX(bar.to[i])];
        if (begin > view.width || wanted.length === labelsAtOnce) {
          break;
        }
        if (end >= view.gutter && end - begin >= labelRoom && !this.#words.has(i)) {
          wanted.push(i);
        }
      }
    }
    if (wanted.length === 0) {
      return;
    }
    this.#isReading = true;
    for (const i of wanted) {
      this.#words.set(i, await this.#wordsOf(i));
    }
    this.#isReading = false;
    view.soon();
  }
}
