import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool, type Decision } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import type { Model } from '../../src/models/index.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import { openJournal } from '../../src/persistence/journal-codec.ts';
import { workflow } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { never, settled } from '../support/runs.ts';
import { slowStore } from '../support/slow-store.ts';

/** How many decisions are in the store at this very moment. */
const decisionsIn = (store: PlainStore): number =>
  openJournal('r', store.read('r')).records.filter(
    (record) =>
      isJsonObject(record) && isJsonObject(record['event']) && record['event']['type'] === 'agent.decided',
  ).length;

/** Answers by promise, as a provider does. */
const later = (model: Model): Model => ({
  ...model,
  answer: async (...given) => {
    await Promise.resolve();
    return model.answer(...given);
  },
});

const manners = [
  { of: {} },
  { of: { cacheable: true } },
  { of: { safety: 'write', idempotent: true } },
  { of: { safety: 'write' } },
  { of: { safety: 'write', exclusive: true } },
] as const;

const stores = [
  { what: 'at once', make: (store: PlainStore) => store },
  { what: 'after 40 ms', make: (store: PlainStore) => slowStore(store, 40) },
];

describe.each(stores)('a store that writes $what', ({ make }) => {
  test.each(manners)('[FIND-47] has the decision before a tool that is $of begins', async ({ of }) => {
    const plain = new PlainStore();
    const decided: number[] = [];
    const book = tool({
      name: 'book',
      description: 'Books a seat.',
      input: z.object({ seat: z.string() }),
      ...of,
      execute: () => {
        decided.push(decisionsIn(plain));
        return 'booked';
      },
    });
    const clerk = agent({
      name: 'clerk',
      tools: [book],
      model: later(
        scriptedModel([
          calls({ name: 'book', input: { seat: '12A' } }, { name: 'book', input: { seat: '12B' } }),
          calls({ name: 'book', input: { seat: '31F' } }),
          'done',
        ]),
      ),
    });
    await clerk.run('go', { store: make(plain), runId: 'r' });
    expect(decided).toEqual([1, 1, 2]);
  });

  test('[FIND-47] has the yes of a person before the call that it was for begins', async () => {
    const plain = new PlainStore();
    const approved: boolean[] = [];
    const book = tool({
      name: 'book',
      description: 'Books a seat.',
      input: z.object({}),
      approval: true,
      execute: () => {
        approved.push(JSON.stringify(plain.read('r')).includes('tool.approved'));
        return 'booked';
      },
    });
    const clerk = agent({
      name: 'clerk',
      tools: [book],
      model: later(scriptedModel([calls({ name: 'book', input: {} }), 'done'])),
    });
    await clerk.run('go', { store: make(plain), runId: 'r', person: { approve: () => true } });
    expect(approved).toEqual([true]);
  });

  test('[FIND-47] has what went before when a function of a workflow begins', async () => {
    const plain = new PlainStore();
    const decided: number[] = [];
    const pricer = agent({ name: 'pricer', model: later(scriptedModel(['10'])) });
    const shop = workflow({ name: 'shop' })
      .node('price', pricer)
      .node(
        'charge',
        () => {
          decided.push(decisionsIn(plain));
          return 'charged';
        },
        { after: 'price' },
      )
      .build();
    await shop.run('go', { store: make(plain), runId: 'r' });
    expect(decided).toEqual([1]);
  });
});

describe('the key of a call', () => {
  interface Booked {
    readonly key: string;
    readonly seat: string;
  }
  /** Books, and then hangs, as one does whose process dies. */
  const clerk = (booked: Booked[], seat: string, isHanging = false) =>
    agent({
      name: 'clerk',
      tools: [
        tool({
          name: 'book',
          description: 'Books a seat.',
          input: z.object({ seat: z.string() }),
          safety: 'write',
          idempotent: true,
          execute: (input, { key }) => {
            booked.push({ key, seat: input.seat });
            return isHanging ? never<string>() : 'booked';
          },
        }),
      ],
      decide: ({ step }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'book', input: { seat } }] }
          : { kind: 'answer', answer: 'done' },
    });

  const begun = async (booked: Booked[]): Promise<PlainStore> => {
    const store = new PlainStore();
    const handle = clerk(booked, '12A', true).stream('go', { store, runId: 'r' });
    handle.result.catch(() => undefined);
    while (booked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return store;
  };

  test('[FIND-47] is never the same with other arguments, also where a store lost what was decided', async () => {
    const booked: Booked[] = [];
    const { records } = await recordsIn(await begun(booked), 'r');
    // It was restored from a copy of before.
    const old = PlainStore.with('r', records.slice(0, 1));
    await settled(await resume(clerk(booked, '31F'), 'r', { store: old }));
    expect(booked.map(({ seat }) => seat)).toEqual(['12A', '31F']);
    expect(new Set(booked.map(({ key }) => key)).size).toBe(2);
  });

  test('[FIND-47] is the same with the same arguments, after a crash too', async () => {
    const booked: Booked[] = [];
    const { records } = await recordsIn(await begun(booked), 'r');
    await settled(await resume(clerk(booked, '31F'), 'r', { store: PlainStore.with('r', records) }));
    expect(booked.map(({ seat }) => seat)).toEqual(['12A', '12A']);
    expect(new Set(booked.map(({ key }) => key)).size).toBe(1);
  });

  test('[FIND-47] is as it was in a run that began in 0.1, as those outside know it by that', async () => {
    const booked: Booked[] = [];
    const { records } = await recordsIn(await begun(booked), 'r');
    const [{ keys: _keys, ...began } = { keys: undefined }, ...rest] = records.map((record) =>
      record.kind === 'began' ? record : { ...record, keys: undefined },
    );
    const old = PlainStore.with('r', JSON.parse(JSON.stringify([began, ...rest])));
    await settled(await resume(clerk(booked, '12A'), 'r', { store: old }));
    expect(booked.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^r\/clerk#0\.call_0_0~[0-9a-f]{12}$/),
      'r/clerk#0.call_0_0',
    ]);
  });
});
