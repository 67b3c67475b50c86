// Calls in random order: node random_calls.mjs SEED STEPS. Errors of the library are expected,
// a crash or a hang is not.
import { ConveneError, Runtime, Session, agent } from "convene";

let state = Number(process.argv[2]) >>> 0;
function below(limit) { // xorshift
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}
const one = (list) => list[below(list.length)];

const replies = [() => "done", () => undefined, () => ({ end: true }), () => { throw new Error("x"); },
                 () => new Promise(() => {}), (turn) => turn.signal.aborted ? "a" : "b", () => 7,
                 (turn) => { turn.write("doc", "x", 0, 1); }, async (turn) => turn.claim("doc", "y"),
                 () => new Promise((resolve) => setTimeout(resolve, 2)),
                 async (turn) => { await turn.act("f", below(2), () => "x", { repeatable: below(2) === 0 }); },
                 async (turn) => {
                   turn.act("f", 1, () => new Promise(() => {})).catch(expected);
                   later(turn.act("g", 1, () => new Promise((resolve) => setTimeout(resolve, below(3)))));
                   if (below(2) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
                 }];
const runtimes = [];
const sessions = [];
const events = [];
const waiting = [];
const later = (promise) => waiting.push(promise.catch(expected));

function expected(failed) {
  if (!(failed instanceof ConveneError)) throw failed;
}

const calls = [
  () => runtimes.push(new Runtime(below(3) === 0 ? { seed: below(9) } : {})),
  ...Array(4).fill(() => sessions.push(new Session({
    mode: one(["round_robin", "pair", "broadcast", "swarm"]), task: "work", runtime: one(runtimes),
    participants: ["a", "b"].map((id) => agent(id, one(replies))),
    options: { turn_timeout_ms: 50, retries: 0 } }).start())),
  () => one(sessions)?.cancel("enough"),
  () => one(sessions)?.suspend(),
  () => one(sessions)?.resume(),
  () => one(sessions)?.status,
  () => later(Promise.resolve(one(sessions)?.message("hurry"))),
  () => later(Promise.resolve(one(sessions)?.result(below(20)))),
  () => events.push(one(runtimes).events()),
  () => later(Promise.resolve(one(events)?.next())),
  () => later(Promise.resolve(one(events)?.return())),
  () => sessions.splice(below(sessions.length + 1), 1),
  () => runtimes.length > 3 && later(one(runtimes).close()),
  () => gc(),
];

runtimes.push(new Runtime());
for (let i = 0; i < Number(process.argv[3]); i += 1) {
  try {
    one(calls)();
  } catch (failed) {
    expected(failed);
  }
  if (below(4) === 0) await new Promise(setImmediate);
}
await Promise.all(runtimes.map((each) => each.close()));
await Promise.all(waiting);
console.log("ended");
