import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool, type Agent, type Decision, type RuntimeEvent } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { PlainStore } from '../support/plain-store.ts';
import { isThorough } from '../support/thorough.ts';

const add = tool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'write',
  idempotent: true,
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => Promise.resolve(amount),
});

const helper = agent({
  name: 'helper',
  tools: [pay],
  decide: ({ step }): Decision =>
    step === 0
      ? { kind: 'act', calls: [{ name: 'pay', input: { amount: 9 } }] }
      : { kind: 'answer', answer: 'helped' },
});

const help = tool({
  name: 'help',
  description: 'Has the helper help.',
  idempotent: true,
  input: z.object({}),
  execute: async (_, { run }) => (await run(helper, 'go')).output ?? null,
});

const worker = (name: string, amount: number) =>
  agent({
    name,
    tools: [add, pay, help],
    critics: [{ name: 'reader', critique: () => Promise.resolve({ verdict: 'accept' }) }],
    decide: ({ step }): Decision => {
      if (step === 0)
        return {
          kind: 'act',
          calls: [
            { name: 'add', input: { a: 1, b: amount } },
            { name: 'pay', input: { amount } },
          ],
        };
      if (step === 1)
        return {
          kind: 'act',
          calls: [
            { name: 'help', input: {} },
            { name: 'pay', input: { amount: amount + 1 } },
          ],
        };
      return step === 2 ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: `${name} paid ${amount}` };
    },
  });

const cases: readonly { readonly what: string; readonly make: () => Agent }[] = [
  { what: 'an agent', make: () => worker('solo', 5) },
  {
    what: 'a team within a team',
    make: () =>
      pipeline({
        name: 'team',
        stages: [worker('first', 1), pipeline({ name: 'inner', stages: [worker('second', 2)] })],
      }),
  },
];

/** What happened at each address, without when. */
const byPath = (events: readonly RuntimeEvent[]): Record<string, string[]> => {
  const found: Record<string, string[]> = {};
  for (const event of events) (found[event.path] ??= []).push(timeless(event));
  return found;
};

const timeless = (event: RuntimeEvent): string =>
  JSON.stringify(event, (key: string, value: unknown) =>
    ['at', 'seq', 'durationMs', 'startedAt', 'endedAt', 'until'].includes(key) ? undefined : value,
  );

describe.each(cases)('$what', ({ make }) => {
  test('tells the same stored as not stored', async () => {
    const stored = await make().run('go', { store: new PlainStore(), runId: 'r' });
    const plain = await make().run('go', { runId: 'r' });
    expect(byPath(stored.events)).toEqual(byPath(plain.events));
    expect(stored.output).toEqual(plain.output);
  });

  test('[TENEX-98] is gone on with from whatever record its journal ends with, and keeps all that it had', async () => {
    const store = new PlainStore();
    const whole = await make().run('go', { store, runId: 'r' });
    const { records } = await recordsIn(store, 'r');
    // Of a long journal every seventh one, from the last on.
    const stride = isThorough || records.length < 60 ? 1 : 7;
    for (let length = records.length; length > 0; length -= stride) {
      const cut = PlainStore.with('r', records.slice(0, length));
      const resumed = await (await resume(make(), 'r', { store: cut })).result;
      expect(resumed.output).toEqual(whole.output);
      const { records: all } = await recordsIn(cut, 'r');
      expect(all.slice(0, length)).toEqual(records.slice(0, length));
      const again = await (await resume(make(), 'r', { store: cut })).result;
      expect(again.events).toEqual(resumed.events);
    }
  });
});
