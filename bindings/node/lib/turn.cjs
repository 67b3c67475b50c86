"use strict";
const { carryOut, positionOf } = require("./action.cjs");
const { describe } = require("./describe.cjs");
const { native } = require("./native.cjs");

const LOOK_MS = 20; // how late a signal may be

// Turns whose signal is used: the library has no event for the end of a request.
const watched = new Set();
let timer;

function look() {
  for (const turn of watched) if (turn.isOver) turn._abort();
  if (watched.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
}

/** A session has ended, and so have its turns. */
function endTurns(sessionId) {
  for (const turn of watched) if (turn.sessionId === sessionId) turn._abort();
}

const failed = (code, raised) =>
  JSON.stringify({ status: "failed", error: { code, message: describe(raised) } });

/** The JSON of what an agent returned. */
function encoded(answer) {
  if (answer === undefined || answer === null) return "{}";
  if (typeof answer === "string") return JSON.stringify({ content: answer });
  const json = typeof answer === "object" ? JSON.stringify(answer) : undefined;
  if (json === undefined) {
    throw new TypeError(`a reply is an object, a string or undefined, not a ${typeof answer}`);
  }
  return json;
}

/** A request to a participant. `request` is all of it, as programs get it. */
class Turn {
  #runtime;
  #handle;
  #abort;
  #actions = new Map();

  constructor(runtime, handle, request) {
    this.#runtime = runtime;
    this.#handle = handle;
    this.request = request;
  }

  get sessionId() { return this.request.session.session_id; }
  get participantId() { return this.request.participant.participant_id; }
  get wanted() { return this.request.wanted; }
  get task() { return this.request.task; }
  get token() { return this.request.token; }
  get dialog() { return this.request.dialog; }
  get resources() { return this.request.workspace.resources; }

  /** Whether the reply can no longer be used. */
  get isOver() { return this.#abort?.signal.aborted || native.isOver(this.#handle); }

  /** Aborted once the turn is closed before its reply. */
  get signal() {
    if (!this.#abort) {
      this.#abort = new AbortController();
      watched.add(this);
      timer ??= setInterval(look, LOOK_MS).unref();
      if (this.isOver) this._abort();
    }
    return this.#abort.signal;
  }

  /** Writes before the reply. False: the turn is over. */
  write(resourceType, resourceId, baseVersion, value, op = "put") {
    return native.write(this.#handle, JSON.stringify({
      resource_type: resourceType, resource_id: resourceId, base_version: baseVersion, op, value }));
  }

  /** Claims before the reply. False: the turn is over. */
  claim(resourceType, resourceId) {
    return native.claim(this.#handle, JSON.stringify({
      resource_type: resourceType, resource_id: resourceId }));
  }

  /** Shows a piece of the reply's text before the reply, to `events({ texts: true })`.
   * It is not on the log. False: the turn is over. */
  stream(text) {
    return native.stream(this.#handle, text);
  }

  /** Has `run` do something outside of the session, such as a call of a tool; the
   * log has it when it begins and when it ends. What the log has from before a crash
   * or a suspension is not run again. Returns the output as the log has it. */
  async act(name, args, run, { position, repeatable = false, kind = "function", usage } = {}) {
    if (typeof run !== "function") throw new TypeError("an action is carried out by a function");
    const what = { name, arguments: args, repeatable, kind,
                   position: position ?? positionOf(name, args, this.#actions) };
    return carryOut(this.#runtime, this.#handle, what, run, usage);
  }

  _abort() {
    watched.delete(this);
    this.#abort.abort();
  }

  /** Has `run` answer; a reply that is not valid fails the turn. */
  async _answer(run) {
    let answer;
    try {
      answer = await run(this);
    } catch (raised) {
      return this._fail("agent_raised", raised);
    }
    try {
      this.#end(native.answer(this.#handle, encoded(answer)));
    } catch (refused) {
      this._fail("reply_invalid", refused);
    }
  }

  _fail(code, why) {
    this.#end(native.answer(this.#handle, failed(code, why)));
  }

  #end(isSent) {
    if (watched.delete(this) && !isSent) this.#abort.abort();
    native.freeRequest(this.#handle);
  }
}

module.exports = { Turn, endTurns };
