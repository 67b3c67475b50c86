"use strict";
const { AsyncLocalStorage } = require("node:async_hooks");
const { digestOf } = require("../action.cjs");
const { promptOf } = require("./prompt.cjs");

const running = new AsyncLocalStorage();

/** The turn that an adapter runs, where its tools and nodes are called. */
const currentTurn = () => running.getStore()?.turn;

/** Calls a tool in the current turn, as an action. */
function callTool(name, input, call) {
  const { turn, isRepeatable } = running.getStore();
  return turn.act(name, input, call, { repeatable: isRepeatable(name) });
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A reply of a text, or of structured output. */
function replyOf(text, output) {
  if (output === undefined || typeof output === "string") return { content: output ?? text };
  return { content: JSON.stringify(output), ...(isObject(output) && { result: output }) };
}

/** Whether tools of these names may be called twice: names, true or false. */
function repeatableBy(which = false) {
  if (typeof which === "boolean") return () => which;
  const names = new Set(which);
  return (name) => names.has(name);
}

/** An agent function: `run` gets a turn and its prompt, `reply` converts its result to
 * a reply. */
function answering({ prompt = promptOf, reply, repeatable }, run, defaultReply) {
  const isRepeatable = repeatableBy(repeatable);
  return async (turn) => {
    if (!reply && turn.wanted !== "turn" && turn.wanted !== "broadcast") {
      throw new TypeError(`a ${turn.wanted} is wanted: give the adapter the option "reply", which ` +
                          "makes it of the result");
    }
    const result = await running.run({ turn, isRepeatable },
                                     async () => run(turn, await prompt(turn)));
    return (reply ?? defaultReply)(result, turn);
  };
}

const count = (number) => (number > 0 ? Math.trunc(number) : 0);

const usageOf = (prompt, completion) =>
  ({ prompt_tokens: count(prompt), completion_tokens: count(completion) });

/** Calls a model as an action, as participants of type llm do: the log has a digest of
 * the request, and the answer. `shown` converts an answer to JSON, `restored` converts
 * that back, `used` returns its usage. */
async function callModel(name, asked, call, { shown, restored, used }) {
  const turn = currentTurn();
  const args = { sha256: digestOf(asked) };
  let fresh;
  const run = async () => shown(fresh = await call());
  for (;;) {
    try {
      const output = await turn.act(name, args, run,
                                    { kind: "model", repeatable: true, usage: () => used(fresh) });
      return fresh ?? restored(output);
    } catch (raised) {
      // A call that had failed before a crash is made again, as the next action.
      if (!raised?.details?.is_recorded) throw raised;
    }
  }
}

module.exports = { answering, callModel, callTool, currentTurn, replyOf, usageOf };
