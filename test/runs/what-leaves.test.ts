import fc from 'fast-check';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { intercepted } from '../../src/tools/wrappers/interceptors.ts';
import { settled, start } from '../support/runs.ts';
import { startIn } from '../support/stored-runs.ts';

/** Changes everything that can be changed in a value, however deep: sets, adds, removes, puts in other places. */
const vandalise = (value: unknown, seen = new Set<object>()): void => {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (Symbol.iterator in value && !Array.isArray(value)) {
    vandalise([...(value as Iterable<unknown>)], seen);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return;
  for (const item of Object.values(value)) vandalise(item, seen);
  const changes: readonly (() => unknown)[] = [
    () => Reflect.set(value, 'vandal', true),
    () => Array.isArray(value) && Array.prototype.push.call(value, 'vandal'),
    () => Array.isArray(value) && Array.prototype.reverse.call(value),
    ...Object.keys(value).map(
      (key) => () => Reflect.set(value, key, typeof Reflect.get(value, key) === 'number' ? 666 : 'vandal'),
    ),
  ];
  for (const change of changes)
    try {
      change();
    } catch {
      // It is frozen: so it should be.
    }
};

/** Everybody that anything is handed to. */
const OBSERVERS = [
  'subscriber',
  'iterator',
  'hook',
  'inspector',
  'person',
  'requests',
  'safety',
  'critic',
  'stop rule',
  'shouldStop',
  'reduce',
  'ending',
  'observe',
  'decide',
  'model',
  'interceptor',
  'describe',
  'approval',
  'environment',
  'tool',
  'memory',
  'strategy',
  'resource',
  'fragment',
] as const;

type Observer = (typeof OBSERVERS)[number];

interface Given {
  readonly input: Json;
  readonly answer: string;
}

/** An agent that hands things to everybody; those who are meant change all that they are given. */
const crowd = (given: Given, vandals: ReadonlySet<Observer>) => {
  const received: string[] = [];
  const touched = new Set<Observer>();
  const touch = (who: Observer, ...values: readonly unknown[]): void => {
    if (!vandals.has(who)) return;
    touched.add(who);
    for (const value of values) vandalise(value);
  };
  const pays = intercepted(
    tool({
      name: 'pays',
      description: 'Pays.',
      input: z.object({ what: z.any() }),
      describe: (input) => (touch('describe', input), 'Paying'),
      approval: (input) => (touch('approval', input), true),
      execute: (input, context) => {
        received.push(JSON.stringify(input));
        touch('tool', input, context.conversation, context.state);
        const value = { paid: { what: 'it' } };
        return value;
      },
    }),
    [
      {
        name: 'looks',
        before: (input) => (touch('interceptor', input), undefined),
        after: (outcome) => (touch('interceptor', outcome), undefined),
      },
    ],
  );
  const script = [
    calls({ name: 'pays', input: { what: given.input } }),
    calls({ name: 'pays', input: { what: [given.input, 1] } }),
    given.answer,
  ];
  const one = agent({
    name: 'a',
    tools: [pays],
    settings: { temperature: 0.5 },
    model: scriptedModel(script.map((reply) => (request) => (touch('model', request), reply))),
    state: { seen: [] as Json[] },
    observe: (view) => (
      touch('observe', view.transcript, view.results, view.tally, view.input),
      { at: { step: view.step } }
    ),
    decide: (view) => (
      touch('decide', view.transcript, view.results, view.observation, view.state),
      undefined
    ),
    reduce: (view) => (
      touch('reduce', view.results, view.decision, view.observation),
      { seen: [...view.state.seen, view.step] }
    ),
    memory: {
      sources: {
        name: 'notes',
        scope: 'run',
        open: () =>
          Promise.resolve({
            append: (records) => touch('memory', records),
            recall: () => [{ kind: 'fact', text: 'Ann is owed 10.', at: 0 }],
            summarise: () => '',
            evict: () => 0,
            reset: () => undefined,
          }),
        release: () => Promise.resolve(),
      },
    },
    strategy: {
      name: 'looks',
      decide: (view) => (touch('strategy', view.transcript, view.results, view.observation), undefined),
      review: (decision, { view }) => (touch('strategy', decision, view.transcript), { kind: 'keep' }),
    },
    conversation: {
      fragments: [
        { name: 'own', priority: 1, each: 'step', text: (facts) => (touch('fragment', facts), 'Be quick.') },
      ],
    },
    stop: {
      shouldStop: (view) => (touch('shouldStop', view), false),
      rules: { name: 'looks', check: (view) => (touch('stop rule', view), undefined) },
      ends: { name: 'looks', answered: (view) => (touch('ending', view), { kind: 'end' }) },
    },
    critics: [
      {
        name: 'looks',
        each: 'step',
        critique: (review) => (
          touch('critic', review.results, review.candidate, review.input, review.evidence),
          { verdict: 'accept' }
        ),
      },
    ],
    environment: {
      name: 'world',
      ops: {},
      observe: () => 'there',
      step: (action) => (touch('environment', action), { observation: 'changed' }),
    },
  });
  const options: RunOptions = {
    runId: 'r',
    safety: (wish) => (touch('safety', wish.input), { verdict: 'allow' }),
    hooks: [{ name: 'looks', handle: (event) => touch('hook', event) }],
    resources: [
      {
        around: (inner, use) => (
          touch('resource', use),
          {
            ...inner,
            answer: (request, call) => (touch('resource', request), inner.answer(request, call)),
          }
        ),
        execute: ({ facts, context, run }) => (
          touch('resource', facts, context.conversation, context.state),
          run()
        ),
      },
    ],
    ...(vandals.has('person') ? { person: { approve: (request) => (touch('person', request), true) } } : {}),
  };
  const follow = async <Output, State>(handle: RunHandle<Output, State>): Promise<void> => {
    handle.events$.subscribe((event) => {
      touch('subscriber', event);
    });
    void (async () => {
      for await (const event of handle) touch('iterator', event);
    })();
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    handle.result.then(end, end);
    for (let turns = 0; !isOver && turns < 1_000_000; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const request of handle.requests) {
        touch('requests', request);
        handle.approve(request.id);
      }
    }
    handle.abort();
  };
  return { one, options, follow, received, touch, touched };
};

const someone = fc.uniqueArray(fc.constantFrom(...OBSERVERS), { minLength: 1, maxLength: OBSERVERS.length });
const given: fc.Arbitrary<Given> = fc.record({
  input: fc.oneof(
    fc.constant<Json>({ to: 'ann', amount: 10, parts: [{ deep: { er: [1, 2] } }] }),
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
  ),
  answer: fc.constantFrom('done', 'paid twice'),
});

describe.each(['without a store', 'stored'])('%s', (name) => {
  const come = async (setup: Given, vandals: ReadonlySet<Observer>) => {
    const { one, options, follow, received, touch, touched } = crowd(setup, vandals);
    const clock = virtualClock();
    const store = memoryStore();
    const watched = vandals.has('inspector')
      ? { inspect: (event: unknown) => touch('inspector', snapshotIn(event)) }
      : {};
    const all = { ...options, ...watched, clock };
    const handle = name === 'stored' ? startIn(store, one, 'go', all) : start(one, 'go', all);
    await follow(handle);
    const result = await settled(handle);
    // Before anybody gets at the result.
    const told = JSON.stringify([
      result.events,
      result.records,
      result.status,
      result.output,
      result.state,
      result.totals,
    ]);
    vandalise([
      result.events,
      result.records,
      result.effects,
      result.output,
      result.artifacts,
      result.stopReason,
      result.transcript,
      result.totals,
      result.state,
    ]);
    const again = JSON.stringify([result.events, result.records]);
    expect(told.startsWith(again.slice(0, -1))).toBe(true);
    const journal = name === 'stored' ? JSON.stringify(untimed((await recordsIn(store, 'r')).records)) : '';
    if (name === 'stored')
      expect(JSON.stringify((await replay(crowd(setup, new Set()).one, 'r', { store })).events)).toBe(
        JSON.stringify(result.events),
      );
    return { told, journal, received, touched };
  };

  test('[FIND-48] a change of what is handed out changes nothing: neither log nor journal nor arguments', async () => {
    await fc.assert(
      fc.asyncProperty(given, someone, async (setup, vandals) => {
        const people = vandals.filter((who) => who === 'person');
        const expected = await come(setup, new Set());
        expect(expected.received.map((text) => JSON.parse(text) as unknown)).toEqual([
          { what: setup.input },
          { what: [setup.input, 1] },
        ]);
        const found = await come(setup, new Set(vandals));
        // Who approves is not on record.
        expect(people.length).toBeLessThanOrEqual(1);
        // Of one alone: it was handed something.
        expect(vandals.length > 1 || found.touched.size === 1).toBe(true);
        expect(found.received).toEqual(expected.received);
        expect(found.told).toBe(expected.told);
        expect(found.journal).toBe(expected.journal);
      }),
      {
        numRuns: 12,
        examples: OBSERVERS.map((who): [Given, Observer[]] => [
          { input: { to: 'ann', parts: [{ deep: [1] }] }, answer: 'done' },
          [who],
        ]),
      },
    );
  });
});

/** When a memory has written is a matter of turns of the event loop, and nobody's who looks on. */
const untimed = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.filter((record) => record.kind !== 'arrived' || record.arrival.type !== 'remembered');

const snapshotIn = (event: unknown): unknown => {
  const snapshot: unknown =
    typeof event === 'object' && event !== null ? Reflect.get(event, 'snapshot') : undefined;
  return typeof snapshot === 'object' && snapshot !== null ? Reflect.get(snapshot, 'context') : undefined;
};

test('[FIND-48] a turn is frozen where it is sent to a model', async () => {
  const turns: Turn[] = [];
  const model = scriptedModel([
    ({ messages }) => {
      turns.push(...messages);
      return 'done';
    },
  ]);
  await agent({ name: 'a', model }).run('go');
  expect(turns.length).toBeGreaterThan(0);
  expect(turns.every((turn) => Object.isFrozen(turn))).toBe(true);
});
