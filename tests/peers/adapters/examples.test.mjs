import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { promisify } from "node:util";

const adapters = ["ai-sdk", "langgraph", "openai-agents"];

for (const name of adapters) {
  test(`the example ${name} runs`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [`examples/${name}.mjs`]);
    assert.equal(stdout, "completed 50\n");
  });
}

test("the versions are the lowest of the ranges of the package", () => {
  const require = createRequire(import.meta.url);
  const { peerDependencies } = require("convene/package.json");
  for (const [name, range] of Object.entries(peerDependencies)) {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
    assert.equal(range, `^${version}`);
  }
});

test("adapters are for require, too", () => {
  const require = createRequire(import.meta.url);
  for (const name of adapters) assert.equal(typeof require(`convene/adapters/${name}`).currentTurn, "function");
});
