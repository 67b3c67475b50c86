import assert from "node:assert/strict";
import { test } from "node:test";
import { ConveneError, Runtime, Session, agent } from "convene";
import { pair } from "./agents.mjs";

const types = ["MAPSessionStarted", "MAPSessionCompleted"];

test("events come while a session runs, and end with the runtime", async () => {
  const runtime = new Runtime();
  const events = runtime.events({ types });
  const running = pair({ runtime }).start();
  const seen = [];
  const read = (async () => {
    for await (const event of events) seen.push([event.event_type, event.session_id]);
  })();
  await running.result();
  await runtime.close();
  await read;
  assert.deepEqual(await runtime.events().next(), { value: undefined, done: true });
  assert.deepEqual(seen, types.map((type) => [type, running.sessionId]));
});

test("calls of next at the same time get one event each, in order", async () => {
  const runtime = new Runtime();
  const events = runtime.events({ types });
  await pair({ runtime }).run();
  const both = await Promise.all([events.next(), events.next()]);
  assert.deepEqual(both.map((each) => each.value.event_type), types);
  await runtime.close();
});

test("a break ends the subscription, and a next that waits", async () => {
  const runtime = new Runtime();
  const events = runtime.events();
  pair({ runtime }).start();
  for await (const event of events) {
    assert.equal(typeof event.event_type, "string");
    break;
  }
  assert.deepEqual(await events.next(), { value: undefined, done: true });
  const quiet = runtime.events({ types: ["MAPSessionStarted"] });
  const waits = quiet.next();
  await quiet.return();
  assert.equal((await waits).done, true);
  await runtime.close();
});

test("a filter that is not valid is refused", async () => {
  const runtime = new Runtime();
  assert.throws(() => runtime.events({ type: "x" }), ConveneError);
  await runtime.close();
});

test("text is streamed before the reply", async () => {
  const runtime = new Runtime();
  const events = runtime.events({ types: ["none"], texts: true });
  const said = [];
  const streams = agent("streams", async (turn) => {
    said.push(turn.stream("half "), turn.stream("done"));
    assert.throws(() => turn.stream(7), { code: "usage" });
    return "half done";
  });
  await new Session({ participants: [streams], task: "work", runtime }).run();
  const found = [(await events.next()).value, (await events.next()).value];
  assert.deepEqual(found.map((each) => each.text.content), ["half ", "done"]);
  assert.equal(found[0].text.participant_id, "streams");
  assert.deepEqual(said, [true, true]);
  await runtime.close();
});
