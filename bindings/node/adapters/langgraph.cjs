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

function totalUsage(messages) {
  let [prompt, completion] = [0, 0];
  for (const { usage_metadata: used } of messages) {
    prompt += used?.input_tokens ?? 0;
    completion += used?.output_tokens ?? 0;
  }
  return usageOf(prompt, completion);
}

/** The reply of a graph whose state has messages. */
function stateReply(state) {
  if (state?.__interrupt__?.length > 0) {
    throw new Error("the graph was interrupted, which the option \"reply\" has to deal with");
  }
  const last = state?.messages?.at?.(-1);
  if (!last) {
    throw new TypeError("the graph's state has no messages: give the adapter the options \"input\" " +
                        "and \"reply\"");
  }
  return { ...replyOf(textOf(last.content), state.structuredResponse),
           usage: totalUsage(state.messages) };
}

/** Makes an agent function of a compiled graph. `input` makes its input of the prompt,
 * `config` is that of `invoke`, or makes it of the turn. */
function langgraphAgent(graph, { prompt, reply, repeatable, config,
                                 input = (asked) => ({ messages: [{ role: "user", content: asked }] }) } = {}) {
  return answering({ prompt, reply, repeatable }, async (turn, asked) => {
    const given = (typeof config === "function" ? await config(turn) : config) ?? {};
    return graph.invoke(await input(asked, turn), {
      ...given, configurable: { thread_id: randomUUID(), ...given.configurable }, signal: turn.signal,
    });
  }, stateReply);
}

module.exports = { actions, currentTurn, langgraphAgent };
