import { describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { outage } from '../parity/scenarios.ts';
import { PlainStore } from '../support/plain-store.ts';
import { PromptBook, scripted } from '../support/prompt-book.ts';
import { letTimePass, ofType, quiet, settled } from '../support/runs.ts';
import { goOn, startIn } from '../support/stored-runs.ts';

/** Something that waits, until when, and what is told when it does not any more. */
const waits = [
  {
    what: 'a wait',
    dueAt: 61_000,
    make: () =>
      agent({
        name: 'ada',
        decide: ({ step }) =>
          step === 0 ? { kind: 'wait', forMs: 60_000 } : { kind: 'answer', answer: 'rested' },
      }),
    isOver: (types: readonly string[]) => types.filter((type) => type === 'agent.decided').length === 2,
  },
  {
    what: 'a back-off',
    dueAt: 61_000,
    make: () =>
      agent({
        name: 'ada',
        model: scripted([outage(60_000), 'rested']),
      }),
    isOver: (types: readonly string[]) => types.includes('model.answered'),
  },
];

describe.each(waits)('[P12] $what of a run that is taken up again', ({ make, isOver, dueAt }) => {
  const begin = async (book: PromptBook) => {
    const clock = virtualClock(1_000);
    const store = new PlainStore();
    const handle = startIn(store, book.with(make), 'go', { runId: 'r', clock });
    await quiet();
    // Its process dies here: what it still does goes into a store that nobody looks at.
    const { records } = await recordsIn(store, 'r');
    void handle.result.catch(() => undefined);
    return { cut: PlainStore.with('r', records) };
  };

  test.each([
    { when: 'is due in the future', now: 31_000, endsAt: dueAt },
    { when: 'was due in the past', now: 500_000, endsAt: 500_000 },
  ])('ends once, when it $when', async ({ now, endsAt }) => {
    const book = new PromptBook();
    const { cut } = await begin(book);
    const clock = virtualClock(now);
    const handle = await goOn(cut, book.with(make), 'r', { clock });
    const result = settled(handle);
    await clock.advance(Math.max(0, endsAt - now - 1));
    await quiet();
    expect(
      isOver(
        (await recordsIn(cut, 'r')).records.flatMap((each) =>
          each.kind === 'event' ? [each.event.type] : [],
        ),
      ),
    ).toBe(endsAt <= now);
    const { output, events } = await letTimePass(clock, result, 60_000);
    expect(output).toBe('rested');
    expect(ofType(events, 'run.ended')[0]?.at).toBe(endsAt);
    expect(isOver(events.map(({ type }) => type))).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
