"use strict";
const { createHash, randomUUID } = require("node:crypto");
const { fileURLToPath } = require("node:url");
const { closed, native } = require("./native.cjs");
const { byId } = require("./agent.cjs");
const { Events } = require("./events.cjs");
const { RunningSession } = require("./running_session.cjs");
const { Turn, endTurns } = require("./turn.cjs");

const LOOK_MS = 200; // how late the end of a session may be noticed that has no last event
const MOMENT_MS = 1000; // how long a session may take to end after its last event

/** Runs sessions. The options are those of convene_open: log, seed, allow and so
 * on. `agents` answer in the sessions that the log has. */
class Runtime {
  #handle;
  #seed;
  #agents;
  #begun = 0;
  #bindings = new Map(); // of sessions that were started here: their agents
  #running = new Map();
  #looks;
  #closing;

  constructor({ agents = [], ...options } = {}) {
    this.#agents = byId(agents);
    this.#seed = options.seed;
    if (options.log instanceof URL) options.log = fileURLToPath(options.log);
    if (agents.length > 0) options.participants = [...this.#agents.keys()];
    this.#handle = native.open(JSON.stringify(options), (batch) => this.#take(batch));
    this.#follow(new Events(this.#handle, { types: ["MAPSessionCompleted"] }, false));
    /** The sessions that the log had, resumed. */
    this.recovered = JSON.parse(native.recovered(this.#handle)).sessions.map((id) =>
      this.#watch(native.recoveredSession(this.#handle, id), id));
  }

  /** Starts a session of a scenario, in which `agents` answer; throws
   * ConveneError if it may not start. */
  start(scenario, agents = []) {
    const here = byId(agents);
    const collab = { ...scenario.collab };
    this.#begun += 1;
    collab.collab_id ??= this.#newId();
    const id = String(collab.collab_id);
    const handle = native.start(this.#handle, JSON.stringify({ ...scenario, collab }),
                                JSON.stringify([...here.keys()]));
    // Requests come later, by the event loop.
    this.#bindings.set(id, here);
    return this.#watch(handle, id);
  }

  /** Events from now on: session_id, types, families, participants. */
  events(filter = {}) {
    return new Events(this.#handle, filter, true);
  }

  /** Cancels the sessions and closes the log. Functions that run are not waited
   * for: their turns are over, as turn.signal says. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    native.hold(true);
    try {
      await native.close(this.#handle);
    } finally {
      await Promise.all([...this.#running.values()].map((each) => this.#await(each, MOMENT_MS)));
      native.stop(this.#handle);
      native.hold(false);
    }
  }

  /** A session's id; with a seed it follows from that and the place. */
  #newId() {
    if (this.#seed === undefined) return randomUUID();
    const hex = createHash("sha256").update(`${this.#seed}/${this.#begun}`).digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-` +
           hex.slice(20, 32);
  }

  #watch(handle, id) {
    const session = new RunningSession(this.#handle, handle, id);
    if (this.#running.size === 0) {
      native.hold(true); // Node does not end while a session runs
      this.#looks ??= setInterval(() => this.#lookAtAll(), LOOK_MS).unref();
    }
    this.#running.set(id, session);
    if (this.#seed !== undefined) this.#await(session, -1); // which runs it
    return session;
  }

  #forget(session) {
    endTurns(session.sessionId);
    if (this.#running.get(session.sessionId) !== session) return;
    this.#running.delete(session.sessionId);
    this.#bindings.delete(session.sessionId);
    if (this.#running.size > 0) return;
    native.hold(false);
    clearInterval(this.#looks);
    this.#looks = undefined;
  }

  /** Learns whether a session has ended, without waiting. */
  #look(session) {
    let result;
    try {
      result = native.look(session._handle);
    } catch (failed) {
      session._reject(failed);
      this.#forget(session);
      return true;
    }
    if (result === undefined) return false;
    session._resolve(JSON.parse(result));
    this.#forget(session);
    return true;
  }

  #lookAtAll() {
    if (this.#seed === undefined) for (const each of [...this.#running.values()]) this.#look(each);
  }

  async #await(session, limitMs) {
    try {
      const found = await native.wait(this.#handle, session._handle, limitMs);
      if (found) session._resolve(JSON.parse(found[0]));
      else if (!this.#closing) return; // later, by an event or a look
      else session._reject(closed());
    } catch (failed) {
      session._reject(failed);
    }
    this.#forget(session);
  }

  /** Learns which sessions have ended from their last events. */
  async #follow(ends) {
    for await (const event of ends) {
      const session = this.#running.get(event.session_id);
      if ("missed" in event) this.#lookAtAll();
      // After its last event a session needs a moment.
      else if (session && this.#seed === undefined && !this.#look(session)) {
        this.#await(session, MOMENT_MS);
      }
    }
  }

  #take(batch) {
    for (let i = 0; i < batch.length; i += 2) {
      const turn = new Turn(this.#handle, batch[i], JSON.parse(batch[i + 1]));
      const here = this.#bindings.get(turn.sessionId) ?? this.#agents;
      const one = here.get(turn.participantId);
      if (one) turn._answer(one.run);
      else turn._fail("participant_unbound", new Error(turn.participantId));
    }
  }
}

module.exports = { Runtime };
