"use strict";
const { createHash } = require("node:crypto");
const { describe } = require("./describe.cjs");
const { ConveneError, native } = require("./native.cjs");

const DIGITS = 16;
const THREW = "attempt_threw";

/** The same text for the same JSON, whatever the order of members. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) =>
    `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
}

/** SHA-256 of a value as JSON. */
function digestOf(value) {
  const plain = JSON.parse(JSON.stringify(value) ?? "null");
  return createHash("sha256").update(canonical(plain)).digest("hex");
}

/** The place of an action: it follows from what is done, and from how often that was
 * done before in the turn, as `counts` has it. */
function positionOf(name, args, counts) {
  const digest = digestOf([name, args]).slice(0, DIGITS);
  const before = counts.get(digest) ?? 0;
  counts.set(digest, before + 1);
  return `${digest}.${before}`;
}

const over = () => new ConveneError("turn_over", "the turn was over before the action was");

async function nextStep(runtime, action) {
  const found = await native.nextStep(runtime, action);
  if (!found) throw over();
  return JSON.parse(found[0]);
}

function failedBy(raised) {
  const error = { code: THREW, message: describe(raised) };
  return { result: JSON.stringify({ status: "failed", error }), raised };
}

/** Runs the attempt: how it ended, as the log has it, and what was thrown. */
async function attempted({ number, idempotency_key, timeout_ms, traceparent, tracestate }, run, usageOf) {
  try {
    const output = await run({ number, idempotencyKey: idempotency_key, timeoutMs: timeout_ms,
                               traceparent, tracestate });
    const usage = usageOf?.(output);
    return { result: JSON.stringify({ status: "completed", output, usage }) };
  } catch (raised) {
    return failedBy(raised);
  }
}

/** Ends the attempt: how it did, which is failed if the library refuses the output. */
function endAttempt(action, ended) {
  try {
    native.endAction(action, ended.result);
    return ended;
  } catch (refused) {
    const failed = failedBy(refused);
    native.endAction(action, failed.result);
    return failed;
  }
}

/** Has an action carried out, unless the log has what came of it. */
async function carryOut(runtime, request, what, run, usageOf) {
  const action = native.act(request, JSON.stringify(what));
  if (!action) throw over();
  let ended;
  try {
    let step = await nextStep(runtime, action);
    if (step.attempt) {
      ended = endAttempt(action, await attempted(step.attempt, run, usageOf));
      step = await nextStep(runtime, action);
    }
    const { status, output = null, error = {} } = step.result;
    if (status === "completed") return output;
    if (ended && "raised" in ended && error.code === THREW) throw ended.raised;
    throw new ConveneError(error.code ?? status, error.message ?? `the action ${status}`,
                           { action: what.name, is_recorded: !ended && error.code === THREW });
  } finally {
    native.freeAction(action);
  }
}

module.exports = { carryOut, digestOf, positionOf };
