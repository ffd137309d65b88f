import { beforeAll, describe, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { StopReason } from '../../src/contracts/agents/stop-reason.ts';
import { openJournal } from '../../src/persistence/journal-codec.ts';
import { replayRecords } from '../../src/runtime/journal/replay/replay.ts';
import { journaledDefinition } from '../../src/runtime/journal/resume/resume.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { PlainStore } from '../support/plain-store.ts';
import { PromptBook } from '../support/prompt-book.ts';
import { letTimePass, quiet, settled, start } from '../support/runs.ts';
import { isThorough, sampled, sized } from '../support/thorough.ts';
import { tickingClock } from '../support/ticking-clock.ts';
import { goOn, numbersFrom, startIn, timeOf } from '../support/stored-runs.ts';
import { allScenarios } from './all-scenarios.ts';
import type { Scenario } from './scenarios.ts';

const BEGIN = 1_000;
const seed = Number(process.env['TROUPE_SEED'] ?? 20_261);
const CUTS = sized(1, Infinity);
/** A long journal is gone on with from hundreds of places. */
const CUT_MS = CUTS === Infinity ? 600_000 : 60_000;

type Result = RunResult<unknown, unknown>;

/** A scenario's run and the store that it is in. */
interface Kept {
  readonly store: PlainStore;
  readonly result: Result;
  readonly records: readonly JournalRecord[];
}

const unstored = async (scenario: Scenario): Promise<Result> => {
  const clock = virtualClock(BEGIN);
  const { agent, options, play } = scenario.make(clock);
  const handle = start(agent, 'go', { runId: 'parity', clock, ...options });
  const result = settled(handle);
  await play?.(handle, clock);
  const found = await letTimePass(clock, result, 500);
  expect(clock.pending, 'timers that nobody waits for any more').toBe(0);
  return found;
};

/** A clock that begins with the run. */
type MakeClock = () => VirtualClock;

const standing: MakeClock = () => virtualClock(BEGIN);
const ticking: MakeClock = () => tickingClock(virtualClock(BEGIN));

const stored = async (scenario: Scenario, book: PromptBook, make = standing): Promise<Kept> => {
  const clock = make();
  const store = new PlainStore();
  const { agent, options, play } = book.with(() => scenario.make(clock));
  const handle = startIn(store, agent, 'go', { runId: 'parity', clock, ...options });
  const result = settled(handle);
  await quiet();
  await play?.(handle, clock);
  const found = await letTimePass(clock, result, 5_000);
  const { records } = await recordsIn(store, 'parity');
  return { store, result: found, records };
};

/** A scenario's stored run by a standing clock, which two tests begin with, and the notes of its models. */
const storedOnce = new Map<Scenario, { readonly book: PromptBook; readonly kept: Promise<Kept> }>();

const storedBefore = async (scenario: Scenario): Promise<Kept & { readonly book: PromptBook }> => {
  let known = storedOnce.get(scenario);
  if (known === undefined) {
    const book = new PromptBook();
    known = { book, kept: stored(scenario, book) };
    storedOnce.set(scenario, known);
  }
  return { ...(await known.kept), book: known.book };
};

/** A clock as whoever acts in a run from its beginning reads it: what has passed already is not waited for again. */
const fromTheBeginning = (clock: VirtualClock): VirtualClock => {
  let now = BEGIN;
  return {
    ...clock,
    now: () => clock.now(),
    get pending() {
      return clock.pending;
    },
    advance: async (ms) => {
      now += ms;
      await clock.advance(Math.max(0, now - clock.now()));
    },
  };
};

/** How often something was done to a run that is done once only; a yes that nobody waits for is none. */
const deedsIn = (records: readonly JournalRecord[]) => {
  const arrived = (type: 'message' | 'abort') =>
    records.filter((record) => record.kind === 'arrived' && record.arrival.type === type).length;
  const resumed = records.filter((record) => record.kind === 'event' && record.event.type === 'run.resumed');
  return { send: arrived('message'), abort: arrived('abort'), pause: resumed.length, resume: resumed.length };
};

const isDeed = (name: string | symbol): name is keyof ReturnType<typeof deedsIn> =>
  typeof name === 'string' && ['send', 'abort', 'pause', 'resume'].includes(name);

const isEnd = (record: JournalRecord): boolean =>
  record.kind === 'event' && record.event.type === 'run.ended';

/** A call of a tool that came in mid-run is on record, and the tool has not come again: the run is held, and may have no end. */
const isHeld = async ({ tells }: Scenario, { error }: Result, store: PlainStore): Promise<boolean> => {
  if (tells?.includes('tool.added') !== true || error?.code !== 'tool.missing') return false;
  const { records } = await recordsIn(store, 'parity');
  if (records.some(isEnd)) throw new Error('a run that is held has an end');
  return true;
};

/** A handle by which nothing is done again that is on record. */
const withoutDone = (
  handle: RunHandle<unknown, unknown>,
  records: readonly JournalRecord[],
): RunHandle<unknown, unknown> => {
  const done = deedsIn(records);
  return new Proxy(handle, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (isDeed(name) && done[name] > 0) {
        return () => {
          done[name] -= 1;
        };
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

/** What is the journal's to say, or only of use to one process. */
const withoutBeginning = ({
  limits: { concurrency, messages } = {},
  paused: _paused,
  ...options
}: RunOptions = {}): RunOptions => ({
  ...options,
  limits: { concurrency, messages },
});

/** Observers of a stored run are told when it is written, and so their failures stand elsewhere. */
const withoutObservers = (result: Result): Result => ({
  ...result,
  events: result.events.filter(({ type }) => type !== 'observer.failed'),
});

const resumed = async (
  scenario: Scenario,
  book: PromptBook,
  store: PlainStore,
  make = standing,
): Promise<Result> => {
  const { records } = await recordsIn(store, 'parity');
  const clock = make();
  const { agent, options, play } = book.with(() => scenario.make(clock));
  await clock.advance(timeOf(records.at(-1)) - BEGIN);
  const handle = await goOn(store, agent, 'parity', { ...withoutBeginning(options), clock });
  const result = settled(handle);
  // A call that may have been made is somebody's to decide: here, to make it again.
  handle.events$.subscribe((event) => {
    if (event.type === 'tool.ambiguous') handle.approve(event.id);
  });
  if (!records.some(isEnd)) await play?.(withoutDone(handle, records), fromTheBeginning(clock));
  return letTimePass(clock, result, 5_000);
};

/** What is done again takes its time again: how far a budget of time is overdrawn is another matter then. */
const isOutOfTime = (reason: StopReason): boolean => reason.kind === 'budget' && reason.budget === 'timeMs';

const ends = ({ status, stopReason, output, error }: Result) => ({
  status,
  stopReason: isOutOfTime(stopReason) ? { ...stopReason, used: undefined } : stopReason,
  output,
  code: error?.code,
});

beforeAll(async () => {
  // What a first stored run has to load takes real time, which the virtual clocks of the others know nothing of.
  const [first] = allScenarios;
  if (first !== undefined) await stored(first, new PromptBook());
});

/** Those that are cut, and those that are replayed as they are: a scenario that is cut is replayed in the end. */
const cutScenarios = new Set(sampled(allScenarios, 9));
const replayScenarios = new Set(
  sampled(allScenarios, 8, 1).filter((each) => isThorough || !cutScenarios.has(each)),
);

describe.each(allScenarios)('$name', (scenario) => {
  test('comes to its end, means the same stored, and its journal tells every event again when it is replayed', async () => {
    const found = await unstored(scenario);
    expect(found.events.map(({ type }) => type)).toEqual(expect.arrayContaining([...(scenario.tells ?? [])]));
    expect(found.output).toEqual(scenario.output ?? found.output);
    expect(found.events.at(-1)?.type).toBe('run.ended');
    const { book, ...kept } = await storedBefore(scenario);
    expect(compareRuns(withoutObservers(found), withoutObservers(kept.result))).toEqual([]);
    expect(kept.result.effects.map(({ key }) => key).toSorted()).toEqual(
      found.effects.map(({ key }) => key).toSorted(),
    );
    const rows = kept.store.commits;
    for (let time = 0; time < (replayScenarios.has(scenario) ? sized(1, 2) : 0); time += 1) {
      const again = await resumed(scenario, book, kept.store);
      expect(JSON.stringify(again.events)).toBe(JSON.stringify(kept.result.events));
      expect(ends(again)).toEqual(ends(kept.result));
      expect(again.totals).toEqual(kept.result.totals);
    }
    expect(kept.store.commits).toBe(rows);
  });

  test.each(cutScenarios.has(scenario) ? [seed] : [])(
    'is gone on with from records of its journal (seed %d)',
    async () => {
      const { book, result, records } = await storedBefore(scenario);
      storedOnce.delete(scenario);
      const random = numbersFrom(seed);
      const lengths =
        CUTS >= records.length
          ? records.map((_, index) => index + 1)
          : Array.from({ length: CUTS }, () => 1 + random(records.length));
      for (const length of lengths) {
        const cut = PlainStore.with('parity', records.slice(0, length));
        const found = await resumed(scenario, book, cut);
        if (await isHeld(scenario, found, cut)) continue;
        expect(ends(found), `cut after ${length} of ${records.length} records`).toEqual(ends(result));
        const again = await resumed(scenario, book, cut);
        expect(JSON.stringify(again.events), `gone through again, cut after ${length}`).toBe(
          JSON.stringify(found.events),
        );
        const all = openJournal('parity', cut.read('parity')).records;
        expect(all.slice(0, length)).toEqual(records.slice(0, length));
      }
    },
    CUT_MS,
  );
});

// Two readings of one moment differ by this clock: what is not on record is found out.
test.each(sampled(allScenarios, 10))(
  '[FIND-46] $name is replayed and resumed byte for byte by a clock that ticks at each reading',
  async (scenario) => {
    const book = new PromptBook();
    const { store, result, records } = await stored(scenario, book, ticking);
    const definition = journaledDefinition(book.with(() => scenario.make(ticking())).agent);
    const { events } = await replayRecords(definition, records, {});
    expect(JSON.stringify(events)).toBe(JSON.stringify(result.events));
    const again = await resumed(scenario, book, store, ticking);
    expect(JSON.stringify(again.events)).toBe(JSON.stringify(result.events));

    // In the ordinary gate by a clock that stands, in the test before, and by this one in `one-clock` and `chaos`.
    if (!isThorough) return;
    const length = 1 + numbersFrom(seed)(records.length);
    const cut = PlainStore.with('parity', records.slice(0, length));
    const found = await resumed(scenario, book, cut, ticking);
    const twice = await resumed(scenario, book, cut, ticking);
    expect(JSON.stringify(twice.events), `cut after ${length} of ${records.length}`).toBe(
      JSON.stringify(found.events),
    );
  },
);
