import fc from 'fast-check';
import type { Subscription } from 'rxjs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import { toJson } from '../../src/base/json/json.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Model, ModelDelta } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { letTimePass, quiet } from '../support/runs.ts';

const REFUSED = 'refused';
/** As a provider writes them: its text knows no −0. Of any names but those that could change a prototype: such arguments are refused. */
const items = fc.array(
  fc.jsonValue({ maxDepth: 2 }).map((value) => toJson(JSON.parse(JSON.stringify(value)))),
  { maxLength: 4 },
);

/** An answer: its list, by text or by `complete`, the sizes of its pieces, and what comes of it. */
const answer = fc.record({
  list: items,
  byCall: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
});
const script = fc.record({
  /** Broken off, or refused by the schema. */
  failed: fc.array(fc.tuple(answer, fc.boolean()), { maxLength: 2 }),
  last: answer,
  /** Deltas before which somebody subscribes, and those between which somebody reads events. */
  joins: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
  reads: fc.array(fc.tuple(fc.nat(40), fc.nat(9)), { maxLength: 2 }),
});
type ListRun = Pick<RunHandle<readonly Json[], unknown>, 'partial$' | 'element$' | 'events$'>;
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never;

/** The deltas of an answer, and the answer. */
const written = ({ list, byCall, sizes }: Answer) => {
  const input = { answer: list, summary: 'done' };
  const text = JSON.stringify(byCall ? input : list);
  const deltas: ModelDelta[] = [];
  for (let at = 0; at < text.length;) {
    const piece = text.slice(at, at + (sizes[deltas.length % sizes.length] ?? 1));
    const name = deltas.length === 0 ? { name: 'complete' } : {};
    deltas.push(
      byCall ? { type: 'tool-call', index: 0, text: piece, ...name } : { type: 'text', text: piece },
    );
    at += piece.length;
  }
  const said = byCall ? { text: '', calls: [{ id: 'c', name: 'complete', input }] } : { text };
  return { deltas, answer: modelAnswer(said) };
};

/** Runs a script; `before` is called before each delta, with its number in the run. */
const perform = async (
  { failed, last }: Script,
  before: (at: number, run: ListRun, isFirst: boolean) => void,
): Promise<Json> => {
  const turns = [
    ...failed.map(([each, isBroken]) => ({
      ...written(isBroken ? each : { ...each, list: [...each.list, REFUSED] }),
      isBroken,
    })),
    { ...written(last), isBroken: false },
  ];
  let at = 0;
  const model: Model = {
    provider: 'example',
    id: 'writer',
    answer: async (_request, call) => {
      const turn = turns.shift();
      if (turn === undefined) throw new Error('asked too often');
      await Promise.resolve();
      for (const [index, delta] of turn.deltas.entries()) {
        before(at, run, index === 0);
        at += 1;
        call.delta(delta);
      }
      if (turn.isBroken) throw new TroupeError('model.failed', 'Cannot answer', { retryable: 'yes' });
      return turn.answer;
    },
  };
  // The output is another list than that of the answer.
  const output = z
    .array(z.json())
    .refine((list) => !list.includes(REFUSED))
    .transform((list) => list.toReversed());
  const clock = virtualClock();
  const run = agent({ name: 'writer', model, output, tools: [complete] }).stream('go', { clock });
  before(-1, run, true);
  const result = await letTimePass(clock, run.result);
  return result.output ?? null;
};
/** What a subscriber has that joins before a delta. */
class Joined {
  readonly at: number;
  readonly atOnce: unknown;
  last: unknown;
  /** Folded as the guide says. */
  readonly list: Json[] = [];

  constructor(run: ListRun, at: number) {
    this.at = at;
    run.partial$.subscribe((value) => (this.last = value));
    this.atOnce = this.last;
    run.element$.subscribe(({ index, element }) => {
      if (element === undefined) this.list.length = index;
      else this.list[index] = element;
    });
  }
}

type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

test('who joins an answer has at once what is there of it, and at the end the output, whatever the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (given) => {
      /** Before each delta, what is there of its answer for a subscriber of the whole run. */
      const had: unknown[] = [];
      let latest: unknown;
      await perform(given, (at, run, isFirst) => {
        if (at < 0) run.partial$.subscribe((value) => (latest = value));
        if (isFirst) latest = undefined;
        had[at] = latest;
      });
      const joined: Joined[] = [];
      const readers = new Map<number, Subscription>();
      const output = await perform(given, (at, run) => {
        for (const [index, [from, length]] of given.reads.entries()) {
          if (at === from) readers.set(index, run.events$.subscribe());
          if (at === from + length) readers.get(index)?.unsubscribe();
        }
        if (given.joins.includes(at)) joined.push(new Joined(run, at));
      });
      await quiet();
      for (const { at, atOnce, last, list } of joined) {
        expect(atOnce).toEqual(had[at] ?? atOnce);
        expect(last).toEqual(output);
        expect(list).toEqual(output);
      }
    }),
    { numRuns: 60 },
  );
});
