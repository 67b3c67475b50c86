import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as convene from "convene";

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("convene/package.json"));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

test("require gives what import gives", () => {
  const required = require("convene");
  const { default: all, ...named } = convene;
  assert.equal(all, required);
  assert.deepEqual(named, { ...required });
  assert.equal(convene.version, require("convene/package.json").version);
});

test("the types are those of the package", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath, [here("types/node_modules/typescript/bin/tsc"), "-p", here("types")])
    .catch((failed) => failed);
  assert.equal(stdout, "");
});

test("all that the package has is typed", () => {
  const types = readFileSync(join(folder, "index.d.ts"), "utf8");
  const typed = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(typed.sort(), Object.keys(require("convene")).sort());
});

const native = join(folder, "prebuilds", `${process.platform}-${process.arch}`);

test("the libraries are those of the package", () => {
  const loaded = readFileSync("/proc/self/maps", "utf8");
  const libraries = readdirSync(native).filter((name) => name.includes(".so"));
  assert.ok(libraries.includes("libconvene.so.0") && libraries.length > 1);
  for (const name of libraries) assert.ok(loaded.includes(join(native, name)), name);
});

test("the libraries use nothing that Node has in its own file but Node-API", async () => {
  const { stderr } = await promisify(execFile)(
    process.execPath, ["-e", "require('convene')"],
    { cwd: folder, maxBuffer: 1e9, env: { ...process.env, LD_DEBUG: "bindings" } });
  const ours = (file) => file.startsWith(native);
  const bound = [...stderr.matchAll(/binding file (\S+) \[0\] to (\S+) \[0\]: normal symbol `(\w+)'/g)]
    .filter(([, from, to]) => ours(from) && !ours(to) && !to.includes(".so"));
  const symbols = bound.map(([, , , symbol]) => symbol);
  assert.ok(symbols.includes("napi_create_promise"));
  assert.deepEqual(symbols.filter((symbol) => !symbol.startsWith("napi_")), []);
});
