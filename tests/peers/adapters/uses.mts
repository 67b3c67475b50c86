// Compiles only if the adapters' types fit those of the frameworks. Never run.
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import * as agents from "@openai/agents";
import * as ai from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Agent, Session, agent } from "convene";
import { aiSdkAgent, currentTurn } from "convene/adapters/ai-sdk";
import { actions, langgraphAgent } from "convene/adapters/langgraph";
import { openaiAgent } from "convene/adapters/openai-agents";
import { z } from "zod";

const schema = z.object({ q: z.string() });
const search = ai.tool({ description: "Finds", inputSchema: schema, execute: async ({ q }) => q });
const one: Agent = agent("one", aiSdkAgent(ai, {
  model: new MockLanguageModelV3({}), tools: { search }, system: "You find.", repeatable: ["search"],
  stopWhen: ai.stepCountIs(3), output: ai.Output.object({ schema }),
  reply: (result) => ({ content: result.text }) }));

const find = agents.tool({ name: "find", description: "Finds", parameters: schema, execute: async () => 1 });
const finder = new agents.Agent({ name: "finder", tools: [find] });
const two: Agent = agent("two", openaiAgent(agents, finder, { maxTurns: 3, prompt: (turn) => turn.task }));

const look = tool(async () => "x", { name: "look", description: "Looks", schema });
const graph = new StateGraph(MessagesAnnotation)
  .addNode("tools", new ToolNode(actions([look]))).addEdge(START, "tools").compile();
const three: Agent = agent("three", langgraphAgent(graph, {
  config: (turn) => ({ configurable: { thread_id: turn.token } }),
  input: (asked) => ({ messages: [asked] }) }));

void new Session({ participants: [one, two, three], task: currentTurn()?.task ?? "" }).run();

// @ts-expect-error: a model is needed
aiSdkAgent(ai, {});
// @ts-expect-error: no graph
langgraphAgent({});
