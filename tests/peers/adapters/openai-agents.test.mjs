import assert from "node:assert/strict";
import { test } from "node:test";
import * as agents from "@openai/agents";
import { openaiAgent } from "convene/adapters/openai-agents";
import { z } from "zod";
import { failureOf, later, names, runOne, twice } from "./helpers.mjs";

const says = (text) => ({ output: [{ type: "message", role: "assistant", status: "completed",
                                     content: [{ type: "output_text", text }] }] });
const calls = (name, args) => ({ output: [{ type: "function_call", callId: `call-${name}`, name,
                                            arguments: JSON.stringify(args), status: "completed" }] });

/** A model that needs no network; `answer` gets the request and its number. */
function mock(answer) {
  let asked = 0;
  return {
    requests: [],
    async getResponse(request) {
      this.requests.push(request);
      const usage = new agents.Usage({ inputTokens: 10, outputTokens: 2 });
      return { usage, ...await answer(request, asked++) };
    },
    getStreamedResponse() { throw new Error("not streamed"); },
  };
}
const inOrder = (...answers) => mock((_, asked) => answers[asked]);

const search = (execute, more = {}) => agents.tool({
  name: "search", description: "Finds", parameters: z.object({ q: z.string() }), execute, ...more });
const make = (model, tools, more = {}) =>
  new agents.Agent({ name: "finder", instructions: "You find.", model, tools, ...more });

test("calls of the model and of tools are actions, with what they used", async () => {
  const model = inOrder(calls("search", { q: "x" }), says("found 7"));
  const { result, actions, reply } = await runOne(
    openaiAgent(agents, make(model, [search(async ({ q }) => ({ of: q, n: 7 }))])));
  assert.deepEqual(names(actions), ["model finder completed", "function search completed",
                                    "model finder completed"]);
  assert.deepEqual(actions[1].output, { of: "x", n: 7 });
  assert.equal(reply.content, "found 7");
  assert.equal(result.usage.tokens, 24);
  const [first, second] = model.requests;
  assert.equal(first.systemInstructions, "You find.");
  assert.match(JSON.stringify(first.input), /You are a \(role-a\)/);
  assert.match(JSON.stringify(second.input.at(-1)), /n\\*":7/);
});

test("models of a provider, and calls of an agent after a handoff, are actions", async () => {
  const models = { one: inOrder(calls("transfer_to_second", {})),
                   two: inOrder(calls("search", { q: "x" }), says("found")) };
  const second = make("two", [search(() => 7)], { name: "second" });
  const first = make("one", [], { handoffs: [second] });
  const { actions, reply } = await runOne(openaiAgent(agents, first, {
    modelProvider: { getModel: async (name) => models[name] } }));
  assert.deepEqual(names(actions), ["model one completed", "model two completed",
                                    "function search completed", "model two completed"]);
  assert.equal(reply.content, "found");
});

test("a call of a clone's model is one action", async () => {
  const one = make(inOrder(says("found")), []);
  openaiAgent(agents, one);
  const { actions, result } = await runOne(openaiAgent(agents, one.clone({ name: "clone" })));
  assert.deepEqual(names(actions), ["model finder completed"]);
  assert.equal(result.usage.tokens, 12);
});

test("an error of a tool fails the turn, or is a text for the model", async () => {
  const broken = () => { throw new Error("no index"); };
  const model = () => inOrder(calls("search", { q: "x" }), says("sorry"));
  const told = await runOne(openaiAgent(agents, make(model(), [search(broken)])));
  assert.equal(told.result.turns_failed, 0);
  assert.match(told.actions[1].output, /no index/);
  const failed = await runOne(openaiAgent(agents, make(model(), [search(broken, { errorFunction: null })])));
  assert.deepEqual([failed.actions[1].status, failed.actions[1].error.message],
                   ["failed", "Error: no index"]);
  assert.match(failureOf(failed), /no index/);
});

test("structured output is the reply's result", async () => {
  const { reply } = await runOne(openaiAgent(agents, make(inOrder(says('{"good":true}')), [], {
    outputType: z.object({ good: z.boolean() }) })));
  assert.deepEqual(reply.result, { good: true });
});

test("a turn that is over aborts the run", async () => {
  const aborted = later();
  const model = mock(({ signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      aborted.resolve();
      reject(signal.reason);
    });
  }));
  const { result } = await runOne(openaiAgent(agents, make(model, [])),
                                  { session: { turn_timeout_ms: 2000, retries: 0 } });
  assert.equal(result.turns_timed_out, 1);
  await aborted.promise;
});

test("errors and open approvals fail the turn with their message", async () => {
  const fails = mock(() => { throw new Error("no key"); });
  assert.match(failureOf(await runOne(openaiAgent(agents, make(fails, [])))), /no key/);
  const loops = mock((_, asked) => calls("search", { q: `${asked}` }));
  assert.match(failureOf(await runOne(openaiAgent(agents, make(loops, [search(() => 1)]), { maxTurns: 2 }))),
               /Max turns \(2\) exceeded/);
  const asks = make(inOrder(calls("search", { q: "x" })), [search(() => 1, { needsApproval: true })]);
  assert.match(failureOf(await runOne(openaiAgent(agents, asks))), /approval.*search/);
});

test("an agent runs outside of a turn as before", async () => {
  const ran = [];
  const one = make(inOrder(calls("search", { q: "x" }), says("found")), [search(() => ran.push("x"))]);
  openaiAgent(agents, one);
  const result = await new agents.Runner({ tracingDisabled: true }).run(one, "find");
  assert.deepEqual([result.finalOutput, ran], ["found", ["x"]]);
});

test("after a crash neither the model nor the tool is called again", async () => {
  const ran = [];
  const [first, again] = await twice((left) => openaiAgent(agents, make(mock(async ({ input }) => {
    const isFirst = !JSON.stringify(input).includes("function_call_result");
    ran.push(isFirst ? "asked" : "asked with the output");
    if (isFirst) return calls("search", { q: "x" });
    await left(2);
    return says("found");
  }), [search(() => { ran.push("searched"); return { n: 7 }; })])));
  assert.deepEqual(ran, ["asked", "searched", "asked with the output", "asked with the output"]);
  assert.equal(again.reply.content, first.reply.content);
  assert.equal(again.result.turns_failed, 0);
  assert.equal(again.result.usage.tokens, first.result.usage.tokens);
});
