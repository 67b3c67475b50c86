// A participant made of an agent of the OpenAI Agents SDK (npm install @openai/agents zod),
// and its tool. The model is a mock that needs no network; `model: "gpt-5.2"` is a real one.
import * as agents from "@openai/agents";
import { Session, agent } from "convene";
import { openaiAgent } from "convene/adapters/openai-agents";
import { z } from "zod";

const answers = [
  { type: "function_call", callId: "1", name: "search", arguments: '{"text":"login"}', status: "completed" },
  { type: "message", role: "assistant", status: "completed",
    content: [{ type: "output_text", text: "src/login.c, line 12" }] },
];
const model = {
  getResponse: async () => ({ output: [answers.shift()],
                              usage: new agents.Usage({ inputTokens: 20, outputTokens: 5 }) }),
};

const search = agents.tool({
  name: "search", description: "Finds text in the source code",
  parameters: z.object({ text: z.string() }),
  execute: async () => [{ file: "src/login.c", line: 12 }],
});

const finder = agent("finder", openaiAgent(agents, new agents.Agent({
  name: "finder", instructions: "You find places in source code.", model, tools: [search] }),
                                           { repeatable: ["search"] }));
const reviewer = agent("reviewer", ({ dialog }) => ({ content: `read: ${dialog.at(-1).content}`, end: true }));

const session = new Session({ mode: "pair", participants: [finder, reviewer], task: "500 on /login" });
const { status, usage } = await session.run();
console.log(status, usage.tokens);
