// Server-sent events over fetch: EventSource cannot send a key.
import {Failure, request} from './api.js';

/// Parses an event stream, piece by piece, as the HTML standard has it. Calls
/// `onEvent` with {id, type, data} and `onRetry` with milliseconds.
export class StreamParser {
  #decoder = new TextDecoder();
  #line = '';
  #afterReturn = false;
  #data = [];
  #type = '';
  #id = '';

  constructor(onEvent, onRetry = () => {}) {
    this.onEvent = onEvent;
    this.onRetry = onRetry;
  }

  /// `bytes` may end anywhere, also within a character or a line end.
  push(bytes) {
    for (const part of this.#decoder.decode(bytes, {stream: true}).split(/(\r\n|\r|\n)/)) {
      if (part === '\n' && this.#afterReturn && this.#line === '') {
        this.#afterReturn = false; // the other half of a line end
      } else if (part === '\n' || part === '\r' || part === '\r\n') {
        this.#take(this.#line);
        this.#line = '';
        this.#afterReturn = part === '\r';
      } else if (part !== '') {
        this.#line += part;
        this.#afterReturn = false;
      }
    }
  }

  #take(line) {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') {
      this.#data.push(value);
    } else if (field === 'event') {
      this.#type = value;
    } else if (field === 'id' && !value.includes('\0')) {
      this.#id = value;
    } else if (field === 'retry' && /^\d+$/.test(value)) {
      this.onRetry(Number(value));
    }
  }

  #dispatch() {
    if (this.#data.length > 0) {
      this.onEvent({id: this.#id, type: this.#type || 'message', data: this.#data.join('\n')});
    }
    this.#data = [];
    this.#type = '';
  }
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;
const silenceMs = 90_000; // a connection may be dead without a word
const steadyMs = 10_000; // one that lasted that long was no failed attempt

/// How long to wait before the n-th attempt in a row, from 1: doubled each time,
/// and spread, so that not everybody comes back at the same moment.
export function waitBefore(attempt, random = Math.random()) {
  const whole = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt - 1, 10));
  return whole / 2 + whole / 2 * random;
}

/// Waits; wakes up early if the browser is back online, or `wake` is called.
class Pause {
  #end = () => {};

  async wait(ms, signal) {
    const up = () => this.#end();
    await new Promise((end) => {
      this.#end = end;
      setTimeout(end, ms);
      signal.addEventListener('abort', end, {once: true});
      addEventListener('online', up, {once: true});
    });
    removeEventListener('online', up);
  }

  wake() {
    this.#end();
  }
}

/// Follows a stream until `stop`, or until `onEvent` returns false. After a cut
/// it goes on behind the last event that came; an event is passed on once.
/// `onState` is told {connected: true}, or {connected: false, failure} if it
/// could not go on at once; `onEnd` is told a Failure that no new attempt can
/// cure.
export class Follower {
  #abort = new AbortController();
  #pause = new Pause();
  #last = '';
  #attempt = 0;
  #retryMs = 0;
  #done = false;

  constructor(path, {onEvent, onState, onEnd}) {
    this.path = path;
    this.onEvent = onEvent;
    this.onState = onState;
    this.onEnd = onEnd;
  }

  stop() {
    this.#done = true;
    this.#abort.abort();
  }

  /// Tries again at once, if it is waiting to do so.
  tryNow() {
    this.#pause.wake();
  }

  async run() {
    while (!this.#done) {
      const begun = Date.now();
      const {failure, silent} = await this.#follow();
      if (this.#done || silent) {
        continue;
      }
      if (failure !== undefined && !failure.mayPass) {
        this.onEnd(failure);
        return;
      }
      this.#attempt = Date.now() - begun > steadyMs ? 1 : this.#attempt + 1;
      if (failure !== undefined || this.#attempt > 1) {
        this.onState({connected: false, failure});
      }
      const waitMs = Math.max(this.#retryMs, failure?.retryAfterMs ?? 0, waitBefore(this.#attempt));
      await this.#pause.wait(waitMs, this.#abort.signal);
    }
  }

  /// One connection. Returns `failure` if it could not be made, `silent` if it
  /// was given up because nothing came.
  async #follow() {
    const quiet = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, quiet.signal]);
    let timer = setTimeout(() => quiet.abort(), silenceMs);
    try {
      const headers = {Accept: 'text/event-stream'};
      if (this.#last !== '') {
        headers['Last-Event-ID'] = this.#last;
      }
      const answer = await request(this.path, {headers, signal});
      this.onState({connected: true});
      if (answer.status === 204) {
        this.stop(); // nothing more will come
        return {};
      }
      const parser = new StreamParser((event) => this.#take(event),
                                      (ms) => { this.#retryMs = ms; });
      const reader = answer.body.getReader();
      for (let part = await reader.read(); !part.done && !this.#done; part = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), silenceMs);
        parser.push(part.value);
      }
    } catch (error) {
      return {failure: error instanceof Failure ? error : undefined, silent: quiet.signal.aborted};
    } finally {
      clearTimeout(timer);
    }
    return {};
  }

  #take(event) {
    if (this.#done || this.#isOld(event.id)) {
      return;
    }
    this.#attempt = 0;
    if (event.id !== '') {
      this.#last = event.id;
    }
    if (this.onEvent(event) === false) {
      this.stop();
    }
  }

  #isOld(id) {
    return /^\d+$/.test(id) && /^\d+$/.test(this.#last) && Number(id) <= Number(this.#last);
  }
}
