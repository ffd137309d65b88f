// A server over standard input and output, made by the official package: its tool `dig` is a task of 2026-07-28, which is done at the second look.
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

let looks = 0;
const times = { createdAt: '2026-07-28T00:00:00Z', lastUpdatedAt: '2026-07-28T00:00:00Z', ttlMs: null };
const task = { taskId: 'task-1', status: 'working', statusMessage: 'Digging', pollIntervalMs: 1, ...times };

serveStdio(() => {
  const server = new McpServer({ name: 'mine', version: '1.0.0' });
  const inputSchema = fromJsonSchema({ type: 'object' });
  server.registerTool('dig', { description: 'Digs.', inputSchema }, () => ({ resultType: 'task', ...task }));
  server.server.registerCapabilities({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
  server.server.setRequestHandler('tasks/get', { params: z.looseObject({ taskId: z.string() }) }, () => {
    looks += 1;
    const result = { resultType: 'complete', content: [{ type: 'text', text: 'gold' }] };
    return looks < 2 ? task : { ...task, status: 'completed', result };
  });
  return server;
});
