import type { Server, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { LONGEST_TIMER_MS } from '../base/clock.ts';
import type { ServerPackage } from './client-request.ts';
import { ANSWER, answerIn, canAsk, isModern, takesTasks, tasksNotTaken } from './client-request.ts';
import type { ListedTask, ServedTask } from './served-task.ts';
import type { ServedTasks } from './served-tasks.ts';

/** The interval at which clients should ask for a task, in ms. */
const POLL_MS = 1_000;

const taskSchema = z.looseObject({ taskId: z.string() });

/** Serves the methods of tasks, of both revisions where they have the same name; the list only to a client of its own. */
export const serveTasks = (
  server: Server,
  tasks: ServedTasks,
  loaded: ServerPackage,
  isOwn: boolean,
): void => {
  const find = async (id: string, context: ServerContext): Promise<ServedTask> => {
    if (isModern(context) && !takesTasks(context, loaded)) throw tasksNotTaken(loaded);
    const task = await tasks.find(id);
    if (task !== undefined) return task;
    throw new loaded.ProtocolError(loaded.INVALID_PARAMS, 'Task not found: it expired, or never was');
  };
  server.setRequestHandler('tasks/get', { params: taskSchema }, async ({ taskId }, context) => {
    const task = await find(taskId, context);
    if (!isModern(context)) return olderTask(task);
    if (!canAsk(context, loaded)) for (const key of task.questions.keys()) task.answer(key, undefined);
    return detailedTask(task);
  });
  server.setRequestHandler('tasks/cancel', { params: taskSchema }, async ({ taskId }, context) => {
    const task = await find(taskId, context);
    if (!isModern(context) && task.isOver)
      throw new loaded.ProtocolError(loaded.INVALID_PARAMS, `Cannot cancel a task that is ${task.status}`);
    task.cancel('the client cancelled its task');
    return isModern(context) ? {} : olderTask(task);
  });
  server.setRequestHandler('tasks/update', { params: taskSchema }, async ({ taskId }, context) => {
    const task = await find(taskId, context);
    for (const [key, said] of Object.entries(context.mcpReq.inputResponses ?? {}))
      task.answer(key, answerIn(said));
    return {};
  });
  server.setRequestHandler('tasks/result', { params: taskSchema }, async ({ taskId }, context) => {
    const task = await find(taskId, context);
    const _meta = { [loaded.RELATED_TASK_META_KEY]: { taskId } };
    while (!task.isOver) {
      const [asked] = task.questions;
      if (asked === undefined) await task.changed();
      else {
        const [key, { question: message }] = asked;
        const said = await context.mcpReq
          .elicitInput(
            { message, requestedSchema: ANSWER, _meta },
            { timeout: Math.min(task.patienceMs, LONGEST_TIMER_MS) },
          )
          .catch(() => undefined);
        task.answer(key, answerIn(said));
      }
    }
    if (task.result === undefined)
      throw new loaded.ProtocolError(loaded.INTERNAL_ERROR, 'The task was cancelled');
    return { ...task.result, _meta };
  });
  if (isOwn)
    server.setRequestHandler('tasks/list', { params: z.looseObject({}) }, async () => ({
      tasks: (await tasks.list()).map(olderTask),
    }));
};

/** A task as 2026-07-28 has it, with what it needs or gives. */
const detailedTask = (task: ServedTask): Record<string, unknown> => {
  const { status, result, questions } = task;
  if (status === 'completed') return { ...newTask(task), result: { resultType: 'complete', ...result } };
  if (status !== 'input_required') return newTask(task);
  const requests = [...questions].map(([key, { question: message }]) => {
    const params = { mode: 'form', message, requestedSchema: ANSWER };
    return [key, { method: 'elicitation/create', params }];
  });
  return { ...newTask(task), inputRequests: Object.fromEntries(requests) };
};

/** A task as 2026-07-28 has it. */
export const newTask = (task: ServedTask) => ({
  ...describeTask(task),
  ttlMs: task.ttlMs,
  pollIntervalMs: POLL_MS,
});

/** A task as 2025-11-25 has it, where a result that says that the call failed is a task that failed. */
export const olderTask = (task: ListedTask) => ({
  ...describeTask(task),
  ...(task.hasFailed ? { status: 'failed' } : {}),
  ttl: task.ttlMs,
  pollInterval: POLL_MS,
});

const describeTask = ({ id, status, message, createdAt, updatedAt }: ListedTask) => ({
  taskId: id,
  status,
  ...(message === undefined ? {} : { statusMessage: message }),
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
});
