import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { aiSdkAgent } from "convene/adapters/ai-sdk";
import { z } from "zod";
import { failureOf, later, names, runOne, twice } from "./helpers.mjs";

const usage = { inputTokens: { total: 10 }, outputTokens: { total: 2 } };
const says = (text) => ({
  content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] });
const calls = (input, toolName = "search") => ({
  content: [{ type: "tool-call", toolCallId: `call-${JSON.stringify(input)}`, toolName,
              input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls" }, usage, warnings: [] });
const mock = (...answers) => new MockLanguageModelV3({ doGenerate: answers });
const search = (execute) => ({
  search: ai.tool({ description: "Finds", inputSchema: z.object({ q: z.string() }), execute }) });
const lastTool = (model) => model.doGenerateCalls.at(-1).prompt.at(-1).content[0].output;

test("calls of the model and of tools are actions, with what they used", async () => {
  const model = mock(calls({ q: "x" }), says("found 7"));
  const { result, actions, reply } = await runOne(aiSdkAgent(ai, {
    model, system: "You find.", tools: search(async ({ q }) => ({ of: q, n: 7 })) }));
  assert.deepEqual(names(actions), ["model mock-model-id completed", "function search completed",
                                    "model mock-model-id completed"]);
  assert.deepEqual(actions[1].output, { of: "x", n: 7 });
  assert.deepEqual(actions[0].usage, { prompt_tokens: 10, completion_tokens: 2, cost_microusd: 0 });
  assert.equal(reply.content, "found 7");
  assert.equal(result.usage.tokens, 24);
  const [system, asked] = model.doGenerateCalls[0].prompt;
  assert.equal(system.content, "You find.");
  assert.match(asked.content[0].text, /^You are a \(role-a\).*\n\nTask:\n\| find it$/s);
  assert.deepEqual(lastTool(model), { type: "json", value: { of: "x", n: 7 } });
});

test("an error of a tool is on the log, and the model sees it", async () => {
  const model = mock(calls({ q: "x" }), says("sorry"));
  const { result, actions } = await runOne(aiSdkAgent(ai, {
    model, tools: search(() => { throw new Error("no index"); }) }));
  assert.equal(result.turns_failed, 0);
  assert.deepEqual([actions[1].status, actions[1].error.message], ["failed", "Error: no index"]);
  assert.match(JSON.stringify(lastTool(model)), /no index/);
});

test("a tool that yields has its last value as output", async () => {
  const model = mock(calls({ q: "x" }), says("done"));
  const { actions } = await runOne(aiSdkAgent(ai, {
    model, tools: search(async function* () { yield "wait"; yield "done"; }) }));
  assert.equal(actions[1].output, "done");
});

test("structured output is the reply's result", async () => {
  const { result, reply } = await runOne(aiSdkAgent(ai, {
    model: mock(says('{"good":true}')), output: ai.Output.object({ schema: z.object({ good: z.boolean() }) }) }));
  assert.equal(result.turns_failed, 0);
  assert.deepEqual(reply.result, { good: true });
});

test("a turn that is over aborts the model", async () => {
  const aborted = later();
  const model = new MockLanguageModelV3({ doGenerate: ({ abortSignal }) => new Promise((_, reject) => {
    abortSignal.addEventListener("abort", () => {
      aborted.resolve();
      reject(abortSignal.reason);
    });
  }) });
  const { result, actions } = await runOne(aiSdkAgent(ai, { model }),
                                           { session: { turn_timeout_ms: 2000, retries: 0 } });
  assert.equal(result.turns_timed_out, 1);
  assert.equal(actions[0].status, "cancelled");
  await aborted.promise;
});

test("errors fail the turn with the framework's message", async () => {
  const model = new MockLanguageModelV3({ doGenerate: () => { throw new Error(`no key ${"x".repeat(1e5)}`); } });
  const failed = failureOf(await runOne(aiSdkAgent(ai, { model, maxRetries: 0 })));
  assert.match(failed, /^Error: no key x+/);
  assert.ok(failed.length <= 2000);
  assert.match(failureOf(await runOne(aiSdkAgent(ai, {
    model: mock(calls({ q: "1" }), calls({ q: "2" })), stopWhen: ai.stepCountIs(2), tools: search(() => 1) }))),
               /calls of tools, after 2 steps/);
});

test("a budget that is used up ends the turn", async () => {
  const { result } = await runOne(aiSdkAgent(ai, {
    model: mock(calls({ q: "x" }), says("never")), tools: search(() => 1) }),
    { session: { budget: { tokens: 5 } } });
  assert.match(result.errors[0].message, /budget is used up/);
});

test("after a crash neither the model nor the tool is called again", async () => {
  const ran = [];
  const told = [];
  const [first, again] = await twice((left) => {
    const model = new MockLanguageModelV3({ doGenerate: async (options) => {
      ran.push(options.prompt.length === 1 ? "asked" : "asked with the output");
      if (options.prompt.length === 1) return calls({ q: "x" });
      await left(2);
      told.push(options.prompt.at(-1).content[0].output);
      return says("found");
    } });
    return aiSdkAgent(ai, { model, tools: search(() => { ran.push("searched"); return { n: 7 }; }) });
  });
  assert.deepEqual(ran, ["asked", "searched", "asked with the output", "asked with the output"]);
  assert.deepEqual(told[1], told[0]);
  assert.equal(again.reply.content, first.reply.content);
  assert.equal(again.result.turns_failed, 0);
  assert.deepEqual(names(again.actions).at(-1), "model mock-model-id completed");
});

test("votes and decisions need a reply of one's own", async () => {
  const run = aiSdkAgent(ai, { model: mock(says("x")) });
  await assert.rejects(run({ wanted: "vote" }), /a vote is wanted.*"reply"/);
});
