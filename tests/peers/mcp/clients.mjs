// The official clients of MCP use `convene mcp`:
//
//     node clients.mjs CONVENE
//
// The older era's client and the newer one's, each over standard input and
// output and over HTTP. Exits with 1 if anything is not as it should be.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import * as newer from '@modelcontextprotocol/client';
import * as newerStdio from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio }
  from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttp }
  from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const convene = process.argv[2];
const scenario = {
  convene: '1',
  collab: {
    title: 'Review', purpose: 'A person has the last word',
    mode: 'round_robin',
    participants: [
      { participant_id: 'writer', kind: 'agent', role_id: 'writer' },
      { participant_id: 'ana', kind: 'human', role_id: 'reviewer' },
    ],
  },
  task: 'Write a line',
  session: { rounds: 1 },
  behaviours: {
    ana: { type: 'human' },
    writer: { type: 'script', turns: [{ content: 'A line.' }] },
  },
};

async function call(client, name, args) {
  const made = await client.callTool({ name, arguments: args });
  assert.ok(!made.isError, `${name}: ${JSON.stringify(made.content)}`);
  return made.structuredContent;
}

/// What an agent does: it finds the tools, runs a session, answers its
/// question, reads what happened, and asks which mode would have been best.
async function use(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(),
    ['answer_question', 'cancel_session', 'compare_modes', 'explain',
      'read_events', 'run_session', 'send_message', 'session_status']);

  const begun = await call(client, 'run_session', { scenario, wait_ms: 50000 });
  assert.equal(begun.status, 'active');
  assert.equal(begun.questions.length, 1);
  assert.equal(begun.questions[0].participant.participant_id, 'ana');
  const { session_id, questions: [{ token }] } = begun;

  await call(client, 'send_message', { session_id, content: 'Be brief' });
  await call(client, 'answer_question', { token, content: 'APPROVED' });
  let state = await call(client, 'session_status',
    { session_id, wait_ms: 50000 });
  assert.equal(state.status, 'completed');
  assert.equal(state.result.turns_total, 2);

  const types = [];
  for (let after = 0, ended = false; !ended;) {
    const page = await call(client, 'read_events',
      { session_id, after, limit: 3 });
    types.push(...page.events.map((event) => event.event_type));
    ({ next: after, ended } = page);
  }
  assert.equal(types.at(0), 'MAPSessionStarted');
  assert.equal(types.at(-1), 'MAPSessionCompleted');

  const told = await client.callTool(
    { name: 'explain', arguments: { session_id } });
  assert.match(told.content[0].text, /ana, .*APPROVED/);

  const compared = await call(client, 'compare_modes', {
    scenario, modes: ['round_robin', 'pair'], seeds: 5,
    stand_ins: { ana: { type: 'simulated' } },
  });
  assert.equal(compared.complete, true);
  assert.equal(compared.runs, 10);

  const named = await call(client, 'run_session',
    { path: 'review.json', wait_ms: 50000 });
  assert.equal(named.questions.length, 1);
  await call(client, 'cancel_session', { session_id: named.session_id });

  const { resources } = await client.listResources();
  const dialog = resources.find((each) =>
    each.uri === `convene://sessions/${session_id}/documents/dialog`);
  const { contents } = await client.readResource({ uri: dialog.uri });
  assert.match(contents[0].text, /Be brief/);
  assert.equal((await client.listResourceTemplates())
    .resourceTemplates.length, 2);

  const refused = await client.callTool(
    { name: 'session_status', arguments: { session_id: 'none' } });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /session_unknown/);
}

const info = { name: 'peer', version: '1.0.0' };
const both = () => new newer.Client(info,
  { versionNegotiation: { mode: 'auto' } });
const folder = mkdtempSync(join(tmpdir(), 'convene-mcp-peer-'));
writeFileSync(join(folder, 'review.json'), JSON.stringify(scenario));
const line = { command: convene, args: ['mcp', '--scenarios', folder] };
const server = spawn(convene, ['mcp', '--listen', '127.0.0.1:0',
  '--scenarios', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [said] = await once(createInterface({ input: server.stdout }), 'line');
  const url = new URL(said.split(' ').at(-1));
  const clients = {
    'older era, stdio': [new OlderClient(info), new OlderStdio(line)],
    'older era, HTTP': [new OlderClient(info), new OlderHttp(url)],
    'newer era, stdio': [both(), new newerStdio.StdioClientTransport(line)],
    'newer era, HTTP':
      [both(), new newer.StreamableHTTPClientTransport(url)],
  };
  for (const [name, [client, transport]] of Object.entries(clients)) {
    await client.connect(transport);
    assert.equal(client.getServerVersion?.().name, 'convene');
    if (name.startsWith('newer'))
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    await use(client);
    await client.close();
    console.log(`clients: ${name}: passed`);
  }
} finally {
  server.kill('SIGTERM');
  rmSync(folder, { recursive: true });
}
assert.equal(server.exitCode ?? (await once(server, 'exit'))[0], 0);
