// Asks the server again and again, as seldom as it may.
import {Failure} from './api.js';
import {waitBefore} from './stream.js';

const shownMs = 2500;
const hiddenMs = 20_000; // nobody looks at the page

/// Calls `ask(signal)` until `stop`, and passes its result to `onData`. Of a
/// Failure that may pass `onState` is told, any other goes to `onFailure`.
export class Poll {
  #abort = new AbortController();
  #wake = () => {};
  #isWanted = false;
  #failed = 0;

  constructor(ask, {onData, onFailure, onState}) {
    Object.assign(this, {ask, onData, onFailure, onState});
    for (const what of ['online', 'visibilitychange']) {
      (what === 'online' ? window : document)
          .addEventListener(what, () => this.now(), {signal: this.#abort.signal});
    }
  }

  stop() {
    this.#abort.abort();
    this.#wake();
  }

  /// Asks at once, or as soon as the running request has ended.
  now() {
    this.#isWanted = true;
    this.#wake();
  }

  async run() {
    const {signal} = this.#abort;
    while (!signal.aborted) {
      this.#isWanted = false;
      const waitMs = await this.#once(signal);
      if (!signal.aborted && !this.#isWanted) {
        await new Promise((end) => {
          this.#wake = end;
          setTimeout(end, waitMs);
        });
      }
    }
  }

  async #once(signal) {
    try {
      const got = await this.ask(signal);
      if (!signal.aborted) {
        this.#failed = 0;
        this.onState({connected: true});
        this.onData(got);
      }
    } catch (error) {
      if (signal.aborted) {
        return 0;
      }
      if (!(error instanceof Failure)) {
        throw error;
      }
      if (error.mayPass) {
        this.#failed += 1;
        this.onState({connected: false, failure: error});
        return Math.max(error.retryAfterMs, waitBefore(this.#failed));
      }
      this.onState({connected: true});
      this.onFailure(error);
    }
    return document.hidden ? hiddenMs : shownMs;
  }
}
