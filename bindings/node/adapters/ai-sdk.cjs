"use strict";
const { answering, callModel, callTool, currentTurn, replyOf, usageOf } =
  require("../lib/adapters/common.cjs");

const STEPS_MAX = 16;

/** What the log has of an answer: all but what belongs to the HTTP exchange. */
const shown = ({ content, finishReason, usage, warnings, providerMetadata }) => ({
  content: content.map((part) => (part.data instanceof Uint8Array
    ? { ...part, data: Buffer.from(part.data).toString("base64") } : part)),
  finishReason, usage, warnings, providerMetadata,
});

const recording = {
  specificationVersion: "v3",
  wrapGenerate({ doGenerate, params: { abortSignal, headers, ...asked }, model }) {
    return callModel(model.modelId, asked, doGenerate, {
      shown, restored: (output) => ({ warnings: [], ...output }),
      used: ({ usage }) => usageOf(usage?.inputTokens?.total, usage?.outputTokens?.total),
    });
  },
};

/** A tool may return its output, a promise of it, or an iterable whose last it is. */
async function outputOf(returned) {
  if (typeof returned?.[Symbol.asyncIterator] !== "function") return returned;
  let last;
  for await (const each of returned) last = each;
  return last;
}

const actions = (tools) => Object.fromEntries(
  Object.entries(tools).map(([name, tool]) => [name, !tool.execute ? tool : {
    ...tool,
    execute: (input, options) => callTool(name, input, () => outputOf(tool.execute(input, options))),
  }]));

/** A model by its name is one of the default provider, as for generateText. */
const modelOf = (ai, model) => (typeof model === "string"
  ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? ai.gateway).languageModel(model) : model);

/** Makes an agent function of a model of the AI SDK. `ai` is the module "ai". */
function aiSdkAgent(ai, { model, tools = {}, prompt, reply, repeatable, ...settings }) {
  const wrapped = ai.wrapLanguageModel({ model: modelOf(ai, model), middleware: recording });
  const all = actions(tools);
  const run = (turn, asked) => ai.generateText({
    stopWhen: ai.stepCountIs(STEPS_MAX), ...settings, model: wrapped, tools: all,
    ...(typeof asked === "string" ? { prompt: asked } : { messages: asked }),
    abortSignal: turn.signal,
  });
  return answering({ prompt, reply, repeatable }, run, (result) => {
    if (result.finishReason === "tool-calls") {
      throw new Error(`the model ended with calls of tools, after ${result.steps.length} steps: ` +
                      "raise stopWhen, or give each tool a function execute");
    }
    return replyOf(result.text, settings.output && result.output);
  });
}

module.exports = { aiSdkAgent, currentTurn };
