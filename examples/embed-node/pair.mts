// The pair in TypeScript: this program answers for both participants.
import { type Reply, Session, type Turn, agent } from "convene";

const coder = agent("coder", (turn: Turn): string => "patch for: " + turn.task);
const reviewer = agent("reviewer", async (): Promise<Reply> => ({ content: "approved", end: true }));

const session = new Session({ mode: "pair", participants: [coder, reviewer], task: "500 on /login" });
const result = await session.run();
console.log(result.status);
