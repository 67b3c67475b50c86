import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, MemorySaver, MessagesAnnotation, START, StateGraph, interrupt }
  from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { actions as asActions, currentTurn, langgraphAgent } from "convene/adapters/langgraph";
import { z } from "zod";
import { failureOf, later, names, runOne, twice } from "./helpers.mjs";

const usage_metadata = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const says = (content) => new AIMessage({ content, usage_metadata });
const calls = (args, name = "search") =>
  new AIMessage({ content: "", tool_calls: [{ id: "1", name, args }], usage_metadata });
const search = (run) => tool(run, { name: "search", description: "Finds",
                                    schema: z.object({ q: z.string() }) });

/** A graph of a model that answers in this order, and tools. */
function graphOf(answer, tools, { checkpointer } = {}) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async (state, config) => ({ messages: [await answer(state.messages, config)] }))
    .addNode("tools", new ToolNode(asActions(tools)))
    .addEdge(START, "model").addConditionalEdges("model", toolsCondition).addEdge("tools", "model")
    .compile({ checkpointer });
}
const inOrder = (...answers) => () => answers.shift();

test("calls of tools are actions, and the reply has what the models used", async () => {
  let asked;
  const answers = inOrder(calls({ q: "x" }), says("found 7"));
  const graph = graphOf((messages) => { asked ??= messages[0].content; return answers(); },
                        [search(async ({ q }) => ({ of: q, n: 7 }))], { checkpointer: new MemorySaver() });
  const { result, actions, reply } = await runOne(langgraphAgent(graph));
  assert.deepEqual(names(actions), ["function search completed"]);
  assert.deepEqual(actions[0].output, { of: "x", n: 7 });
  assert.equal(reply.content, "found 7");
  assert.equal(result.usage.tokens, 24);
  assert.match(asked, /You are a \(role-a\).*Task:\n\| find it$/s);
});

const listed = Annotation.Root({ messages: Annotation({ reducer: (old, more) => old.concat(more),
                                                        default: () => [] }) });
for (const [kind, state] of [["with ids", MessagesAnnotation], ["without ids", listed]]) {
  const chat = (options) => new StateGraph(state)
    .addNode("model", () => ({ messages: [says("same")] })).addEdge(START, "model").compile(options);

  test(`a turn in a kept thread does not count what earlier turns used (${kind})`, async () => {
    const graph = chat({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "kept" } };
    for (let i = 1; i < 4; ++i) { // each adapter is a new one, as after a restart
      assert.equal((await runOne(langgraphAgent(graph, { config }))).result.usage.tokens, 12);
      assert.equal((await graph.getState(config)).values.messages.length, 2 * i);
    }
  });

  test(`a turn does not count what messages of its input used (${kind})`, async () => {
    const input = (content) => ({ messages: [says("before"), { role: "user", content }] });
    const config = { configurable: { thread_id: "not kept" } };
    const { result } = await runOne(langgraphAgent(chat(), { input, config }));
    assert.equal(result.usage.tokens, 12);
  });
}

test("a thread that cannot be read fails the turn", async () => {
  const graph = graphOf(inOrder(says("x")), [], { checkpointer: new MemorySaver() });
  graph.getState = () => Promise.reject(new Error("no such table"));
  const config = { configurable: { thread_id: "kept" } };
  assert.match(failureOf(await runOne(langgraphAgent(graph, { config }))), /no such table/);
});

test("nodes act by the turn, and a graph may have any state", async () => {
  const graph = new StateGraph(Annotation.Root({ asked: Annotation(), price: Annotation() }))
    .addNode("ask", async ({ asked }) => ({ price: await currentTurn().act("price", { asked }, () => 7) }))
    .addEdge(START, "ask").compile();
  const { actions, reply } = await runOne(langgraphAgent(graph, {
    prompt: (turn) => turn.task, input: (asked) => ({ asked }),
    reply: ({ asked, price }) => ({ content: `${asked}: ${price}`, result: { price } }) }));
  assert.deepEqual(names(actions), ["function price completed"]);
  assert.deepEqual([reply.content, reply.result.price], ["find it: 7", 7]);
});

test("an error of a tool is on the log, and the model sees it", async () => {
  let told;
  const graph = graphOf((messages) => {
    if (messages.length === 1) return calls({ q: "x" });
    told = messages.at(-1).content;
    return says("sorry");
  }, [search(() => { throw new Error("no index"); })]);
  const { result, actions } = await runOne(langgraphAgent(graph));
  assert.equal(result.turns_failed, 0);
  assert.deepEqual([actions[0].status, actions[0].error.message], ["failed", "Error: no index"]);
  assert.match(told, /no index/);
});

test("a tool that returns no JSON fails, and one that yields has what it returns as output", async () => {
  const commands = graphOf(inOrder(calls({ q: "x" }), says("sorry")), [search(() => new Command({ goto: "model" }))]);
  const refused = await runOne(langgraphAgent(commands));
  assert.match(refused.actions[0].error.message, /search returned a Command/);
  const yields = graphOf(inOrder(calls({ q: "x" }), says("done")),
                         [search(async function* () { yield 1; return "last"; })]);
  assert.equal((await runOne(langgraphAgent(yields))).actions[0].output, "last");
});

test("structured output is the reply's result", async () => {
  const graph = { invoke: async () => ({ messages: [says("x")], structuredResponse: { good: true } }) };
  assert.deepEqual((await runOne(langgraphAgent(graph))).reply.result, { good: true });
});

test("a turn that is over aborts the graph", async () => {
  const aborted = later();
  const graph = graphOf((_, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      aborted.resolve();
      reject(new Error("aborted"));
    });
  }), []);
  const { result } = await runOne(langgraphAgent(graph),
                                  { session: { turn_timeout_ms: 2000, retries: 0 } });
  assert.equal(result.turns_timed_out, 1);
  await aborted.promise;
});

test("errors, interrupts and states without messages fail the turn", async () => {
  const throws = graphOf(() => { throw new Error("no key"); }, []);
  assert.match(failureOf(await runOne(langgraphAgent(throws))), /no key/);
  const asks = graphOf(() => interrupt("may I?"), [], { checkpointer: new MemorySaver() });
  assert.match(failureOf(await runOne(langgraphAgent(asks))), /graph was interrupted/);
  assert.match(failureOf(await runOne(langgraphAgent({ invoke: async () => ({}) }))), /no messages/);
});

test("tools do what they did outside of a turn", async () => {
  const [one] = asActions([search(({ q }) => `found ${q}`)]);
  assert.equal(await one.invoke({ q: "x" }), "found x");
});

test("after a crash the tool is not called again", async () => {
  const ran = [];
  const [first, again] = await twice((left) => langgraphAgent(graphOf(async (messages) => {
    if (messages.length === 1) return calls({ q: "x" });
    await left(1);
    return says(`found ${messages.at(-1).content}`);
  }, [search(() => { ran.push("searched"); return { n: 7 }; })])));
  assert.deepEqual(ran, ["searched"]);
  assert.equal(again.reply.content, 'found {"n":7}');
  assert.equal(first.reply.content, again.reply.content);
});
