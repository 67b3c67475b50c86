"use strict";
const { native } = require("./native.cjs");

/** Events as they are logged, for `for await`. If that is too slow, {missed: n}
 * comes in place of n events. Ends with the runtime or by return(). A read that
 * waits keeps Node alive if `holds`. */
class Events {
  #handle;
  #holds;
  #batch = [];
  #last = Promise.resolve();

  constructor(runtime, filter, holds) {
    this.#holds = holds;
    this.#handle = native.subscribe(runtime, JSON.stringify(filter));
  }

  /** Calls at the same time get events one after another. */
  next() {
    const found = this.#last.then(() => this.#take());
    this.#last = found.catch(() => {});
    return found;
  }

  async #take() {
    if (this.#batch.length === 0) {
      const lines = await this.#read();
      if (!lines) return { value: undefined, done: true };
      this.#batch = lines.reverse();
    }
    return { value: JSON.parse(this.#batch.pop()), done: false };
  }

  async #read() {
    if (this.#holds) native.hold(true);
    try {
      return await native.nextEvents(this.#handle);
    } finally {
      if (this.#holds) native.hold(false);
    }
  }

  async return() {
    this.#batch = [];
    native.unsubscribe(this.#handle);
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

module.exports = { Events };
