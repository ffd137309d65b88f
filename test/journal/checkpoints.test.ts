import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, isTroupeError, replay, resume, tool } from '../../src/index.ts';
import type { Json } from '../../src/base/json/json.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ToolContext, ToolRetry } from '../../src/contracts/tools/tool.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel, virtualClock } from '../../src/testing/index.ts';
import { deferred } from '../support/runs.ts';

/** An agent that has one tool, which is not idempotent. */
const worker = (
  execute: (context: ToolContext) => unknown,
  {
    replies = [calls({ name: 'work', input: {} }), 'Done.'],
    retry = false,
  }: { replies?: readonly ScriptedReply[]; retry?: Partial<ToolRetry> | false } = {},
) =>
  agent({
    name: 'worker',
    tools: [
      tool({
        name: 'work',
        description: 'Works.',
        input: z.object({}),
        safety: 'write',
        timeoutMs: Infinity,
        retry,
        execute: (_, context) => execute(context),
      }),
    ],
    model: scriptedModel([...replies]),
  });

/** The agent as another process has it: its model was asked once before. */
const later = (execute: (context: ToolContext) => unknown) => worker(execute, { replies: ['Done.'] });

const never = (): Promise<never> => new Promise(() => undefined);

test('a call continues from its checkpoint in another process, and nobody is asked whether it ran', async () => {
  const store = memoryStore();
  const committed = deferred<void>();
  const seen: (Json | undefined)[] = [];
  const first = worker(async ({ checkpoint, resumedFrom }) => {
    seen.push(resumedFrom);
    await checkpoint({ job: 7 });
    committed.resolve();
    return never();
  });
  const handle = first.stream('go', { store, runId: 'run-1' });
  handle.result.catch(() => undefined);
  await committed.promise;
  await handle.suspend({ withinMs: 0 });
  const second = later(({ resumedFrom }) => {
    seen.push(resumedFrom);
    return 'finished';
  });
  const { output, records } = await (await resume(second, 'run-1', { store })).result;
  expect([output, records[0]?.results[0]?.text]).toEqual(['Done.', 'finished']);
  expect(seen).toEqual([undefined, { job: 7 }]);
  const { result } = await replay(second, 'run-1', { store });
  expect(result).toMatchObject({ output: 'Done.' });
});

test('a question after a checkpoint is not given the answer to one before it', async () => {
  const store = memoryStore();
  const asked = deferred<void>();
  const first = worker(async ({ ask, checkpoint }) => {
    await checkpoint({ name: await ask('Name?') });
    asked.resolve();
    return never();
  });
  const handle = first.stream('go', { store, runId: 'run-1', person: { answer: () => 'Ada' } });
  handle.result.catch(() => undefined);
  await asked.promise;
  await handle.suspend({ withinMs: 0 });
  const second = later(async ({ ask, resumedFrom }) => [resumedFrom, await ask('Town?')]);
  const resumed = await resume(second, 'run-1', { store, person: { answer: () => 'Bergen' } });
  const { records } = await resumed.result;
  expect(records[0]?.results[0]).toMatchObject({ value: [{ name: 'Ada' }, 'Bergen'] });
});

test('a call that waits with a checkpoint makes its run wait for that time, and occupies no slot', async () => {
  const store = memoryStore();
  const clock = virtualClock();
  const waiting = deferred<void>();
  const patient = worker(async ({ checkpoint, now }) => {
    const from = now();
    const waited = checkpoint('job', 30_000);
    waiting.resolve();
    await waited;
    return now() - from;
  });
  const handle = patient.stream('go', { store, runId: 'run-1', clock, limits: { concurrency: 1 } });
  await waiting.promise;
  await expect
    .poll(() => store.entry('run-1'))
    .toMatchObject({ status: 'waiting', dueAt: clock.now() + 30_000 });
  await clock.advance(30_000);
  const { records } = await handle.result;
  expect(records[0]?.results[0]).toMatchObject({ value: 30_000 });
});

test('another attempt of a call continues from the checkpoint of the one before, without a store, too', async () => {
  const seen: (Json | undefined)[] = [];
  const clumsy = worker(
    async ({ checkpoint, resumedFrom, attempt }) => {
      seen.push(resumedFrom);
      await checkpoint(attempt);
      if (attempt < 3)
        throw new TroupeError('tool.failed', 'Cannot work as it slipped', { retryable: 'yes' });
      return 'worked';
    },
    { retry: { attempts: 3, initialWaitMs: 0, maxWaitMs: 0 } },
  );
  const { records } = await clumsy.run('go');
  expect(records[0]?.results[0]).toMatchObject({ ok: true, text: 'worked' });
  expect(seen).toEqual([undefined, 1, 2]);
});

test.each(['run.suspended', 'run.aborted'] as const)('a call is notified of %s', async (code) => {
  const store = memoryStore();
  const begun = deferred<void>();
  const reason = deferred<unknown>();
  const endless = worker(({ signal }) => {
    signal.addEventListener('abort', () => reason.resolve(signal.reason));
    begun.resolve();
    return never();
  });
  const handle = endless.stream('go', { store });
  handle.result.catch(() => undefined);
  await begun.promise;
  if (code === 'run.aborted') handle.abort();
  else await handle.suspend({ withinMs: 0 });
  expect(isTroupeError(await reason.promise, code)).toBe(true);
});
