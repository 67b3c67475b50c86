// What the tests share.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session, agent } from "convene";

export const coder = agent("coder", (turn) => `patch for ${turn.task}`);
export const reviewer = agent("reviewer", async () => ({ content: "approved", end: true }));

export const pair = (more = {}) =>
  new Session({ mode: "pair", participants: [coder, reviewer], task: "500 on /login", ...more });

/** A promise and its functions. */
export function later() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

export async function until(isTrue) {
  while (!await isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "convene-node-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A program of Node that has the package: {exit, signal, stdout, stderr}. */
export function program(text, { options = [], started = () => {} } = {}) {
  const child = spawn(process.execPath, [...options, "--input-type=module", "-e", text],
                      { cwd: new URL(".", import.meta.url) });
  const result = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (part) => {
      result[name] += part;
      if (name === "stdout") started(child, result.stdout);
    });
  }
  return new Promise((resolve) => {
    child.on("close", (exit, signal) => resolve({ ...result, exit, signal }));
  });
}
