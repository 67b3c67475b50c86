"use strict";
const { randomUUID } = require("node:crypto");
const { answering, callTool, currentTurn, replyOf, usageOf } =
  require("../lib/adapters/common.cjs");

/** What a generator returns, else the value itself. */
async function outputOf(returned) {
  let output = await returned;
  if (typeof output?.[Symbol.asyncIterator] === "function" && typeof output.next === "function") {
    for (;;) {
      const step = await output.next();
      if (step.done) return step.value;
    }
  }
  return output;
}

/** Only JSON can be had from the log again. */
function plain(output, name) {
  if (output?.lg_name !== undefined || output?.lc_serializable !== undefined) {
    throw new TypeError(`the tool ${name} returned a ${output.constructor.name}: as an action it has ` +
                        "to return JSON");
  }
  return output;
}

/** Tools of LangChain whose calls are actions while an adapter runs their graph. */
const actions = (tools) => tools.map((tool) => Object.create(tool, {
  _call: {
    value: (input, ...more) => (!currentTurn() ? tool._call(input, ...more) : callTool(
      tool.name, input, async () => plain(await outputOf(tool._call(input, ...more)), tool.name))),
  },
}));

function textOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

/** The usage of messages, without that of earlier ones, which are the first of those that
 * have no id. */
function totalUsage(messages, earlier) {
  const known = new Set(earlier.map(({ id }) => id));
  let unnamed = earlier.filter(({ id }) => !id).length;
  let [prompt, completion] = [0, 0];
  for (const { id, usage_metadata: used } of messages) {
    if (id ? known.has(id) : unnamed-- > 0) continue;
    prompt += used?.input_tokens ?? 0;
    completion += used?.output_tokens ?? 0;
  }
  return usageOf(prompt, completion);
}

/** The messages that a thread has; none if the graph keeps no threads. */
async function messagesOf(graph, config) {
  try {
    return (await graph.getState(config)).values?.messages ?? [];
  } catch (raised) {
    if (raised?.lc_error_code === "MISSING_CHECKPOINTER") return [];
    throw raised;
  }
}

/** The reply of a graph whose state has messages, to those that it had before the turn. */
function stateReply(state, earlier) {
  if (state?.__interrupt__?.length > 0) {
    throw new Error("the graph was interrupted, which the option \"reply\" has to deal with");
  }
  const last = state?.messages?.at?.(-1);
  if (!last) {
    throw new TypeError("the graph's state has no messages: give the adapter the options \"input\" " +
                        "and \"reply\"");
  }
  return { ...replyOf(textOf(last.content), state.structuredResponse),
           usage: totalUsage(state.messages, earlier) };
}

/** Makes an agent function of a compiled graph. `input` makes its input of the prompt,
 * `config` is that of `invoke`, or makes it of the turn. */
function langgraphAgent(graph, { prompt, reply, repeatable, config,
                                 input = (asked) => ({ messages: [{ role: "user", content: asked }] }) } = {}) {
  const earlier = new WeakMap(); // messages that are older than a turn, by the turn
  return answering({ prompt, reply, repeatable }, async (turn, asked) => {
    const given = (typeof config === "function" ? await config(turn) : config) ?? {};
    const whole = { ...given, configurable: { thread_id: randomUUID(), ...given.configurable },
                    signal: turn.signal };
    const has = !reply && given.configurable?.thread_id && graph.getState
      ? await messagesOf(graph, whole) : [];
    const from = await input(asked, turn);
    const state = await graph.invoke(from, whole);
    // Only now do the messages of the input have ids.
    earlier.set(turn, has.concat(from?.messages ?? []));
    return state;
  }, (state, turn) => stateReply(state, earlier.get(turn)));
}

module.exports = { actions, currentTurn, langgraphAgent };
