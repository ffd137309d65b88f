import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { storedEvents } from '../../local/stored-events.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { tenantIn } from '../work/followed-run.ts';
import type { Alert } from './alert.ts';
import type { Measure } from './measure.ts';
import { Measures } from './measure.ts';
import type { RuleWatch } from './rule-watch.ts';

/** Judges stored runs by rules, in order of time: the alerts that would have been sent. */
export const alertsOver = async (
  store: Pick<JournalStore, 'list' | 'read'>,
  watches: readonly RuleWatch[],
  everyMs: number,
): Promise<readonly Alert[]> => {
  const measures = (await measuresOf(store)).toSorted((one, other) => one.at - other.at);
  const found: Alert[] = [];
  let dueAt = (measures[0]?.at ?? 0) + everyMs;
  const checkAt = (now: number): void => {
    for (const watch of watches) found.push(...watch.check(now));
    dueAt = now + everyMs;
  };
  for (const measure of measures) {
    if (measure.at >= dueAt) checkAt(measure.at);
    for (const watch of watches) found.push(...[watch.take(measure)].flatMap((alert) => alert ?? []));
  }
  return found;
};

const measuresOf = async (store: Pick<JournalStore, 'list' | 'read'>): Promise<readonly Measure[]> => {
  const found: Measure[] = [];
  const follower = new WorkFollower(
    new Measures({
      tenantOf: tenantIn,
      take: (measure) => {
        found.push(measure);
      },
    }),
  );
  for (const { runId } of await store.list()) {
    try {
      for await (const { events } of storedEvents(store, runId))
        for (const event of events) follower.take(event);
    } catch {
      // Looking at the run says why it cannot be read.
    }
  }
  return found;
};
