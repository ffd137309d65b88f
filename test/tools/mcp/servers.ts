import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { CreateMcpHandlerOptions } from '@modelcontextprotocol/server';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { McpServerOptions } from '../../../src/tools/mcp/mcp-options.ts';

/** An address that is never dialled: requests to it are answered in this process. */
export const NOWHERE = 'https://mcp.test/mcp';

type Fetch = typeof globalThis.fetch;

/** Options of a server made by the official package, without a network. */
export const served = (
  fill: (server: McpServer) => void,
  options: Partial<McpServerOptions> = {},
  handling: CreateMcpHandlerOptions = {},
): McpServerOptions => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'official', version: '1.0.0' });
    fill(server);
    return server;
  }, handling);
  const fetch: Fetch = (input, init) => handler.fetch(new Request(input, init));
  return { name: 'srv', url: NOWHERE, fetch, ...options };
};

/** A fetch of a server that refuses the first question of the newer protocol, so that it is spoken to by that of 2025. */
export const refusingNewer =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const isProbe = (await request.clone().text()).includes('server/discover');
    return isProbe ? new Response('no such method', { status: 400 }) : fetch(request);
  };

/** Options of a server of 2025-11-25 made by the official package, with a session for each client, which it can ask within a call. */
export const servedToSessions = (
  fill: (server: McpServer) => void,
  options: Partial<McpServerOptions> = {},
): McpServerOptions => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    const server = new McpServer({ name: 'official', version: '1.0.0' });
    fill(server);
    await server.connect(transport);
    return transport;
  };
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    return (known ?? (await begin())).handleRequest(request);
  };
  return { name: 'srv', url: NOWHERE, fetch: refusingNewer(fetch), ...options };
};

/** Options of a server that answers each method of JSON-RPC by hand, with the protocol of 2025. */
export const handWritten = (
  answers: Readonly<Record<string, unknown>>,
  options: Partial<McpServerOptions> = {},
): McpServerOptions => {
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const message = JSON.parse(await request.text()) as { id?: number; method: string };
    const found = answers[message.method];
    const answer: unknown =
      typeof found === 'function' ? await (found as (given: unknown) => unknown)(message) : found;
    if (answer instanceof Response) return answer;
    if (message.id === undefined) return new Response(null, { status: 202 });
    if (answer !== undefined) return Response.json({ jsonrpc: '2.0', id: message.id, result: answer });
    const error = { code: -32601, message: `no ${message.method}` };
    return Response.json({ jsonrpc: '2.0', id: message.id, error });
  };
  return { name: 'srv', url: NOWHERE, fetch, attempts: 1, ...options };
};

/** The handshake of a server with tools. */
export const greeting = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'hand', version: '1' },
  },
};

/** Options of a program without any package, which behaves as its mode says. */
export const program = (mode: string, options: Partial<McpServerOptions> = {}): McpServerOptions => ({
  name: 'child',
  command: process.execPath,
  args: [resolve(import.meta.dirname, 'child-server.mjs'), mode],
  ...options,
});

/** Adds a tool that repeats. */
export const withEcho = (server: McpServer): void => {
  server.registerTool(
    'echo',
    { description: 'Repeats a text.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text: `heard ${text}` }] }),
  );
};
