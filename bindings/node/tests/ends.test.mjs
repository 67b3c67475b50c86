import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Runtime, Session, agent } from "convene";
import { inFolder, later, pair, program, reviewer, until } from "./agents.mjs";

const waiting = `
  import { Runtime, Session, agent } from "convene";
  const start = (options, asked = () => {}) => {
    const a = agent("a", (turn) => { asked(turn); return new Promise(() => {}); });
    const b = agent("reviewer", () => "done");
    const runtime = new Runtime(options);
    return { runtime, running: new Session({ participants: [a, b], task: "work", runtime }).start() };
  };`;

test("closing cancels what runs, aborts its signals and ends what waits", async () => {
  const aborted = later();
  const asked = later();
  const waits = agent("a", (turn) => {
    turn.signal.addEventListener("abort", aborted.resolve);
    asked.resolve();
    return new Promise(() => {});
  });
  const runtime = new Runtime();
  const running = new Session({ participants: [waits], task: "work", runtime }).start();
  await asked.promise;
  const closed = runtime.close();
  assert.equal(runtime.close(), closed);
  await closed;
  assert.equal((await running.result()).status, "cancelled");
  await aborted.promise;
  await assert.rejects(running.message("hello"), { rule: "runtime_closing" });
  assert.throws(() => pair({ runtime }).start(), { rule: "runtime_closing" });
});

test("closing at once and in the middle of 100 sessions does not hang", async () => {
  await new Runtime().close();
  for (const seed of [undefined, 7]) {
    const runtime = new Runtime({ seed });
    const running = Array.from({ length: 100 }, () => pair({ runtime }).start());
    await runtime.close();
    for (const each of running) { // known already
      const result = await Promise.race([each.result(), Promise.resolve({ status: "unknown" })]);
      assert.match(result.status, /^(completed|cancelled)$/);
    }
  }
});

test("after kill -9 a log continues with its agents bound again", () => inFolder(async (folder) => {
  const log = join(folder, "log.jsonl");
  const killed = await program(
    `${waiting} console.log(start({ log: ${JSON.stringify(log)} }).running.sessionId);`,
    { started: async (child) => {
      await until(() => readFileSync(log).includes("MAPTurnDispatched"));
      child.kill("SIGKILL");
    } });
  assert.equal(killed.signal, "SIGKILL");
  const again = agent("a", () => "done");
  const runtime = new Runtime({ log, agents: [again, reviewer] });
  assert.deepEqual(runtime.recovered.map((each) => each.sessionId), [killed.stdout.trim()]);
  const result = await runtime.recovered[0].result();
  assert.equal(result.status, "completed");
  assert.equal(result.turns_total, 2);
  await runtime.close();
}));

test("a process ends when its sessions have, without a close", async () => {
  const { exit, stdout, stderr } = await program(`
    import { pair } from "./agents.mjs";
    import { defaultRuntime } from "convene";
    defaultRuntime().events();
    pair().start().result().then((result) => console.log(result.status));`);
  assert.deepEqual([exit, stdout, stderr], [0, "completed\n", ""]);
});

test("a read of events keeps a process alive until it ends", async () => {
  const { exit, stdout } = await program(`
    import { pair } from "./agents.mjs";
    import { Runtime } from "convene";
    const runtime = new Runtime();
    const events = runtime.events({ types: ["MAPSessionCompleted"] });
    pair({ runtime }).start();
    console.log((await events.next()).value.event_type);
    setTimeout(() => runtime.close(), 300).unref();
    console.log((await events.next()).done);`);
  assert.deepEqual([exit, stdout], [0, "MAPSessionCompleted\ntrue\n"]);
});

test("process.exit cancels what runs and leaves a log that is closed", () => inFolder(async (folder) => {
  const log = join(folder, "log.jsonl");
  const { exit, stderr } = await program(
    `${waiting} start({ log: ${JSON.stringify(log)} }, () => process.exit(7));`);
  assert.deepEqual([exit, stderr], [7, ""]);
  const runtime = new Runtime({ log });
  assert.deepEqual(runtime.recovered, []);
  await runtime.close();
}));

test("nothing is opened any more while a process exits", async () => {
  const { exit, stdout } = await program(`
    import { Runtime } from "convene";
    process.on("exit", () => {
      try {
        new Runtime();
      } catch (refused) {
        console.log(refused.code);
      }
    });`);
  assert.deepEqual([exit, stdout], [0, "not_allowed\n"]);
});

test("an exception that is not caught ends the process with its text", async () => {
  const { exit, signal, stderr } = await program(
    `${waiting} start({}, () => setTimeout(() => { throw new Error("mine"); }));`);
  assert.deepEqual([exit, signal], [1, null]);
  assert.match(stderr, /Error: mine/);
});

test("worker threads run sessions, and end at any time", async () => {
  const { exit, stdout, stderr } = await program(`
    import { Worker } from "node:worker_threads";
    import { pair } from "./agents.mjs";
    const workers = Array.from({ length: 4 }, () => new Worker("./worker.mjs", { execArgv: [] }));
    const said = await Promise.all(workers.map((each) => new Promise((resolve, reject) => {
      each.on("message", resolve).on("error", reject);
    })));
    console.log(said.join(" "));
    console.log((await pair().run()).status);
    await Promise.all(workers.slice(1).map((each) => each.terminate()));
    console.log((await pair().run()).status);
    process.exit(0);`);
  assert.deepEqual([exit, stderr, stdout],
                   [0, "", "completed completed completed completed\ncompleted\ncompleted\n"]);
});

const seed = Math.floor(Math.random() * 2 ** 31) + 1;
test(`400 calls in random order crash nothing and hang nowhere (seed ${seed})`, async () => {
  const { exit, signal, stdout, stderr } = await program(
    `process.argv = ["", "", ${seed}, 400]; await import("./random_calls.mjs");`,
    { options: ["--expose-gc"] });
  assert.deepEqual([exit, signal, stdout, stderr], [0, null, "ended\n", ""]);
});

test("handles and their threads go with their objects", async () => {
  const { exit, signal, stdout } = await program(`
    import { readdirSync } from "node:fs";
    import { pair, until } from "./agents.mjs";
    import { Runtime } from "convene";
    const threads = () => readdirSync("/proc/self/task").length;
    const before = threads();
    const runtime = new Runtime();
    for (let i = 0; i < 100; i += 1) {
      await pair({ runtime }).run();
      runtime.events();
      runtime.events().next();
      if (i % 20 === 0) gc();
    }
    await runtime.close();
    await until(() => {
      gc();
      return threads() < before + 20;
    });
    console.log("gone");`, { options: ["--expose-gc"] });
  assert.deepEqual([exit, signal, stdout], [0, null, "gone\n"]);
});
