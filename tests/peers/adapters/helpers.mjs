// What the tests share.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Runtime, Session, agent } from "convene";

/** A session of one participant with this agent function: its result, its reply, and
 * what the log has of its actions. */
export async function runOne(run, { log, recover = false, session } = {}) {
  let reply;
  const one = agent("a", async (turn) => (reply = await run(turn)));
  const runtime = new Runtime({ log, agents: recover ? [one] : [] });
  const events = runtime.events({ types: ["action_started", "action_ended"] });
  const actions = [];
  const reading = (async () => {
    const begun = new Map();
    for await (const { event_type, execution_id, payload } of events) {
      if (event_type === "action_started") begun.set(execution_id, payload);
      else {
        const { name, kind } = begun.get(execution_id) ?? {};
        actions.push({ name, kind, ...payload.result });
      }
    }
  })();
  const running = recover ? runtime.recovered[0] : new Session({
    participants: [one], task: "find it", title: "search", options: session, runtime }).start();
  const result = await running.result();
  await runtime.close();
  await reading;
  return { result, actions, reply };
}

/** A promise and the function that resolves it. */
export function later() {
  const made = {};
  made.promise = new Promise((resolve) => { made.resolve = resolve; });
  return made;
}

export const names = (actions) => actions.map(({ name, kind, status }) => `${kind} ${name} ${status}`);

/** What failed in a session of one turn. */
export const failureOf = ({ result }) => result.errors[0]?.message;

/** Runs a function twice: alone, and again from the log that a kill would have left when
 * `left` was called, as soon as so many actions had ended on it. */
export async function twice(make) {
  const folder = mkdtempSync(join(tmpdir(), "convene-adapters-"));
  const [log, left] = [join(folder, "log.jsonl"), join(folder, "left.jsonl")];
  const leave = async (ended) => {
    for (;;) {
      const bytes = readFileSync(log, "latin1");
      if (bytes.split('"event_type":"action_ended"').length > ended) return copyFileSync(log, left);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  try {
    const first = await runOne(make(leave), { log });
    return [first, await runOne(make(() => {}), { log: left, recover: true })];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
