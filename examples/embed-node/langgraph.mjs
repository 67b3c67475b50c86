// A participant made of a graph of LangGraph (npm install @langchain/langgraph @langchain/core
// zod), and its tool. The model is a function that needs no network; a real one is a chat model.
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { Session, agent } from "convene";
import { actions, langgraphAgent } from "convene/adapters/langgraph";
import { z } from "zod";

const usage_metadata = { input_tokens: 20, output_tokens: 5, total_tokens: 25 };
const answers = [
  new AIMessage({ content: "", tool_calls: [{ id: "1", name: "search", args: { text: "login" } }],
                  usage_metadata }),
  new AIMessage({ content: "src/login.c, line 12", usage_metadata }),
];

const search = tool(async () => [{ file: "src/login.c", line: 12 }], {
  name: "search", description: "Finds text in the source code", schema: z.object({ text: z.string() }) });

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async () => ({ messages: [answers.shift()] }))
  .addNode("tools", new ToolNode(actions([search])))
  .addEdge(START, "model").addConditionalEdges("model", toolsCondition).addEdge("tools", "model")
  .compile();

const finder = agent("finder", langgraphAgent(graph, { repeatable: ["search"] }));
const reviewer = agent("reviewer", ({ dialog }) => ({ content: `read: ${dialog.at(-1).content}`, end: true }));

const session = new Session({ mode: "pair", participants: [finder, reviewer], task: "500 on /login" });
const { status, usage } = await session.run();
console.log(status, usage.tokens);
