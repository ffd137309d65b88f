import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HistoryView, append, emptyHistory } from '../../src/base/collections/history.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Acted, AgentInput, Critiqued, Decided } from '../../src/machines/agent/agent-context.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { walk } from '../../src/testing/walk.ts';
import {
  accept,
  again,
  agentInput,
  answered,
  calling,
  deciding,
  failure,
  halt,
  judging,
  prepared,
  problem,
  refusing,
  resulting,
  revise,
  rules,
  say,
  saying,
  success,
  trouble,
} from './agent-walks.ts';
import { sized } from '../support/thorough.ts';

// What survives JSON only: no -0, as JSON has no sign for it.
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): Json => JSON.parse(JSON.stringify(value)) as Json);

const decision: fc.Arbitrary<Decided> = fc.oneof(
  json.map(saying),
  fc.array(fc.constantFrom('a', 'b', 'write!'), { maxLength: 4 }).map((names) => calling(...names)),
  fc.constantFrom(
    deciding({ kind: 'wait', reason: undefined, forMs: 10 }),
    deciding({ kind: 'handoff', to: 'bob', message: undefined }),
    again(problem('no JSON')),
    again(),
    refusing,
    trouble(),
  ),
);

const outcome: fc.Arbitrary<Acted> = fc.oneof(
  json.map((value) => resulting(success('ok', { ok: true, value }))),
  fc.constantFrom(
    resulting(failure()),
    resulting(failure('unknown')),
    resulting(success('ok', { control: { type: 'complete', answer: { a: 1 } } })),
    trouble({ error: undefined }),
  ),
);

const critiqued: fc.Arbitrary<Critiqued> = fc.constantFrom(accept, revise, halt).map(judging);

const kind: fc.Arbitrary<Partial<AgentInput>> = fc.record({
  observes: fc.boolean(),
  critics: fc.constantFrom('none', 'answer', 'step'),
  toolConcurrency: fc.integer({ min: 1, max: 3 }),
  state: json,
});

/** What any run of any agent is made of: what is answered is drawn from lists, over and over. */
const script = fc.record({
  kind,
  observation: fc.option(json, { nil: undefined }),
  decisions: fc.array(decision, { minLength: 1, maxLength: 12 }),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 6 }),
  critiques: fc.array(critiqued, { minLength: 1, maxLength: 4 }),
  states: fc.array(json, { minLength: 1, maxLength: 4 }),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

/** The items of a list, over and over. */
const cycling = <T>(list: readonly T[]): (() => T) => {
  let turn = 0;
  // Lists are drawn with at least one item.
  return () => list[turn++ % list.length] as T;
};

/** One trouble in a row is enough: what was handed on is answered without. */
const calmly = <T extends { readonly kind: string }>(draw: () => T, instead: T): (() => T) => {
  let wasTrouble = false;
  return () => {
    const drawn = draw();
    const isTwice = drawn.kind === 'trouble' && wasTrouble;
    wasTrouble = drawn.kind === 'trouble' && !isTwice;
    return isTwice ? instead : drawn;
  };
};

const performed = ({ kind: changes, observation, decisions, outcomes, critiques, states }: Script) => {
  const act = calmly(cycling(outcomes), resulting());
  return walk(
    agentMachine,
    agentInput(changes),
    {
      prepare: () => prepared(),
      observe: () => (observation === undefined ? {} : { observation }),
      decide: calmly(cycling(decisions), saying('calm')),
      act: ({ index }) => {
        const acted = act();
        return acted.kind === 'trouble' ? { ...acted, index } : acted;
      },
      critique: cycling(critiques),
      wake: () => undefined,
    },
    rules({ stop: [maxSteps(8)], reduce: ({ step }) => states[step % states.length] ?? null }),
  );
};

const roundTrip = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('[law 2] plain JSON', () => {
  test('is all that a context holds, at every point of every walk, and all that leaves a machine', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        const { positions, output, status } = performed(drawn);
        expect(status).toBe('done');
        for (const { context, outputs } of positions) {
          expect(roundTrip(context)).toEqual(context);
          expect(roundTrip(outputs)).toEqual(outputs);
        }
        expect(roundTrip(output)).toEqual(output);
      }),
      { numRuns: sized(50, 100) },
    );
  });

  test('[design 7] a context has fewer than ten keys', () => {
    const [first] = walk(agentMachine, agentInput(), []).positions;
    expect(Object.keys(first?.context ?? {}).length).toBeLessThanOrEqual(10);
  });

  test('[law 4] no effect key is asked twice, and each says where it comes from', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        const { outputs } = performed(drawn);
        const keys = outputs.flatMap((each) => (each.type === 'ask' ? [each.ask.key] : []));
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key).toMatch(/^run-1\/ada#\d+\.\w+\.\d+\.1$/);
      }),
      { numRuns: sized(60, 200) },
    );
  });

  test('[law 4] a machine is a pure function: the same walk twice puts out the same', () => {
    const steps = [say('hi'), answered(0)];
    expect(walk(agentMachine, agentInput(), steps).outputs).toEqual(
      walk(agentMachine, agentInput(), steps).outputs,
    );
  });

  test('[I2] an older context is never changed by what happens later', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        const { outputs } = performed(drawn);
        const asked = outputs.flatMap((each) => (each.type === 'ask' ? [each.ask] : []));
        // An ask holds the context of its time: had a later append written into a shared chunk, it would show.
        for (const ask of asked) {
          if (!('history' in ask.input)) continue;
          const { history } = ask.input;
          expect([...new HistoryView(history)]).toHaveLength(history.length);
        }
      }),
      { numRuns: sized(50, 100) },
    );
  });

  test('[I3] every walk ends in exactly one way, told last, with nothing left asked', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        const { path, output, asks } = performed(drawn);
        const ends = path.filter((phase) => ['completed', 'stopped', 'aborted', 'failed'].includes(phase));
        expect(ends).toEqual([path.at(-1)]);
        expect(output?.status).toBe(path.at(-1));
        expect(asks).toEqual([]);
      }),
      { numRuns: sized(60, 200) },
    );
  });

  test('[I4] every step goes through CHECK_STOP once, and is counted once', () => {
    fc.assert(
      fc.property(script, (drawn) => {
        const { path, output } = performed(drawn);
        expect(path.filter((phase) => phase === 'CHECK_STOP')).toHaveLength(output?.steps ?? -1);
        expect(path.filter((phase) => phase === 'REDUCE')).toHaveLength(output?.steps ?? -1);
      }),
      { numRuns: sized(60, 200) },
    );
  });
});

describe('a history', () => {
  /** Batches to append, long enough to fill several chunks. */
  const batches = fc.array(fc.array(fc.integer(), { maxLength: 90 }), { maxLength: 12 });

  test('reads like an array: length, at from both ends, iteration', () => {
    fc.assert(
      fc.property(batches, fc.integer({ min: -400, max: 400 }), (each, index) => {
        const all = each.flat();
        const view = new HistoryView(
          each.reduce((history, items) => append(history, ...items), emptyHistory<number>()),
        );
        expect(view.length).toBe(all.length);
        expect(view.at(index)).toBe(all.at(index));
        expect([...view]).toEqual(all);
        expect(view.toArray()).toEqual(all);
      }),
      { numRuns: sized(100, 300) },
    );
  });

  test('[I2] appending never changes an older version', () => {
    fc.assert(
      fc.property(batches, (each) => {
        let history = emptyHistory<number>();
        const versions = each.map((items) => {
          history = append(history, ...items);
          return { history, text: JSON.stringify(history) };
        });
        for (const version of versions) expect(JSON.stringify(version.history)).toBe(version.text);
        // Two futures of one past do not meet.
        const past = versions.at(0)?.history ?? emptyHistory<number>();
        append(past, 1, 2, 3);
        expect(append(past, 9).length).toBe(past.length + 1);
        expect(new HistoryView(append(past, 9)).at(-1)).toBe(9);
      }),
      { numRuns: sized(50, 100) },
    );
  });

  test('[I1] appending copies at most a tail: full chunks are shared', () => {
    const items = Array.from({ length: 200 }, (_, index) => index);
    const long = append(emptyHistory<number>(), ...items);
    const longer = append(long, 200);
    expect(long.full).toHaveLength(3);
    for (const [index, chunk] of long.full.entries()) expect(longer.full[index]).toBe(chunk);
    expect(longer.tail.length).toBeLessThan(64);
    expect(append(long)).toBe(long);
    const even = append(emptyHistory<number>(), ...items.slice(0, 128));
    expect([even.full.map(({ length }) => length), even.tail]).toEqual([[64, 64], []]);
  });

  test('is plain JSON', () => {
    const history = append(emptyHistory<number>(), ...Array.from({ length: 130 }, (_, index) => index));
    expect(roundTrip(history)).toEqual(history);
  });
});
