// usage: node turns.mjs PACKAGE SESSIONS ROUNDS; prints microseconds per turn.
import { createRequire } from "node:module";

const [, , folder, sessions, rounds] = process.argv;
const { Runtime, Session, agent } = createRequire(import.meta.url)(folder);
const participants = ["a", "b"].map((id) => agent(id, () => "looks good"));
const runtime = new Runtime();

async function secondsOf(count) {
  const begun = performance.now();
  await Promise.all(Array.from({ length: Number(sessions) }, () => new Session({
    participants, task: "review the change", runtime,
    options: { rounds: count, max_turns: 1e9 } }).run()));
  return (performance.now() - begun) / 1e3;
}

await secondsOf(Math.floor(rounds / 10) + 1);
console.log((await secondsOf(Number(rounds)) * 1e6 / sessions / rounds / 2).toFixed(2));
await runtime.close();
