// A worker that leaves two sessions running.
import { parentPort } from "node:worker_threads";
import { Runtime, Session, agent } from "convene";
import { pair } from "./agents.mjs";

const { status } = await pair().run();
const say = agent("a", () => {
  parentPort.postMessage(status);
  return new Promise(() => {});
});
const waits = agent("a", () => new Promise(() => {}));
new Session({ participants: [waits], task: "work", runtime: new Runtime({ seed: 7 }) }).start();
new Session({ participants: [say], task: "work" }).start();
