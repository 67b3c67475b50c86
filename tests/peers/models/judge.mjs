// The official clients against `convene mock-model`: what they understand
// of it is what it means to say.
//
//     node judge.mjs BASE_URL BASE_URL_OF_ANOTHER

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const base = process.argv[2];
const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: "k", maxRetries: 1 });
const anthropic = new Anthropic({ baseURL: base, apiKey: "k", maxRetries: 1 });
const said = "Grüß dich 👋, this is a text in several pieces.";
const tools = ["read_resource", "end_session"];
const messages = [{ role: "user", content: "go" }];
let passed = 0;

async function test(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    console.error(`FAILED: ${name}`);
    console.error(error);
    process.exitCode = 1;
  }
}

/** The answer as a whole, asked for in both ways. */
async function eachWay(run) {
  for (const stream of [false, true]) await run(stream);
}

async function complete(model, stream) {
  const asked = { model, messages };
  return stream
    ? await openai.chat.completions.stream({ ...asked, stream_options: { include_usage: true } }).finalChatCompletion()
    : await openai.chat.completions.create(asked);
}

async function message(model, stream) {
  const asked = { model, messages, max_tokens: 100 };
  return stream ? await anthropic.messages.stream(asked).finalMessage() : await anthropic.messages.create(asked);
}

await test("openai reads texts", () =>
  eachWay(async (stream) => {
    const got = await complete("talker", stream);
    assert.equal(got.choices[0].message.content, said);
    assert.equal(got.choices[0].finish_reason, "stop");
    assert.ok(got.usage.prompt_tokens > 0 && got.usage.completion_tokens > 0);
    assert.equal(got.usage.total_tokens, got.usage.prompt_tokens + got.usage.completion_tokens);
  }));

await test("openai reads tool calls", () =>
  eachWay(async (stream) => {
    const got = await complete("caller", stream);
    const calls = got.choices[0].message.tool_calls;
    assert.deepEqual(calls.map((each) => each.function.name), tools);
    assert.equal(new Set(calls.map((each) => each.id)).size, 2);
    assert.deepEqual(JSON.parse(calls[0].function.arguments), { resource_type: "file", resource_id: 'a "b".txt' });
    assert.deepEqual(JSON.parse(calls[1].function.arguments), { content: "done ü" });
    assert.equal(got.choices[0].finish_reason, "tool_calls");
    assert.equal(got.choices[0].message.content, "I look.");
  }));

await test("openai reads why it stopped", () =>
  eachWay(async (stream) => {
    // The client's stream helper throws here, as it should.
    if (stream) {
      const reasons = [];
      for await (const chunk of await openai.chat.completions.create({ model: "cut", messages, stream: true }))
        reasons.push(chunk.choices[0]?.finish_reason);
      assert.equal(reasons.at(-1), "length");
    } else {
      assert.equal((await complete("cut", false)).choices[0].finish_reason, "length");
    }
    assert.equal((await complete("unwilling", stream)).choices[0].message.refusal, "I won't.");
  }));

await test("openai retries a 429 and reads the error of an unknown model", async () => {
  assert.equal((await complete("busy", false)).choices[0].message.content, "Now.");
  await assert.rejects(complete("nobody", false), (error) => error instanceof OpenAI.NotFoundError && error.code === "model_not_found");
});

await test("openai notices a stream that breaks", async () => {
  await assert.rejects(async () => {
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ model: "broken", messages, stream: true }))
      text += chunk.choices[0]?.delta?.content ?? "";
    assert.equal(text, "this text does not arrive as a whole");
  });
});

await test("answers are chosen by the prompt", async () => {
  for (const colour of ["red", "blue"]) {
    const got = await openai.chat.completions.create({ model: "choosy", messages: [{ role: "user", content: `is it ${colour}?` }] });
    assert.equal(got.choices[0].message.content, `It is ${colour}.`);
  }
});

await test("anthropic reads texts", () =>
  eachWay(async (stream) => {
    const got = await message("talker", stream);
    assert.deepEqual(got.content.map((each) => each.text), [said]);
    assert.equal(got.stop_reason, "end_turn");
    assert.ok(got.usage.input_tokens > 0 && got.usage.output_tokens > 1);
  }));

await test("anthropic reads tool calls", () =>
  eachWay(async (stream) => {
    const got = await message("caller", stream);
    assert.equal(got.content[0].text, "I look.");
    assert.deepEqual(got.content.slice(1).map((each) => each.name), tools);
    assert.deepEqual(got.content[1].input, { resource_type: "file", resource_id: 'a "b".txt' });
    assert.deepEqual(got.content[2].input, { content: "done ü" });
    assert.equal(got.stop_reason, "tool_use");
  }));

await test("anthropic reads why it stopped, and errors", async () => {
  await eachWay(async (stream) => {
    assert.equal((await message("cut", stream)).stop_reason, "max_tokens");
    assert.equal((await message("unwilling", stream)).stop_reason, "refusal");
  });
  await assert.rejects(message("nobody", false), (error) => error instanceof Anthropic.NotFoundError);
});

await test("the server counts its calls", async () => {
  const calls = await (await fetch(`${base}/mock/calls`)).json();
  assert.equal(calls.by_model.caller, 4);
  assert.equal(calls.by_model.choosy, 2);
});

await test("both retry what is overloaded, and read the error", async () => {
  const failed = (kind) => (error) => error instanceof kind && error.status === 529 && /too many calls/.test(error.message);
  await assert.rejects(complete("overloaded", false), failed(OpenAI.InternalServerError));
  await assert.rejects(message("overloaded", true), failed(Anthropic.InternalServerError));
  const calls = await (await fetch(`${base}/mock/calls`)).json();
  assert.equal(calls.by_model.overloaded, 4);
});

await test("both give up a call that nobody answers", async () => {
  const how = { timeout: 300, maxRetries: 0 };
  await assert.rejects(openai.chat.completions.create({ model: "silent", messages }, how), OpenAI.APIConnectionTimeoutError);
  await assert.rejects(anthropic.messages.create({ model: "silent", messages, max_tokens: 9 }, how), Anthropic.APIConnectionTimeoutError);
});

await test("tokens come one by one, not before their time", async () => {
  const begun = performance.now();
  const times = [];
  for await (const chunk of await openai.chat.completions.create({ model: "slow", messages, stream: true }))
    if (chunk.choices[0]?.delta?.content) times.push(performance.now() - begun);
  assert.equal(times.length, 10);
  assert.ok(times[0] >= 299 && times.at(-1) >= 389, String(times));
});

await test("drawn answers are the same again from another server, in any order", async () => {
  const ask = (number) => ({ model: "drawn", messages: [{ role: "user", content: `question ${number}` }] });
  const text = async (number) => (await openai.chat.completions.create(ask(number))).choices[0].message.content;
  const numbers = [...Array(20).keys()];
  const first = await Promise.all(numbers.map(text));
  const again = await Promise.all(numbers.map(text));
  assert.equal(new Set([...first, ...again]).size, 40);
  const other = process.argv[3] && new OpenAI({ baseURL: `${process.argv[3]}/v1`, apiKey: "k" });
  assert.ok(other);
  const there = async (number) => (await other.chat.completions.create(ask(number))).choices[0].message.content;
  const backwards = await Promise.all(numbers.toReversed().map(there));
  assert.deepEqual(backwards.toReversed(), first);
});

await test("drawn calls fit the tools that are offered", async () => {
  const parameters = { type: "object", required: ["path", "depth"], properties: { path: { type: "string" }, depth: { type: "integer" } } };
  const got = await openai.chat.completions.create({ model: "tooled", messages, tools: [{ type: "function", function: { name: "look", parameters } }] });
  const call = got.choices[0].message.tool_calls[0];
  assert.equal(call.function.name, "look");
  const given = JSON.parse(call.function.arguments);
  assert.ok(typeof given.path === "string" && Number.isInteger(given.depth));
  const other = await anthropic.messages.stream({ model: "tooled", messages, max_tokens: 99, tools: [{ name: "look", input_schema: parameters }] }).finalMessage();
  assert.ok(Number.isInteger(other.content[0].input.depth));
  assert.equal(other.stop_reason, "tool_use");
});

await test("both read limits, and how long to wait", async () => {
  // Limits are those of a key, and a minute does not wait for a slow machine:
  // where the second call was late, once more with another key.
  async function twoCalls(callBy) {
    for (let tries = 1; ; ++tries) {
      const call = callBy({ apiKey: `key-${tries}`, maxRetries: 0 });
      const begun = performance.now();
      const { response } = await call();
      const refused = await call().catch((error) => error);
      if (performance.now() - begun < 5_000 || tries === 10) return [response.headers, refused];
    }
  }
  const [told, refused] = await twoCalls((how) => {
    const { chat } = new OpenAI({ baseURL: `${base}/v1`, ...how });
    return () => chat.completions.create({ model: "limited", messages }).withResponse();
  });
  assert.equal(told.get("x-ratelimit-limit-requests"), "1");
  assert.equal(told.get("x-ratelimit-remaining-tokens"), "9995");
  assert.ok(refused instanceof OpenAI.RateLimitError && Number(refused.headers.get("retry-after")) > 50);
  assert.equal(refused.code, "rate_limit_exceeded");
  const [left, late] = await twoCalls((how) => {
    const client = new Anthropic({ baseURL: base, ...how });
    return () => client.messages.create({ model: "limited-too", messages, max_tokens: 9 }).withResponse();
  });
  assert.equal(left.get("anthropic-ratelimit-requests-remaining"), "0");
  assert.ok(late instanceof Anthropic.RateLimitError && Number(late.headers.get("retry-after")) > 50);
});

await test("both list the models, and Anthropic's counts tokens", async () => {
  const ids = [];
  for await (const each of openai.models.list()) ids.push(each.id);
  assert.ok(ids.includes("talker"));
  const others = [];
  for await (const each of anthropic.models.list()) others.push(each.id);
  assert.deepEqual(others, ids);
  assert.equal((await openai.models.retrieve("talker")).id, "talker");
  const counted = await anthropic.messages.countTokens({ model: "talker", messages });
  const answered = await message("talker", false);
  assert.equal(counted.input_tokens, answered.usage.input_tokens);
});

console.log(`${passed} passed, ${process.exitCode ? "some" : 0} failed`);
