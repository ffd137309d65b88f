import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  answerRequest,
  openRequests,
  resume,
  tool,
  type Decision,
  type RunOptions,
  type RuntimeEvent,
} from '../../src/index.ts';
import type { Became } from '../../src/contracts/tools/tool.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { quiet } from '../support/runs.ts';

interface Payments {
  readonly approval?: boolean;
  readonly idempotent?: boolean;
  readonly whatBecame?: (key: string) => Became<number> | undefined | Promise<Became<number> | undefined>;
}

/** Pays, and never comes back the first time: its process is killed in the midst of it. */
const payments = ({ whatBecame, ...facts }: Payments = {}) => {
  const keys: string[] = [];
  let isStuck = true;
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'write',
    input: z.object({ amount: z.number() }),
    timeoutMs: 1_000,
    ...facts,
    ...(whatBecame === undefined ? {} : { whatBecame: (key) => whatBecame(key) }),
    execute: ({ amount }, { key }) => {
      keys.push(key);
      return isStuck ? new Promise<number>(() => undefined) : amount;
    },
  });
  const made = agent({
    name: 'payer',
    tools: [pay],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'pay', input: { amount: 5 } }] }
        : { kind: 'answer', answer: results.map(({ text }) => text).join(' | ') },
  });
  /** Runs until it is in the midst of paying; gives the store as it is then. */
  const interrupted = async (
    store = new PlainStore(),
    begin = () => Promise.resolve(made.stream('go', { store, runId: 'r' })),
  ) => {
    const handle = await begin();
    await quiet();
    if (facts.approval === true) handle.approve('call_0_0');
    await quiet();
    const left = await killed(store);
    handle.abort();
    await handle.result;
    return left;
  };
  return {
    made,
    keys,
    interrupted,
    /** Goes on in another process; `said` is what a person says there. */
    goneOn: async (left: PlainStore, options: Omit<RunOptions, 'store'> = {}) => {
      isStuck = false;
      return resume(made, 'r', { ...options, store: left });
    },
  };
};

const killed = async (store: PlainStore): Promise<PlainStore> =>
  PlainStore.with('r', (await recordsIn(store, 'r')).records);

const typesOf = (events: readonly RuntimeEvent[]) =>
  events.map(({ type }) => type).filter((type) => /^tool\.(?!requested)/.test(type));

describe('a call that was interrupted', () => {
  test('is asked about, and done again only if a person says so', async () => {
    const { keys, interrupted, goneOn } = payments();
    const left = await interrupted();
    expect(keys).toHaveLength(1);
    const handle = await goneOn(left);
    await quiet();
    expect(keys, 'nothing is repeated before').toHaveLength(1);
    expect(handle.requests).toMatchObject([{ kind: 'ambiguous', tool: 'pay', input: { amount: 5 } }]);
    expect(handle.approve('call_0_0', { input: { amount: 1 } }), 'it may have been done as it is').toBe(
      false,
    );
    expect(handle.approve('call_0_0')).toBe(true);
    const { events, output } = await handle.result;
    expect(output).toBe('5');
    expect(keys).toEqual([keys[0], keys[0]]);
    const types = ['tool.ambiguous', 'tool.approved', 'tool.started', 'tool.finished'];
    expect(typesOf(events).slice(-4)).toEqual(types);
  });

  test('is not done again if a person says no: the agent is told that it may have been done', async () => {
    const { keys, interrupted, goneOn } = payments();
    const handle = await goneOn(await interrupted());
    await quiet();
    handle.deny('call_0_0', 'I look myself');
    const { records, output } = await handle.result;
    expect(keys).toHaveLength(1);
    expect(records[0]?.results).toMatchObject([{ ok: false, error: { code: 'tool.ambiguous' } }]);
    expect(output).toMatch(/may or may not have run.*I look myself/);
  });

  test('is neither repeated nor passed over where nobody says anything in time', async () => {
    const { keys, interrupted, goneOn } = payments();
    const left = await interrupted();
    const clock = virtualClock(Date.now());
    const handle = await goneOn(left, { clock, requests: { expireAfterMs: 1_000 } });
    await clock.advance(1_000);
    const { records } = await handle.result;
    expect(keys).toHaveLength(1);
    expect(records[0]?.results).toMatchObject([{ ok: false, error: { code: 'tool.ambiguous' } }]);
  });

  test('is decided on from another process, and by the person given with the run', async () => {
    const first = payments();
    const left = await first.interrupted();
    const handle = await first.goneOn(left);
    await quiet();
    const [request] = await openRequests(left, 'r');
    await answerRequest(left, 'r', { id: request?.id ?? '', yes: true });
    expect((await handle.result).output).toBe('5');
    const second = payments();
    const kinds: string[] = [];
    const person = { approve: ({ kind }: { kind: string }) => kinds.push(kind) > 0 };
    await (
      await second.goneOn(await second.interrupted(), { person })
    ).result;
    expect(kinds).toEqual(['ambiguous']);
  });

  test('is asked about again when the second go was interrupted, too', async () => {
    const { made, keys, interrupted, goneOn } = payments();
    const left = await interrupted();
    const twice = await interrupted(left, async () => {
      const handle = await resume(made, 'r', { store: left });
      await quiet();
      handle.approve('call_0_0');
      return handle;
    });
    expect(keys).toHaveLength(2);
    const handle = await goneOn(twice);
    await quiet();
    expect(keys).toHaveLength(2);
    expect(handle.requests).toMatchObject([{ kind: 'ambiguous' }]);
    handle.deny('call_0_0');
    const { events } = await handle.result;
    expect(new Set(events.flatMap((event) => (event.type === 'tool.ambiguous' ? [event.id] : []))).size).toBe(
      2,
    );
  });

  test('that a person had approved is asked about all the same; one that still waited for its yes is not', async () => {
    const approved = payments({ approval: true });
    const handle = await approved.goneOn(await approved.interrupted());
    await quiet();
    expect(handle.requests).toMatchObject([{ kind: 'ambiguous' }]);
    expect(approved.keys).toHaveLength(1);
    handle.approve('call_0_0');
    expect((await handle.result).output).toBe('5');

    const waiting = payments({ approval: true });
    const store = new PlainStore();
    const begun = waiting.made.stream('go', { store, runId: 'r' });
    await quiet();
    const again = await waiting.goneOn(await killed(store));
    begun.abort();
    await begun.result;
    await quiet();
    expect(again.requests).toMatchObject([{ kind: 'approval' }]);
    again.approve('call_0_0');
    expect((await again.result).output).toBe('5');
  });

  test('is done again with the same key, and nobody is asked, where its tool is idempotent', async () => {
    const { keys, interrupted, goneOn } = payments({ idempotent: true });
    const handle = await goneOn(await interrupted());
    expect((await handle.result).output).toBe('5');
    expect(keys).toEqual([keys[0], keys[0]]);
  });
});

const fates: readonly [string, NonNullable<Payments['whatBecame']>, string, number][] = [
  ['done', () => ({ value: 7 }), '7', 1],
  ['done, as it says later', () => Promise.resolve({ value: 7 }), '7', 1],
  ['never done', () => undefined, '5', 2],
];

describe('a tool that knows what became of a call', () => {
  test.each(fates)('is asked by its key: %s', async (_, whatBecame, output, times) => {
    const asked: string[] = [];
    const { keys, interrupted, goneOn } = payments({
      whatBecame: (key) => {
        asked.push(key);
        return whatBecame(key);
      },
    });
    const { events, ...result } = await (await goneOn(await interrupted())).result;
    expect(result.output).toBe(output);
    expect(asked).toEqual([keys[0]]);
    expect(keys).toHaveLength(times);
    expect(typesOf(events)).not.toContain('tool.ambiguous');
    expect(typesOf(events).at(-1)).toBe('tool.finished');
    expect(typesOf(events).at(-2)).toBe('tool.started');
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no ledger');
      },
    ],
    ['never answers', () => new Promise<undefined>(() => undefined)],
  ])('leaves it to a person where it %s', async (_, whatBecame) => {
    const clock = virtualClock(Date.now());
    const { keys, interrupted, goneOn } = payments({ whatBecame });
    const handle = await goneOn(await interrupted(), { clock });
    await clock.advance(1_000);
    expect(handle.requests).toMatchObject([{ kind: 'ambiguous' }]);
    handle.deny('call_0_0');
    await handle.result;
    expect(keys).toHaveLength(1);
  });

  test('has to give what its output schema lets through, and whatBecame has to be a function', async () => {
    expect(() =>
      tool({
        name: 'x',
        description: 'X.',
        input: z.object({}),
        whatBecame: JSON.parse('1'),
        execute: () => 1,
      }),
    ).toThrow(/whatBecame is not a function/);
    const strict = tool({
      name: 'x',
      description: 'X.',
      input: z.object({}),
      output: z.number(),
      whatBecame: () => ({ value: 'seven' }),
      execute: () => 1,
    });
    await expect(strict.whatBecame?.('k', { signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });
});
