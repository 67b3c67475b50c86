"use strict";
const { answering, callModel, callTool, currentTurn, replyOf, usageOf } =
  require("../lib/adapters/common.cjs");

const TURNS_MAX = 16;

/** An object that is like `of` except for some members. */
const variant = (of, members) => Object.create(
  Object.getPrototypeOf(of), { ...Object.getOwnPropertyDescriptors(of),
                               ...Object.getOwnPropertyDescriptors(members) });

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A function tool whose calls are actions while an adapter runs its agent. */
const action = (tool) => (tool.type !== "function" ? tool : variant(tool, {
  invoke(context, input, details) {
    return callTool(tool.name, parsed(input), () => tool.invoke(context, input, details));
  },
}));

const shown = ({ usage, output, responseId }) => ({ usage, output, responseId });

const proxies = new WeakSet();

/** A model whose calls are actions. */
function recorded(agents, model, name) {
  if (proxies.has(model)) return model; // of an agent that was cloned
  const made = new Proxy(model, {
    get(target, member) {
      if (member === "getResponse" && currentTurn()) {
        return ({ signal, tracing, ...asked }) => callModel(
          name, asked, () => target.getResponse({ signal, tracing, ...asked }), {
            shown, restored: (answer) => ({ ...answer, usage: new agents.Usage(answer.usage) }),
            used: ({ usage }) => usageOf(usage.inputTokens, usage.outputTokens),
          });
      }
      const found = target[member];
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
  proxies.add(made);
  return made;
}

const prepared = new WeakSet();

/** Has an agent, and those to whom it hands off, act by the current turn. Outside of
 * one they do what they did. */
function prepare(agents, agent) {
  if (prepared.has(agent)) return;
  prepared.add(agent);
  const { getAllTools } = agent;
  agent.getAllTools = async function (...given) {
    const tools = await getAllTools.apply(this, given);
    return currentTurn() ? tools.map(action) : tools;
  };
  if (typeof agent.model !== "string") agent.model = recorded(agents, agent.model, agent.name);
  for (const each of agent.handoffs) prepare(agents, each.agent ?? each);
}

/** Makes an agent function of an agent of @openai/agents, which is the module `agents`. */
function openaiAgent(agents, agent, { prompt, reply, repeatable, context, maxTurns = TURNS_MAX,
                                      ...config } = {}) {
  prepare(agents, agent);
  const { modelProvider } = new agents.Runner(config).config;
  const runner = new agents.Runner({
    tracingDisabled: true, ...config,
    ...(typeof config.model === "object" && { model: recorded(agents, config.model, "model") }),
    modelProvider: {
      getModel: async (name) => recorded(agents, await modelProvider.getModel(name), name || "default"),
    },
  });
  const run = (turn, input) => runner.run(agent, input, { context, maxTurns, signal: turn.signal });
  return answering({ prompt, reply, repeatable }, run, (result) => {
    if (result.interruptions?.length > 0) {
      throw new Error("the run waits for an approval, which the option \"reply\" has to deal with: " +
                      result.interruptions.map((each) => each.name).join(", "));
    }
    return replyOf("", result.finalOutput);
  });
}

module.exports = { currentTurn, openaiAgent };
