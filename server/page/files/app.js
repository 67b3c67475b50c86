// What each document of the server's page has: the open questions, the
// connection, and what the key allows.
import {Failure, get, hasKey} from './api.js';
import {announce, element} from './dom.js';
import {Questions} from './questions.js';
import {keyOf} from './reply.js';
import {waitBefore} from './stream.js';

/// Asks until the server tells.
async function askCaller() {
  for (let attempt = 1; ; ++attempt) {
    try {
      return await get('/v1/caller');
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      if (!failure.mayPass) {
        return {scopes: []};
      }
    }
    await new Promise((end) => { setTimeout(end, waitBefore(attempt)); });
  }
}

export class App {
  #troubles = new Map(); // by what is not connected: why
  #watchers = new Set();
  #caller; // what the key allows, once that was asked
  #questions;

  /// `trouble` is where it is shown that the connection is lost; `askForKey(why)`
  /// and `retry()` are called when there is reason to, `onTitle(title, count)`
  /// with the view's title and the number of open questions.
  constructor({trouble, askForKey, retry, onTitle}) {
    Object.assign(this, {trouble, askForKey, retry, onTitle, title: ''});
    this.#questions = new Questions(this, () => {
      this.#watchers.forEach((each) => each(this.#questions.now));
      this.titled(this.title);
    });
  }

  run() {
    this.#questions.run();
  }

  /// Calls `watcher` now and whenever the open questions change; returns how to
  /// end that.
  watchQuestions(watcher) {
    this.#watchers.add(watcher);
    watcher(this.#questions.now);
    return () => this.#watchers.delete(watcher);
  }

  questionsChanged() {
    this.#questions.ask();
  }

  answered(question) {
    this.#questions.answered(keyOf(question));
  }

  /// What the key allows: {scopes, session_id, participant_id}.
  caller() {
    this.#caller ??= askCaller();
    return this.#caller;
  }

  /// There is another key.
  forget() {
    this.#caller = undefined;
    this.#questions.forget();
  }

  titled(title) {
    this.title = title;
    this.onTitle(title, this.#questions.now.all.length);
  }

  /// A request has failed for good.
  failed(failure) {
    if (failure.status === 401 && !failure.isOfOldKey) {
      this.askForKey(hasKey() ? 'The server does not know this key.' : 'The server asks for a key.');
    }
  }

  connection(what, {connected, failure}) {
    const had = this.#troubles.size > 0;
    if (connected) {
      this.#troubles.delete(what);
    } else {
      this.#troubles.set(what, failure ?? {message: 'the stream was cut'});
    }
    this.#showTroubles();
    if (had && this.#troubles.size === 0) {
      announce('Connected again.');
    }
  }

  #showTroubles() {
    const [failure] = this.#troubles.values();
    if (failure === undefined) {
      this.trouble.replaceChildren();
      return;
    }
    if (this.trouble.childElementCount > 0) {
      return;
    }
    const since = new Date().toLocaleTimeString([], {hour12: false});
    const again = element('button', {type: 'button'}, 'Try now');
    again.addEventListener('click', () => {
      this.#questions.ask();
      this.retry();
    });
    this.trouble.replaceChildren(element('p', {},
        `The connection is lost: ${failure.message}. Not live since ${since}; trying again …`), again);
  }
}
