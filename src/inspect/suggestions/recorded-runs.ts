import { isObject } from '../../base/schemas/option-schemas.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RunFacts } from './run-facts.ts';
import { RunReader } from './run-reader.ts';

/** A recorded run: a result, a replay, or a trace that was read. */
export interface RecordedRun {
  readonly events: readonly RuntimeEvent[];
}

/** Recorded runs: those of a store, or any others, the earliest first. */
export type RecordedRuns = JournalStore | Iterable<RecordedRun> | AsyncIterable<RecordedRun>;

export const isStore = (runs: RecordedRuns): runs is JournalStore =>
  isObject(runs) && 'list' in runs && 'read' in runs;

/** The facts of recorded runs that have ended, one after the other: of a store the newest `limit`, the earliest first. */
export async function* factsOf(runs: RecordedRuns, limit: number): AsyncGenerator<RunFacts, void> {
  if (isStore(runs)) {
    // A reader of journals is no part of what all others need.
    const { endedRuns, storedFacts } = await import('./stored-facts.ts');
    for (const { runId } of await endedRuns(runs, limit)) {
      const facts = await storedFacts(runs, runId);
      if (facts !== undefined) yield facts;
    }
    return;
  }
  if (!isObject(runs) || !(Symbol.iterator in runs || Symbol.asyncIterator in runs)) throw noRuns(runs);
  for await (const run of runs) {
    if (!isObject(run) || !Array.isArray(run.events)) throw noRuns(run);
    const facts = factsIn(run.events);
    if (facts !== undefined) yield facts;
  }
}

const factsIn = (events: readonly RuntimeEvent[]): RunFacts | undefined => {
  const reader = new RunReader();
  for (const event of events) {
    const facts = reader.take(event);
    if (facts !== undefined) return facts;
  }
  return undefined;
};

const noRuns = (found: unknown): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot look for suggestions as there are no recorded runs: give a store, or results of runs, found ${foundText(found)}`,
  );
