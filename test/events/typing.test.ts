import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { typing$ } from '../../src/events/progress/typing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { noTotals, sampleRun } from './sample-events.ts';

const ended = {
  type: 'run.ended',
  status: 'failed',
  stopReason: { kind: 'failed' },
  totals: noTotals,
} as const;

const shown = (minMs?: number) => {
  const run = sampleRun();
  const clock = virtualClock();
  const seen: string[] = [];
  const watching = typing$(run.stream.events$, { clock, minMs }).subscribe(({ path, isTyping, at }) => {
    seen.push(`${at} ${path} ${isTyping ? 'on' : 'off'}`);
  });
  const work = (path = 'desk') => run.tell({ type: 'phase.entered', phase: 'OBSERVE' }, path);
  const rest = (path = 'desk') => run.tell({ type: 'phase.entered', phase: 'waiting' }, path);
  return { ...run, clock, seen, work, rest, watching };
};

describe('the typing indicator', () => {
  test('[TENEX-14] [M53] a stop after 1 s is shown after 5 s, and a start in between takes it back', async () => {
    const { clock, seen, work, rest } = shown();
    work();
    await clock.advance(1_000);
    rest();
    await clock.advance(1_000);
    work();
    await clock.advance(10_000);
    expect(seen).toEqual(['0 desk on']);
    rest();
    expect(seen).toEqual(['0 desk on', '12000 desk off']);
    work();
    await clock.advance(1_000);
    rest();
    await clock.advance(3_999);
    expect(seen).toHaveLength(3);
    await clock.advance(1);
    expect(seen.slice(2)).toEqual(['12000 desk on', '17000 desk off']);
    expect(clock.pending).toBe(0);
  });

  test('[TENEX-13] whatever a run ends with, it is off for everybody at that moment', () => {
    const { clock, seen, work, rest, tell } = shown();
    work();
    work('desk/one');
    rest('desk/one');
    tell(ended);
    expect(seen).toEqual(['0 desk on', '0 desk/one on', '0 desk off', '0 desk/one off']);
    expect(clock.pending).toBe(0);
  });

  test('a team that only waits for its members is never shown, and who stops looking leaves no timer', () => {
    const { clock, seen, work, rest, tell, watching } = shown();
    tell({ type: 'phase.entered', phase: 'working' }, 'team');
    work();
    rest();
    watching.unsubscribe();
    expect(seen).toEqual(['0 desk on']);
    expect(clock.pending).toBe(0);
  });

  test('on and off take turns, and nothing is on for less than it has to be before the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 400 })), { maxLength: 12 }),
        async (moves) => {
          const { clock, seen, work, rest, tell } = shown(500);
          for (const [isWork, ms] of moves) {
            if (isWork) work();
            else rest();
            await clock.advance(ms);
          }
          const end = clock.now();
          tell(ended);
          const times = seen.map((line) => Number(line.split(' ')[0]));
          expect(seen.every((line, index) => line.endsWith(index % 2 === 0 ? 'on' : 'off'))).toBe(true);
          expect(seen.length % 2).toBe(0);
          for (let index = 0; index < times.length; index += 2) {
            const [from = 0, to = 0] = times.slice(index);
            expect(to === end || to - from >= 500).toBe(true);
          }
          expect(clock.pending).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });
});
