import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, agent } from "convene";
import { later, until } from "./agents.mjs";

async function failureOf(run) {
  const result = await new Session({ participants: [agent("a", run)], task: "work" }).run();
  assert.equal(result.turns_failed, 1);
  return result.errors[0].message;
}

test("an exception fails the turn with its text", async () => {
  assert.equal(await failureOf(() => { throw new RangeError("no idea"); }), "RangeError: no idea");
  assert.equal(await failureOf(async () => { throw new Error("no idea"); }), "Error: no idea");
});

test("anything that is thrown fails the turn and does no other harm", async () => {
  assert.equal(await failureOf(() => { throw "no idea"; }), "thrown: no idea");
  assert.equal(await failureOf(() => { throw undefined; }), "thrown: undefined");
  assert.equal(await failureOf(() => { throw Object.create(null); }),
               "thrown: a value that has no text");
  assert.match(await failureOf(() => { throw new Error("\ud800\0" + "x".repeat(1e6)); }),
               /^Error: \ufffd/);
});

test("a reply that is not valid fails the turn with the reason", async () => {
  const circle = {};
  circle.result = circle;
  for (const [reply, why] of [[{ contents: 1 }, /contents/], [7, /number/], [() => {}, /function/],
                              [[], /array|object/], [circle, /circular/], [{ content: 1n }, /BigInt/],
                              [{ toJSON() { throw new Error("mine"); } }, /mine/]]) {
    assert.match(await failureOf(() => reply), why);
  }
});

test("a turn writes and claims, and the next one sees it", async () => {
  let seen;
  let wrote;
  const writes = agent("a", (turn) => {
    assert.equal(turn.claim("doc", "x"), true);
    wrote = turn.write("doc", "x", 0, { n: 7 });
    assert.throws(() => turn.write("doc", "x", "first", {}), { code: "invalid_document" });
  });
  const reads = agent("b", (turn) => { seen = turn.resources; });
  const result = await new Session({ participants: [writes, reads], task: "work" }).run();
  assert.equal(result.turns_failed, 0);
  assert.equal(wrote, true);
  assert.deepEqual(seen.map((each) => each.value), [{ n: 7 }]);
});

test("a turn has what its participant is asked", async () => {
  let turn;
  const result = await new Session({
    participants: [agent("a", (asked) => { turn = asked; return "done"; })], task: "work" }).run();
  assert.equal(turn.sessionId, result.session_id);
  assert.equal(turn.participantId, "a");
  assert.equal(turn.wanted, "turn");
  assert.equal(turn.task, "work");
  assert.equal(turn.token, turn.request.token);
  assert.deepEqual(turn.resources, []);
  assert.equal(turn.signal.aborted, true); // first asked for after the end
  assert.equal(turn.isOver, true);
  assert.equal(turn.write("doc", "x", 0, 1), false);
});

test("an answer that never comes is a timeout, which aborts the turn's signal", async () => {
  const aborted = later();
  const never = agent("a", (turn) => {
    turn.signal.addEventListener("abort", () => aborted.resolve(turn.isOver));
    return new Promise(() => {});
  });
  const result = await new Session({ participants: [never], task: "work",
                                     options: { turn_timeout_ms: 50, retries: 0 } }).run();
  assert.equal(result.turns_timed_out, 1);
  assert.equal(await aborted.promise, true);
});

test("an answer in time aborts no signal, one that is late goes nowhere", async () => {
  const signals = [];
  const go = later();
  const quick = agent("a", (turn) => { signals.push(turn.signal); });
  const slow = agent("b", (turn) => { signals.push(turn.signal); return go.promise; });
  const result = await new Session({ participants: [quick, slow], task: "work",
                                     options: { turn_timeout_ms: 200, retries: 0 } }).run();
  go.resolve("too late");
  await until(() => signals[1].aborted);
  assert.equal(result.turns_timed_out, 1);
  assert.equal(signals[0].aborted, false);
});

test("a signal is aborted while the session continues", async () => {
  const aborted = later();
  const late = agent("a", (turn) => {
    turn.signal.addEventListener("abort", aborted.resolve);
    return new Promise(() => {});
  });
  const next = agent("b", async () => {
    await aborted.promise;
    return "done";
  });
  const result = await new Session({ participants: [late, next], task: "work",
                                     options: { turn_timeout_ms: 500, retries: 0 } }).run();
  assert.equal(result.turns_timed_out, 1);
});
