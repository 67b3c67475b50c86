import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConveneError, Runtime, Session, agent } from "convene";
import { coder, inFolder, later, pair, reviewer, until } from "./agents.mjs";

test("functions and async functions answer", async () => {
  const result = await pair().run();
  assert.equal(result.status, "completed");
  assert.equal(result.stop_reason.condition, "navigator_end");
  assert.equal(result.turns_total, 2);
});

for (const mode of ["broadcast", "pair", "round_robin", "swarm"]) {
  test(`the mode ${mode} runs`, async () => {
    const session = new Session({ mode, participants: [coder, reviewer], task: "work" });
    assert.equal((await session.run()).status, "completed");
  });
}

test("the mode orchestrated runs by the decisions of its orchestrator", async () => {
  const lead = agent("lead", (turn) => {
    if (turn.wanted !== "decision") return undefined;
    return { decision: [turn.request.sequence === 0
      ? { dispatch: { participant: "coder" } } : { complete: {} }] };
  });
  const result = await new Session({ mode: "orchestrated", participants: [lead, coder], task: "work",
                                     options: { orchestrator: "lead" } }).run();
  assert.equal(result.status, "completed");
});

test("200 sessions run at once", async () => {
  const results = await Promise.all(Array.from({ length: 200 }, () => pair().run()));
  assert.deepEqual(new Set(results.map((each) => each.status)), new Set(["completed"]));
  assert.equal(new Set(results.map((each) => each.session_id)).size, 200);
});

test("errors have codes, rules and places", () => {
  for (const [session, rule] of [
    [new Session({ mode: "circle", participants: [coder], task: "x" }), "enum"],
    [new Session({ participants: [{ participant_id: "a", role_id: "r" }], task: "x" }),
     "participant_unbound"],
    [new Session({ task: "nobody" }), "minItems"]]) {
    assert.throws(() => session.start(), (raised) =>
      raised instanceof ConveneError && raised.rule === rule && raised.code !== undefined);
  }
  assert.throws(() => new Runtime({ thread: 1 }),
                (raised) => raised.details.pointer === "/thread" && raised.message.startsWith("/thread"));
});

test("options that are not known are refused", () => {
  assert.throws(() => new Session({ participant: [coder] }), /unknown option "participant"/);
  assert.throws(() => new Session({ scenario: {}, task: "x" }), /unknown option "task"/);
  for (const each of ["a", () => "done", null])
    assert.throws(() => new Session({ participants: [each], task: "x" }), /made by agent\(\), or an object; not a /);
  assert.throws(() => new Session({ scenario: {}, participants: [{ participant_id: "a" }] }), /made by agent\(\); not a /);
  assert.throws(() => agent("a"), TypeError);
  assert.throws(() => new Runtime({ agents: [() => "x"] }), TypeError);
  assert.throws(() => new Session({ participants: [coder, coder], task: "x" }).start(),
                /two agents "coder"/);
});

test("a session is suspended, resumed, spoken to and cancelled", async () => {
  const go = later();
  let asked = 0;
  const waits = agent("a", () => {
    asked += 1;
    return go.promise;
  });
  const running = new Session({ participants: [waits], task: "work" }).start();
  await until(() => asked === 1);
  assert.equal(running.status.status, "active");
  await assert.rejects(running.result(1), { code: "timeout" });
  await running.message("hurry");
  await assert.rejects(running.message("hurry", "nobody"), ConveneError);
  await assert.rejects(running.message("a\0b"), /U\+0000/);
  running.suspend("lunch");
  await until(() => running.status.status === "suspended");
  running.resume();
  await until(() => asked === 2);
  running.cancel("enough");
  assert.equal((await running.result()).stop_reason.observed, "enough");
  go.resolve();
});

test("a scenario comes from a file", () => inFolder(async (folder) => {
  const path = join(folder, "scenario.json");
  const echo = { participant_id: "a", role_id: "r", behaviour: { type: "echo" } };
  writeFileSync(path, JSON.stringify(
    new Session({ participants: [echo], task: "work" }).scenario));
  assert.equal((await new Session({ scenario: path }).run()).turns_total, 1);
}));

test("under a seed time is virtual, and results repeat", async () => {
  const slow = { participant_id: "s", role_id: "r",
                 behaviour: { type: "simulated", latency_ms: 20_000 } };
  const once = async () => {
    const runtime = new Runtime({ seed: 7 });
    const make = () => new Session({ participants: [coder, slow], task: "work", runtime });
    const results = await Promise.all([make().run(), make().run()]);
    await runtime.close();
    return results;
  };
  const first = await once();
  assert.deepEqual(first.map((each) => each.duration_ms), [20_000, 20_000]);
  assert.notEqual(first[0].session_id, first[1].session_id);
  assert.deepEqual(await once(), first);
});
