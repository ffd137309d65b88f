import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agent,
  replay,
  resume,
  type Clock,
  type Decision,
  type RunHandle,
  type RuntimeEvent,
} from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { parallel } from '../../src/patterns/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { echo, quiet, settled, start } from '../support/runs.ts';
import { PlainStore } from '../support/plain-store.ts';
import { startIn } from '../support/stored-runs.ts';
import { sized } from '../support/thorough.ts';
import { tickingClock } from '../support/ticking-clock.ts';

/** The system's clock, one millisecond later at each reading. */
const ticking = (): Clock => {
  const base = 1_700_000_000_000;
  let readings = 0;
  return {
    now: () => base + readings++,
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => {
      clearTimeout(timer as ReturnType<typeof setTimeout>);
    },
  };
};

const worker = (name: string) =>
  agent({
    name,
    tools: [echo],
    decide: async ({ step }): Promise<Decision> => {
      await Promise.resolve();
      return step < 2
        ? { kind: 'act', calls: [{ name: 'echo', input: { text: `${name} ${step}` } }] }
        : { kind: 'answer', answer: name };
    },
  });

const team = () => parallel({ name: 'both', members: { ann: worker('ann'), bob: worker('bob') } });

/** The run is replayed to its events, twice, and so is what comes of the first half of its journal. */
const expectReplayed = async (store: PlainStore, events: readonly RuntimeEvent[]): Promise<void> => {
  const replayed = await replay(team(), 'r', { store });
  expect(JSON.stringify(replayed.events)).toBe(JSON.stringify(events));
  const { records } = await recordsIn(store, 'r');
  const cut = PlainStore.with('r', records.slice(0, Math.ceil(records.length / 2)));
  const handle = await resume(team(), 'r', { store: cut, clock: ticking() });
  // It may have been paused there.
  handle.resume();
  const resumed = await settled(handle);
  expect(resumed.status).toBe('completed');
  const again = await replay(team(), 'r', { store: cut });
  expect(JSON.stringify(again.events)).toBe(JSON.stringify(resumed.events));
};

const deeds: Readonly<Record<string, (handle: RunHandle) => void>> = {
  pause: (handle) => {
    handle.pause();
  },
  resume: (handle) => {
    handle.resume();
  },
  step: (handle) => void handle.step(),
  effect: (handle) => void handle.step('effect'),
  message: (handle) => void handle.send('go on'),
};

describe('by a clock that ticks at each reading', () => {
  test.each([{ after: 0 }, { after: 1 }, { after: 12 }])(
    '[FIND-46] a run that began paused is replayed and resumed, let go after $after turns',
    async ({ after }) => {
      const store = new PlainStore();
      const handle = team().stream('go', { store, runId: 'r', paused: true, clock: ticking() });
      for (let turn = 0; turn < after; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      handle.resume();
      const { events } = await handle.result;
      await expectReplayed(store, events);
    },
  );

  test('[FIND-46] a run that is paused, stepped and written to at random is replayed and resumed', async () => {
    const control = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(...Object.keys(deeds))), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(control, fc.boolean(), async (plan, paused) => {
        const store = new PlainStore();
        const handle = team().stream('go', { store, runId: 'r', paused, clock: ticking() });
        for (const [turns, deed] of plan) {
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          deeds[deed]?.(handle);
        }
        handle.resume();
        await quiet();
        handle.resume();
        const { events } = await settled(handle);
        await expectReplayed(store, events);
      }),
      { numRuns: sized(30, 60), seed: 46 },
    );
  });

  test.each(['without a store', 'stored'])('[FIND-46] a turn happens at one time: %s', async (name) => {
    const clock = tickingClock(virtualClock(1_000));
    const given = { runId: 'r', clock };
    const handle =
      name === 'stored'
        ? startIn(new PlainStore(), worker('ann'), 'go', given)
        : start(worker('ann'), 'go', given);
    const { events } = await settled(handle);
    const turns = events.flatMap((event, index) => {
      const next = events[index + 1];
      // REDUCE and what follows it up to the next question is one turn.
      return event.type === 'phase.entered' && event.phase === 'REDUCE' && next !== undefined
        ? [{ event, next }]
        : [];
    });
    expect(turns.length).toBeGreaterThan(2);
    for (const { event, next } of turns) expect(next.at).toBe(event.at);
    const ats = events.map(({ at }) => at);
    expect(ats).toEqual([...ats].sort((a, b) => a - b));
  });
});

test('[FIND-46] of all that runs a run, only its journal reads its clock', () => {
  const room = join(import.meta.dirname, '..', '..', 'src', 'runtime');
  const readers = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && /[cC]lock\.now\(\)/.test(readFileSync(join(room, file), 'utf8')),
  );
  /** Servers and schedules stand beside runs; what several runs share, leases and letters have a clock of their own; a deadline is a timer, and reads what is left of it. */
  const others =
    /^(people\/(person-time|await-look)\.ts|resources\/|engines\/run-queue\.ts|serve\/|schedules\/|limits\/deadlines\.ts|journal\/(moves\/move-run|write\/heartbeat|letters\/requests|resume\/(stored-run|fork|is-due|due-runs))\.ts)/;
  expect(
    readers
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !others.test(file))
      .sort(),
  ).toEqual(['journal/write/journal-clock.ts', 'journal/write/no-journal.ts']);
});
