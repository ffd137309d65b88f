import { expect, test } from 'vitest';
import { agent, resume } from '../../../src/index.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { TaskFollower } from '../../../src/tools/mcp/follow-task.ts';
import { toolContext } from '../tool-context.ts';
import { refusingNewer, served } from './servers.ts';
import type { ServedTask } from './task-servers.ts';
import { withTasks } from './task-servers.ts';

const modes = ['modern', 'legacy'] as const;
type Mode = (typeof modes)[number];

const handled = { modern: { legacy: 'reject' }, legacy: {} } as const;

/** A server with tasks, and the options to reach it: an older one refuses the first question of a newer client. */
const site = (first: ServedTask, mode: Mode, options: Partial<McpServerOptions> = {}) => {
  const server = withTasks({ pollMs: 1, ...first }, mode);
  const reached = served(server.fill, { name: 'mine', ...options }, handled[mode]);
  const { fetch } = reached;
  const isOlder = mode === 'legacy' && fetch !== undefined;
  return { server, options: isOlder ? { ...reached, fetch: refusingNewer(fetch) } : reached };
};

const digger = (options: McpServerOptions) =>
  agent({
    name: 'digger',
    tools: [mcpServer(options)],
    model: scriptedModel([calls({ name: 'mine.dig', input: {} }), 'Done.']),
  });

const firstOf = ({ records }: RunResult<unknown>) => records[0]?.results[0];

const errorOf = (result: RunResult<unknown>) => {
  const first = firstOf(result);
  return first?.ok === false ? first.error : undefined;
};

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

test.each(modes)('a call that the server makes a task of is polled to its result (%s)', async (mode) => {
  const { server, options } = site({ status: 'working', statusMessage: 'Digging' }, mode);
  server.onGet = (task) => {
    if (server.asked.length > 3) Object.assign(task, { status: 'completed', result: text('gold') });
  };
  const result = await digger(options).run('go');
  expect(firstOf(result)).toMatchObject({ ok: true, text: 'gold' });
  expect(result.events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []))).toEqual([
    'Digging',
  ]);
  expect(server.asked.filter((each) => each === 'tools/call')).toHaveLength(1);
});

test.each(modes)(
  'a task that fails, is cancelled or is not known any more fails its call, once (%s)',
  async (mode) => {
    const outcomes: unknown[] = [];
    for (const state of [
      { status: 'failed', statusMessage: 'no shovel', error: { code: -32_603, message: 'no shovel' } },
      { status: 'cancelled', statusMessage: 'it rains' },
      { status: 'completed', result: { ...text('no gold'), isError: true } },
    ] as const) {
      const { options } = site(state, mode);
      const error = errorOf(await digger(options).run('go'));
      outcomes.push([error?.code, error?.message]);
    }
    const { server, options } = site({ status: 'working' }, mode);
    server.onGet = () => server.tasks.clear();
    const error = errorOf(await digger(options).run('go'));
    outcomes.push([error?.code, error?.retryable]);
    expect(outcomes).toEqual([
      ['tool.failed', expect.stringMatching(mode === 'modern' ? 'no shovel' : 'broken')],
      ['tool.failed', expect.stringContaining('the server cancelled its task: it rains')],
      ['tool.failed', expect.stringContaining('no gold')],
      ['mcp.expired', 'no'],
    ]);
    expect(server.asked.filter((each) => each.startsWith('tasks/cancel'))).toEqual([]);
  },
);

test.each(modes)('the time-out of a task, and an abort, cancel it on the server (%s)', async (mode) => {
  const timed = site({ status: 'working' }, mode, { taskTimeoutMs: 1 });
  const error = errorOf(await digger(timed.options).run('go'));
  expect(error?.code).toBe('tool.timeout');
  const aborted = site({ status: 'working' }, mode);
  const handle = digger(aborted.options).stream('go');
  aborted.server.onGet = () => handle.abort('enough');
  expect((await handle.result).status).toBe('aborted');
  for (const { server } of [timed, aborted])
    await expect.poll(() => server.asked.at(-1)).toBe('tasks/cancel task-1');
});

test('what a task asks is asked of a person once, and the answer reaches the task', async () => {
  const { server, options } = site({ status: 'working' }, 'modern');
  const form = { type: 'object', properties: { depth: { type: 'number' } }, required: ['depth'] };
  const params = { mode: 'form', message: 'How deep?', requestedSchema: form };
  server.onGet = (task) => {
    const isAnswered = server.updates.length > 0;
    // The answer is seen by the poll after the next one only.
    if (isAnswered && server.asked.at(-2)?.startsWith('tasks/get') === true)
      Object.assign(task, { status: 'completed', result: text('gold'), inputRequests: undefined });
    else
      Object.assign(task, {
        status: 'input_required',
        inputRequests: { deep: { method: 'elicitation/create', params } },
      });
  };
  const questions: string[] = [];
  const person = {
    answer: (question: string) => {
      questions.push(question);
      return '7';
    },
  };
  expect(firstOf(await digger(options).run('go', { person }))).toMatchObject({ text: 'gold' });
  expect(questions).toEqual([expect.stringMatching("The MCP server 'mine' asks: How deep?")]);
  expect(server.updates).toEqual([{ deep: { action: 'accept', content: { depth: 7 } } }]);
});

test('polls that fail in passing do not lose a task; a state that breaks the protocol does, and is cancelled', async () => {
  const { server, options } = site({ status: 'working' }, 'modern', { attempts: 1 });
  let failures = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isPoll = (await request.clone().text()).includes('"tasks/get"');
    if (isPoll && failures < 1) {
      failures += 1;
      return new Response('not now', { status: 503 });
    }
    return options.fetch?.(request) ?? new Response(null);
  };
  server.onGet = (task) => void Object.assign(task, { status: 'completed', result: text('gold') });
  expect(firstOf(await digger({ ...options, fetch }).run('go'))).toMatchObject({ text: 'gold' });
  const strange = site({ status: 'working' }, 'modern');
  strange.server.onGet = (task) => void Object.assign(task, { status: 'asleep' });
  const error = errorOf(await digger(strange.options).run('go'));
  expect(error?.code).toBe('mcp.protocol');
  await expect.poll(() => strange.server.asked.at(-1)).toBe('tasks/cancel task-1');
});

test('a run that is suspended leaves its task alone, waits for the next poll in its store, and is resumed to the result', async () => {
  const { server, options } = site({ status: 'working', pollMs: 45_000 }, 'modern');
  const store = memoryStore();
  const handle = digger(options).stream('go', { store, runId: 'run-1' });
  handle.result.catch(() => undefined);
  // As the command line parks a run that waits for long.
  await expect.poll(() => store.entry('run-1')).toMatchObject({ status: 'waiting' });
  expect((await store.entry('run-1'))?.dueAt).toBeGreaterThan(Date.now() + 40_000);
  await handle.suspend();
  server.onGet = (task) => void Object.assign(task, { status: 'completed', result: text('gold') });
  const later = agent({ name: 'digger', tools: [mcpServer(options)], model: scriptedModel(['Done.']) });
  const result = await (await resume(later, 'run-1', { store })).result;
  expect(firstOf(result)).toMatchObject({ ok: true, text: 'gold' });
  expect(server.asked).toEqual(['tools/call', 'tasks/get task-1']);
});

test('the interval that a server wants is kept within bounds', async () => {
  const waits: (number | undefined)[] = [];
  const polls = [1, 5_000, 3_600_000, undefined, -5];
  const context = toolContext(undefined, undefined, {
    checkpoint: (_, waitMs) => {
      waits.push(waitMs);
      return Promise.resolve();
    },
  });
  const state = (pollIntervalMs: number | undefined) =>
    ({
      taskId: 't',
      ...(polls.length === 0
        ? { status: 'completed', result: text('gold') }
        : { status: 'working', pollIntervalMs }),
    }) as const;
  const follower = new TaskFollower({
    taskId: 't',
    created: { taskId: 't', status: 'working' },
    doing: 'dig',
    server: 'mine',
    context,
    timeoutMs: 10_000_000,
    isLegacy: () => false,
    perform: () => Promise.resolve(state(polls.shift())) as Promise<never>,
    respond: () => Promise.reject(new Error('nothing was asked')),
  });
  expect(await follower.follow()).toMatchObject(text('gold'));
  expect(waits).toEqual([1_000, 100, 5_000, 60_000, 1_000]);
});
