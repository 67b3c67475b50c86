"use strict";
const { ConveneError, closed, native } = require("./native.cjs");

/** A session that was started. */
class RunningSession {
  #runtime;
  #handle;
  #ended;

  constructor(runtime, handle, sessionId) {
    this.#runtime = runtime;
    this.#handle = handle;
    this.sessionId = sessionId;
    this.#ended = new Promise((resolve, reject) => {
      this._resolve = resolve;
      this._reject = reject;
    });
    this.#ended.catch(() => {}); // of interest to those who ask for the result
  }

  get _handle() { return this.#handle; }

  /** A promise of what result.json has. Rejected if the session stopped with an
   * error, or after `timeoutMs`; the session runs on then. */
  result(timeoutMs) {
    if (timeoutMs === undefined) return this.#ended;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new ConveneError(
        "timeout", `session ${this.sessionId} has not ended after ${timeoutMs} ms`)), timeoutMs);
    });
    return Promise.race([this.#ended, late]).finally(() => clearTimeout(timer));
  }

  get status() { return JSON.parse(native.status(this.#handle)); }
  cancel(reason) { native.cancel(this.#handle, reason); }
  suspend(reason) { native.suspend(this.#handle, reason); }
  resume() { native.resume(this.#handle); }

  /** Says something that is no reply; `participant` is human or external. */
  async message(text, participant) {
    native.hold(true);
    try {
      const taken = await native.message(this.#runtime, this.#handle, text, participant);
      if (taken === null) throw closed();
    } finally {
      native.hold(false);
    }
  }
}

module.exports = { RunningSession };
