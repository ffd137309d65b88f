import type { McpServer } from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The state of a task of {@link withTasks}, as a test sets it. */
export interface ServedTask {
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  pollMs?: number;
  result?: object;
  error?: object;
  inputRequests?: Record<string, object>;
}

/** A server whose tool `dig` is a task, with what it was asked. */
export interface TaskServer {
  readonly tasks: Map<string, ServedTask>;
  readonly asked: string[];
  readonly updates: object[];
  /** Called before each answer to `tasks/get`. */
  onGet: (task: ServedTask, id: string) => void;
  readonly fill: (server: McpServer) => void;
}

const at = '2026-07-28T00:00:00Z';

/** Makes a server of either protocol with tasks, of the package's own server and handlers of requests of it. */
export const withTasks = (first: ServedTask, mode: 'modern' | 'legacy'): TaskServer => {
  const tasks = new Map<string, ServedTask>();
  const asked: string[] = [];
  const updates: object[] = [];
  const made: TaskServer = { tasks, asked, updates, onGet: () => undefined, fill };
  const described = (taskId: string, { pollMs, ...task }: ServedTask) => ({
    taskId,
    createdAt: at,
    lastUpdatedAt: at,
    ...(mode === 'modern' ? { ttlMs: null, ...task } : { ttl: null, status: task.status }),
    ...(task.statusMessage === undefined ? {} : { statusMessage: task.statusMessage }),
    ...(pollMs === undefined ? {} : { [mode === 'modern' ? 'pollIntervalMs' : 'pollInterval']: pollMs }),
  });
  const found = (id: string): ServedTask => {
    const task = tasks.get(id);
    if (task === undefined) throw Object.assign(new Error('Task not found'), { code: -32_602 });
    return task;
  };
  const ofTask = z.looseObject({ taskId: z.string() });
  function fill(server: McpServer): void {
    const inputSchema = fromJsonSchema({ type: 'object' });
    const tool = server.registerTool('dig', { description: 'Digs.', inputSchema }, () => ({ content: [] }));
    if (mode === 'legacy') tool.execution = { taskSupport: 'required' };
    const low = server.server;
    low.registerCapabilities(
      mode === 'modern'
        ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
        : { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    );
    low.setRequestHandler('tools/call', { params: z.looseObject({}) }, () => {
      const id = `task-${tasks.size + 1}`;
      tasks.set(id, { ...first });
      asked.push('tools/call');
      const task = described(id, {
        status: 'working',
        ...(first.pollMs === undefined ? {} : { pollMs: first.pollMs }),
      });
      // The package's server takes no other answer of an older protocol for one.
      return mode === 'modern' ? { resultType: 'task', ...task } : { content: [], task };
    });
    low.setRequestHandler('tasks/get', { params: ofTask }, ({ taskId }) => {
      asked.push(`tasks/get ${taskId}`);
      const task = found(taskId);
      made.onGet(task, taskId);
      return described(taskId, task);
    });
    low.setRequestHandler('tasks/cancel', { params: ofTask }, ({ taskId }) => {
      asked.push(`tasks/cancel ${taskId}`);
      found(taskId).status = 'cancelled';
      return mode === 'modern' ? {} : described(taskId, found(taskId));
    });
    if (mode === 'modern')
      low.setRequestHandler('tasks/update', { params: ofTask }, ({ taskId }, { mcpReq }) => {
        asked.push(`tasks/update ${taskId}`);
        updates.push({ ...mcpReq.inputResponses });
        return {};
      });
    else
      low.setRequestHandler('tasks/result', { params: ofTask }, async ({ taskId }, { mcpReq }) => {
        asked.push(`tasks/result ${taskId}`);
        const task = found(taskId);
        for (const [key, request] of Object.entries(task.inputRequests ?? {})) {
          const said = await mcpReq.send(
            {
              ...(request as { method: 'elicitation/create'; params: { message: string } }),
            } as never,
            z.looseObject({}),
          );
          updates.push({ [key]: said });
        }
        delete task.inputRequests;
        if (task.error !== undefined) throw Object.assign(new Error('broken'), { code: -32_603 });
        return { ...task.result };
      });
  }
  return made;
};
