import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { Progress } from '../../src/events/progress/progress.ts';
import { foldProgress, noProgress } from '../../src/events/progress/progress.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { allScenarios } from '../parity/all-scenarios.ts';
import { letTimePass, settled, start } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';

const fold = (events: readonly LiveEvent[], from: Progress = noProgress): Progress =>
  events.reduce(foldProgress, from);

/** Freezes all of a value: a fold that changed what it was given would throw. */
const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

test.each(sampled(allScenarios, 6))(
  'the run comes to one value, streamed, from its log, and after a reconnect at any event: $name',
  async ({ make }) => {
    const clock = virtualClock(1_000);
    const { agent, options, play } = make(clock);
    const handle = start(agent, 'go', { runId: 'parity', clock, ...options });
    const live: LiveEvent[] = [];
    const steps: Progress[] = [];
    let progress = noProgress;
    handle.events$.subscribe((event) => {
      live.push(event);
      progress = frozen(foldProgress(progress, event));
      steps.push(progress);
    });
    const result = settled(handle);
    await play?.(handle, clock);
    const { events, status, totals, output } = await letTimePass(clock, result, 500);

    const stored = fold(events);
    expect(progress).toEqual(stored);
    expect(JSON.parse(JSON.stringify(stored))).toEqual(JSON.parse(JSON.stringify(progress)));
    expect(stored).toMatchObject({ status, totals, runId: 'parity', speeches: [], isStreaming: false });
    expect(stored.output).toEqual(output);
    expect(new Set(stored.messages.map(({ id }) => id)).size).toBe(stored.messages.length);

    // Whoever loses the connection after so many live events has the rest from the log.
    const cuts = fc.integer({ min: 0, max: live.length });
    fc.assert(
      fc.property(cuts, (cut) => {
        const seen = live.slice(0, cut);
        const last = seen.findLast((event): event is RuntimeEvent => event.type !== 'model.delta')?.seq ?? -1;
        expect(
          fold(
            events.filter(({ seq }) => seq > last),
            steps[cut - 1],
          ),
        ).toEqual(stored);
      }),
      { numRuns: 15 },
    );
  },
);
