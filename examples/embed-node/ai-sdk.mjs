// A participant made of a model of the AI SDK (npm install ai zod), and its tool. The model
// is a mock that needs no network; a real one is openai("gpt-5.2") of @ai-sdk/openai.
import * as ai from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Session, agent } from "convene";
import { aiSdkAgent } from "convene/adapters/ai-sdk";
import { z } from "zod";

const usage = { inputTokens: { total: 20 }, outputTokens: { total: 5 } };
const call = { type: "tool-call", toolCallId: "1", toolName: "search", input: '{"text":"login"}' };
const model = new MockLanguageModelV3({ doGenerate: [
  { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
  { content: [{ type: "text", text: "src/login.c, line 12" }], finishReason: { unified: "stop" }, usage,
    warnings: [] },
] });

const search = ai.tool({
  description: "Finds text in the source code",
  inputSchema: z.object({ text: z.string() }),
  execute: async () => [{ file: "src/login.c", line: 12 }],
});

const finder = agent("finder", aiSdkAgent(ai, {
  model, system: "You find places in source code.", tools: { search }, repeatable: ["search"] }));
const reviewer = agent("reviewer", ({ dialog }) => ({ content: `read: ${dialog.at(-1).content}`, end: true }));

const session = new Session({ mode: "pair", participants: [finder, reviewer], task: "500 on /login" });
const { status, usage: used } = await session.run();
console.log(status, used.tokens);
