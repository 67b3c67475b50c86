// A pair in JavaScript: this program answers for both participants.
import { Session, agent } from "convene";

const coder = agent("coder", (turn) => "patch for: " + turn.task);
const reviewer = agent("reviewer", async () => ({ content: "approved", end: true }));

const session = new Session({ mode: "pair", participants: [coder, reviewer], task: "500 on /login" });
console.log((await session.run()).status);
