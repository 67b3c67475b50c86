// Compiles only if the types say what the package has. Never run.
import convene, {
  Agent, ConveneError, Events, Reply, RunningSession, Runtime, Session, Turn, agent, defaultRuntime,
  version,
} from "convene";
import { aiSdkAgent, currentTurn } from "convene/adapters/ai-sdk";
import { actions, langgraphAgent } from "convene/adapters/langgraph";
import { openaiAgent } from "convene/adapters/openai-agents";

const coder: Agent = agent("coder", (turn: Turn): string => `patch for ${turn.task}`);
const reviewer = agent("reviewer", async (turn): Promise<Reply> => {
  const response = await fetch("http://localhost/", { signal: turn.signal });
  const isWritten: boolean = turn.write("doc", "x", 0, { text: await response.text() });
  return { content: turn.wanted, end: isWritten && !turn.isOver };
}, { role: "judge" });
const acting = agent("acting", async (turn) => {
  const found: { n: number } = await turn.act("find", { of: turn.task }, async (attempt) => {
    console.log(attempt.number, attempt.idempotencyKey.length, attempt.timeoutMs);
    return { n: 1 };
  }, { repeatable: true, kind: "http", position: "1", usage: ({ n }) => ({ prompt_tokens: n }) });
  return { result: found, usage: { cost_microusd: 7 } };
});
const silent = agent("silent", () => {});

const runtime: Runtime = new Runtime({ log: new URL("file:///tmp/log"), agents: [coder], seed: 7 });
const running: RunningSession = new Session({
  mode: "pair", participants: [coder, reviewer, acting, silent, { participant_id: "x", role_id: "r" }],
  task: "500 on /login", options: { rounds: 2 }, runtime }).start();
const events: Events = runtime.events({ types: ["MAPSessionCompleted"] });
for await (const event of events) console.log(event.event_type);
try {
  const result = await running.result(1000);
  const turns: number = result.turns_total;
  console.log(result.stop_reason.condition, turns, running.status.status === "active");
} catch (raised) {
  if (raised instanceof ConveneError) console.log(raised.code, raised.rule?.length);
}
await running.message("hurry", "person");
runtime.recovered.map((each) => each.sessionId);
await new Session({ scenario: "scenario.json" }).run();
defaultRuntime().start({ collab: {} }, [coder]).cancel();
await runtime.close();
console.log(version.length, convene.version);

// Without their frameworks, which applications install.
declare const framework: any;
agent("ai", aiSdkAgent(framework, { model: "x", tools: framework, reply: (result) => result.text }));
agent("openai", openaiAgent(framework, framework, { prompt: (turn) => turn.task }));
agent("graph", langgraphAgent(framework, { repeatable: actions([{ name: "x" }]).map(({ name }) => name) }));
currentTurn()?.write("doc", "x", 0, 1);

// @ts-expect-error: an agent has a function
agent("a");
// @ts-expect-error: a reply is no number
agent("a", () => 7);
// @ts-expect-error: no member of a reply
agent("a", () => ({ contents: "x" }));
// @ts-expect-error: no such option
new Runtime({ thread: 1 });
// @ts-expect-error: no such option
new Session({ participant: [] });
// @ts-expect-error: a scenario has its task
new Session({ scenario: {}, task: "x" });
// @ts-expect-error: made by agent()
new Agent("a", () => "x");
