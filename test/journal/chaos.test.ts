import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { Chaos } from '../support/chaos.ts';
import { chaos, patiently, runProblems, stageChaos } from '../support/chaos.ts';
import { PlainStore } from '../support/plain-store.ts';
import { PromptBook } from '../support/prompt-book.ts';
import { quiet } from '../support/runs.ts';
import { tickingClock } from '../support/ticking-clock.ts';
import { goOn, startIn, timeOf } from '../support/stored-runs.ts';
import { isThorough, sized } from '../support/thorough.ts';

const seed = Number(process.env['TROUPE_SEED'] ?? 20_262);
const search =
  isThorough && process.env['TROUPE_SEED'] === undefined
    ? { numRuns: 2_000, seed: Math.floor(Math.random() * 2 ** 31) }
    : { numRuns: sized(15, 2_000), seed };

type Result = RunResult<unknown, unknown>;

const stored = async (plan: Chaos, book: PromptBook): Promise<{ store: PlainStore; result: Result }> => {
  const clock = tickingClock(virtualClock(1_000));
  const store = new PlainStore();
  const { agent, options, play } = book.with(() => stageChaos(plan, clock));
  const handle = startIn(store, agent, 'go', { ...options, runId: 'r' });
  await quiet();
  play(handle);
  return { store, result: await patiently(handle, clock) };
};

const resumed = async (
  plan: Chaos,
  book: PromptBook,
  store: PlainStore,
  records: readonly JournalRecord[],
): Promise<Result> => {
  const clock = tickingClock(virtualClock(timeOf(records.at(-1))));
  const { agent, options } = book.with(() => stageChaos(plan, clock));
  return patiently(await goOn(store, agent, 'r', options), clock);
};

beforeAll(async () => {
  // What a first stored run has to load takes real time, which its clock knows nothing of.
  await agent({ name: 'first', decide: () => answer('here') }).run('go', { store: new PlainStore() });
});

test(`[P7] [FIND-46] whatever breaks, also by a clock that ticks at each reading, a stored run replays to the same events, from any record (seed ${search.seed})`, async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chaos, fc.double({ min: 0, max: 1, noNaN: true }), async (plan, at) => {
      const book = new PromptBook();
      const { store, result } = await stored(plan, book);
      ends.add(result.status);
      expect(runProblems(result)).toEqual([]);
      const { records } = await recordsIn(store, 'r');
      const again = await resumed(plan, book, store, records);
      expect(JSON.stringify(again.events)).toBe(JSON.stringify(result.events));

      const had = records.slice(0, 1 + Math.floor(at * (records.length - 1)));
      const cut = PlainStore.with('r', had);
      const gone = await resumed(plan, book, cut, had);
      expect(runProblems(gone)).toEqual([]);
      const { records: all } = await recordsIn(cut, 'r');
      expect(all.slice(0, had.length)).toEqual(had);
      const twice = await resumed(plan, book, cut, all);
      expect(JSON.stringify(twice.events)).toBe(JSON.stringify(gone.events));
    }),
    search,
  );
  expect([...ends]).toEqual(expect.arrayContaining(['completed', 'aborted', 'failed']));
}, 600_000);
