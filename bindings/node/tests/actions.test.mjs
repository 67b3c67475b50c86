import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Runtime, Session, agent } from "convene";
import { inFolder, later, until } from "./agents.mjs";

/** Runs a session of one agent: its result, and the events of its actions. */
async function runOne(run, options = {}) {
  const runtime = new Runtime(options.runtime);
  const events = runtime.events({ types: ["action_started", "action_ended", "usage_recorded"] });
  const seen = [];
  const reading = (async () => { for await (const { event_type, payload } of events) seen.push({ event_type, ...payload });
  })();
  const result = await new Session({ participants: [agent("a", run)], task: "work", runtime,
                                     options: options.session }).run();
  await runtime.close();
  await reading;
  return { result, seen };
}

for (const runtime of [undefined, { seed: 7 }]) {
  for (const repeatable of [false, true]) {
    test(`an action is on the log (${JSON.stringify({ repeatable, ...runtime })})`, async () => {
      let output;
      let attempt;
      const { result, seen } = await runOne(async (turn) => {
        output = await turn.act("search", { q: "x", n: 1 }, async (which) => {
          attempt = which;
          return { found: [1, undefined] };
        }, { repeatable, kind: "http", usage: () => ({ prompt_tokens: 3 }) });
      }, { runtime });
      assert.equal(result.turns_failed, 0);
      assert.deepEqual(output, { found: [1, null] });
      assert.equal(attempt.number, 1);
      assert.match(attempt.idempotencyKey, /.:./);
      assert.ok(attempt.timeoutMs > 0);
      const [began, ended, used] = seen;
      assert.deepEqual([began.name, began.kind, began.arguments, began.repeatable ?? false],
                       ["search", "http", { n: 1, q: "x" }, repeatable]);
      assert.deepEqual(ended.result.output, { found: [1, null] });
      assert.equal(ended.position, began.position);
      assert.equal(used.event_type, "usage_recorded");
      assert.equal(result.usage.tokens, 3);
    });
  }
}

test("positions follow from names and arguments, in any order of members", async () => {
  const { result, seen } = await runOne(async (turn) => {
    await Promise.all([turn.act("f", { a: 1, b: 2 }, () => 1), turn.act("f", { b: 2, a: 1 }, () => 2),
                       turn.act("g", { a: 1, b: 2 }, () => 3)]);
    await turn.act("h", undefined, () => 4, { position: "mine" });
  });
  assert.equal(result.turns_failed, 0);
  const [first, second, other, mine] = seen.filter((each) => each.event_type === "action_started")
    .map((each) => each.position);
  assert.match(first, /^[0-9a-f]{16}\.0$/);
  assert.equal(second, first.replace(/0$/, "1"));
  assert.notEqual(other.slice(0, 16), first.slice(0, 16));
  assert.equal(mine, "mine");
});

test("an error of an action reaches its caller unchanged, and the log", async () => {
  const thrown = new RangeError("no idea");
  let caught;
  const { result, seen } = await runOne(async (turn) => {
    caught = await turn.act("f", 1, () => { throw thrown; }).catch((raised) => raised);
    await assert.rejects(turn.act("f", 2, () => 1n), TypeError);
    await assert.rejects(turn.act("f", 3, () => undefined, { kind: "person" }), /asks a person/);
    await assert.rejects(turn.act("", 4, () => undefined), { code: "invalid_document" });
    await assert.rejects(turn.act("f", 5, () => 0, { position: "x".repeat(65) }), { code: "invalid_action" });
    await assert.rejects(turn.act("f", 6), TypeError);
    await turn.act("f", 7, () => 0, { position: "7" });
    await assert.rejects(turn.act("f", 7, () => 0, { position: "7" }), { code: "attempt_out_of_order" });
  });
  assert.deepEqual(result.errors, []);
  assert.equal(caught, thrown);
  assert.deepEqual(seen[1].result, {
    status: "failed", error: { code: "attempt_threw", message: "RangeError: no idea" } });
});

test("an output that the library refuses fails the action with the reason", async () => {
  let caught;
  const { result, seen } = await runOne(async (turn) => {
    caught = await turn.act("f", 1, () => "half a pair: \ud800").catch((raised) => raised);
  });
  assert.equal(result.turns_failed, 0);
  assert.equal(caught.code, "invalid_json");
  const { status, error } = seen[1].result;
  assert.deepEqual([status, error.code], ["failed", "attempt_threw"]);
  assert.ok(error.message.includes(caught.message), error.message);
});

test("the log has an error with its cause, up to 2000 characters", async () => {
  const messageOf = async (thrown) => {
    const { seen } = await runOne((turn) => turn.act("f", 1, () => { throw thrown; }).catch(() => undefined));
    return seen[1].result.error.message;
  };
  const failed = (cause) => new TypeError("fetch failed", { cause });
  const inner = new Error("connect ECONNREFUSED 127.0.0.1:9", { cause: new Error("not this one") });
  assert.equal(await messageOf(failed(inner)), "TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:9");
  assert.equal(await messageOf(failed(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }))),
               "TypeError: fetch failed: ECONNREFUSED");
  for (const cause of [null, 7, { message: Symbol("no text") }, { get message() { throw inner; } }]) {
    assert.equal(await messageOf(failed(cause)), "TypeError: fetch failed");
  }
  assert.equal((await messageOf(failed(new Error("x".repeat(3000))))).length, 2000);
});

test("an output too large for an event is beside the log", () => inFolder(async (folder) => {
  const text = "x".repeat(1 << 18);
  let output;
  const { seen } = await runOne(async (turn) => {
    output = await turn.act("f", { text }, () => ({ text }));
  }, { runtime: { log: join(folder, "log.jsonl") } });
  assert.deepEqual(output, { text });
  assert.equal(typeof seen[0].arguments.blob, "string");
  assert.equal(typeof seen[1].result.output.blob, "string");
}));

test("a budget that is used up begins no action", async () => {
  const { result } = await runOne(async (turn) => {
    await turn.act("f", 1, () => 0, { usage: () => ({ prompt_tokens: 5 }) });
    await assert.rejects(turn.act("f", 2, () => assert.fail("was run")), { code: "budget_exhausted" });
  }, { session: { budget: { tokens: 5 } } });
  assert.equal(result.turns_failed, 0);
  assert.equal(result.stop_reason.condition, "budget_tokens");
});

test("an action ends with its turn", async () => {
  const codes = [];
  const ended = later();
  const { seen } = await runOne(async (turn) => {
    turn.act("f", 1, () => new Promise((resolve) => {
      turn.signal.addEventListener("abort", resolve);
    })).catch((raised) => codes.push(raised.code)).then(ended.resolve);
    await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
    await turn.act("f", 2, () => assert.fail("was run")).catch((raised) => codes.push(raised.code));
  }, { session: { turn_timeout_ms: 1000, retries: 0 } });
  await ended.promise;
  await until(() => codes.length === 2);
  assert.deepEqual(codes, ["turn_over", "turn_over"]);
  assert.equal(seen[1].result.status, "cancelled");
});

test("after a crash recorded actions are not repeated, and others that began are unknown", () =>
  inFolder(async (folder) => {
    const log = join(folder, "log.jsonl");
    const left = join(folder, "left.jsonl");
    const ran = [];
    const once = (seen) => async (turn) => {
      const count = (name) => () => { ran.push(name); return { of: name }; };
      seen.search = await turn.act("search", { q: 1 }, count("search"));
      seen.broken = await turn.act("broken", {}, () => { ran.push("broken"); throw new Error("mine"); })
        .catch((raised) => raised);
      seen.interrupted = await turn.act("interrupted", {}, async () => {
        ran.push("interrupted");
        await until(() => true);
        copyFileSync(log, left); // what a kill would leave
      }).catch((raised) => raised);
      seen.next = await turn.act("search", { q: 1 }, count("next"));
    };
    const [before, after] = [{}, {}];
    const runtime = new Runtime({ log });
    await new Session({ participants: [agent("a", once(before))], task: "work", runtime }).run();
    await runtime.close();
    assert.deepEqual(ran, ["search", "broken", "interrupted", "next"]);

    const again = new Runtime({ log: left, agents: [agent("a", once(after))] });
    assert.equal((await again.recovered[0].result()).turns_failed, 0);
    await again.close();
    assert.deepEqual(ran.slice(4), ["next"]);
    assert.deepEqual(after.search, before.search);
    assert.deepEqual([after.broken.code, after.broken.message, after.broken.details.is_recorded],
                     ["attempt_threw", "Error: mine", true]);
    assert.equal(after.interrupted.code, "outcome_unknown");
  }));
