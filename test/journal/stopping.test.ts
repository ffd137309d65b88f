import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool, type Decision } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';

/** A tool that finishes when it is told to. */
const held = () => {
  let finish = (): void => undefined;
  const begun: string[] = [];
  const work = tool({
    name: 'work',
    description: 'Takes its time.',
    input: z.object({}),
    execute: (_, { callId, signal }) =>
      new Promise<string>((resolve, reject) => {
        begun.push(callId);
        finish = () => {
          resolve('worked');
        };
        signal.addEventListener('abort', () => {
          reject(new Error('called off'));
        });
      }),
  });
  return {
    work,
    begun,
    finish: () => {
      finish();
    },
    hasBegun: async (times: number) => {
      while (begun.length < times) await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

const worker = (work: ReturnType<typeof held>['work'], steps = 3) =>
  agent({
    name: 'worker',
    tools: [work],
    decide: ({ step }): Decision =>
      step < steps
        ? { kind: 'act', calls: [{ name: 'work', input: {} }] }
        : { kind: 'answer', answer: 'done' },
  });

describe('[QITOS-90] an abort after the step', () => {
  test.each([
    { how: 'without a store', start: (it: ReturnType<typeof worker>) => it.stream('go') },
    {
      how: 'stored',
      start: (it: ReturnType<typeof worker>) => it.stream('go', { store: new PlainStore() }),
    },
  ])('lets the step finish, with its record, and begins no other: $how', async ({ start }) => {
    const { work, begun, finish, hasBegun } = held();
    const handle = start(worker(work));
    await hasBegun(1);
    handle.abort('enough', { after: 'step' });
    handle.abort('too late to matter', { after: 'step' });
    finish();
    const { status, stopReason, records } = await handle.result;
    expect({ status, stopReason }).toEqual({
      status: 'aborted',
      stopReason: { kind: 'aborted', reason: 'enough' },
    });
    expect(records).toHaveLength(1);
    expect(records[0]?.results[0]).toMatchObject({ ok: true, text: 'worked' });
    expect(begun).toHaveLength(1);
  });
});

describe('[KAIZEN-74] an abort', () => {
  test('reaches every member with the same reason, and the first reason wins', async () => {
    const helds = [held(), held(), held()];
    const workers = Object.fromEntries(
      helds.map(({ work }, index) => [
        `w${index}`,
        agent({
          name: `w${index}`,
          tools: [work],
          decide: (): Decision => ({ kind: 'act', calls: [{ name: 'work', input: {} }] }),
        }),
      ]),
    );
    const assignments = Object.keys(workers).map((name) => ({ worker: name, task: 'work' }));
    const team = supervisorWorker({
      name: 'team',
      supervisor: { model: scriptedModel([JSON.stringify({ assignments, answer: null })]) },
      workers,
    });
    const handle = team.stream('go');
    await Promise.all(helds.map(({ hasBegun }) => hasBegun(1)));
    handle.abort('closing time');
    handle.abort('another reason');
    const { events, stopReason } = await handle.result;
    expect(stopReason).toEqual({ kind: 'aborted', reason: 'closing time' });
    const ended = events.flatMap((event) =>
      event.type === 'member.ended' && event.member.startsWith('w') ? [event.stopReason] : [],
    );
    expect(ended).toEqual([0, 1, 2].map(() => ({ kind: 'aborted', reason: 'closing time' })));
  });
});

describe('a run that is suspended', () => {
  test('finishes what is under way, writes it, begins nothing more, and goes on elsewhere', async () => {
    const { work, begun, finish, hasBegun } = held();
    const store = new PlainStore();
    const handle = worker(work).stream('go', { store, runId: 'r' });
    await hasBegun(1);
    const suspended = handle.suspend();
    finish();
    await suspended;
    await expect(handle.result).rejects.toMatchObject({ code: 'run.suspended' });
    expect(begun).toHaveLength(1);
    const { records } = await recordsIn(store, 'r');
    const types = records.flatMap((record) => (record.kind === 'event' ? [record.event.type] : []));
    expect(types).toContain('step.ended');
    expect(types).not.toContain('run.ended');
    expect(store.entries.get('r')?.status).toBe('running');

    const again = await resume(worker(work), 'r', { store });
    for (const times of [2, 3]) {
      await hasBegun(times);
      finish();
    }
    expect((await again.result).output).toBe('done');
    expect(begun).toEqual(['call_0_0', 'call_1_0', 'call_2_0']);
  });

  test('does not wait for ever: what has not finished is done again', async () => {
    const { work, begun, finish, hasBegun } = held();
    const store = new PlainStore();
    const handle = worker(work, 1).stream('go', { store, runId: 'r' });
    await hasBegun(1);
    await handle.suspend({ withinMs: 1 });
    await expect(handle.result).rejects.toMatchObject({ code: 'run.suspended' });
    const again = await resume(worker(work, 1), 'r', { store });
    await hasBegun(2);
    finish();
    expect((await again.result).output).toBe('done');
    expect(begun).toEqual(['call_0_0', 'call_0_0']);
  });

  test('has to be kept somewhere, and not be over', async () => {
    const { work, finish, hasBegun } = held();
    const handle = worker(work, 1).stream('go');
    await hasBegun(1);
    await expect(handle.suspend()).rejects.toMatchObject({ code: 'journal.unknown' });
    finish();
    await handle.result;
    await expect(handle.suspend()).rejects.toMatchObject({ code: 'run.ended' });
  });
});
