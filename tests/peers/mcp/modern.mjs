// A server of the newer era (2026-07-28), made with its official SDK.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const sum = z.object({ sum: z.number() });

serveStdio(() => {
  const server = new McpServer({ name: 'modern', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: sum,
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }));
  server.registerTool(
    'hang', { description: 'Never answers', inputSchema: z.object({}) },
    () => new Promise(() => setInterval(() => {}, 1000)));
  server.registerTool(
    'fail', { description: 'Always fails', inputSchema: z.object({}) },
    async () => { throw new Error('on purpose'); });
  return server;
}, { legacy: 'reject' });
