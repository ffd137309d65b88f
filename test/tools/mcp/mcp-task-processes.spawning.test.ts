import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import { withTasks } from './task-servers.ts';

const program = new AnotherProcess('digger.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-digger-'));
const mine = withTasks({ status: 'working', pollMs: 1 }, 'modern');
const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'mine', version: '1.0.0' });
    mine.fill(server);
    return server;
  },
  { legacy: 'reject' },
);
const http = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
  incoming.on('end', () => {
    const { method = 'GET', headers } = incoming;
    const body = method === 'POST' ? Buffer.concat(chunks) : null;
    const request = new Request(url(), { method, body, headers: headers as Record<string, string> });
    void handler.fetch(request).then((response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.flushHeaders();
      // The types of the web's streams here and in `node:stream` differ by name only.
      if (response.body === null) outgoing.end();
      else
        Readable.fromWeb(response.body as WebStream)
          .on('error', () => undefined)
          .pipe(outgoing);
    });
  });
});
const url = (): string => `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;

beforeAll(async () => {
  await Promise.all([program.build(), once(http.listen(0, '127.0.0.1'), 'listening')]);
});
afterAll(() => {
  program.remove();
  http.closeAllConnections();
  http.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a process that is killed while a task of its call goes on polls that very task when it is resumed', async () => {
  const order = { file: join(folder, 'runs.db'), url: url() };
  const killed = await program.run({ ...order, diesAt: 3 });
  expect(killed).toMatchObject({ wasKilled: true, failure: expect.not.stringMatching(/Error/) });
  mine.onGet = (task) =>
    void Object.assign(task, { status: 'completed', result: { content: [{ type: 'text', text: 'gold' }] } });
  const { lines, failure } = await program.run(order);
  expect(failure).not.toMatch(/Error/);
  expect(JSON.parse(lines[0] ?? '')).toEqual(['Done.', 'gold']);
  expect(mine.asked).toEqual(['tools/call', ...Array.from({ length: 3 }, () => 'tasks/get task-1')]);
});

test('a program over standard input and output makes a task of a call, too', async () => {
  const args = [join(import.meta.dirname, 'task-server.mjs')];
  const digger = agent({
    name: 'digger',
    tools: [mcpServer({ name: 'mine', command: process.execPath, args })],
    model: scriptedModel([calls({ name: 'mine.dig', input: {} }), 'Done.']),
  });
  const { records, events } = await digger.run('go');
  expect(records[0]?.results[0]).toMatchObject({ ok: true, text: 'gold' });
  expect(events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []))).toEqual([
    'Digging',
  ]);
});
