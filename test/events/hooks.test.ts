import { describe, expect, test } from 'vitest';
import type { Hook, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { EventStream } from '../../src/events/stream/event-stream.ts';
import type { HookSetup } from '../../src/events/hooks/hooks.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { attachHooks } from '../../src/events/hooks/hooks.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { durable, noted, sampleRun, short } from './sample-events.ts';
import { sized } from '../support/thorough.ts';

const EVENTS = sized(100_000, 1_000_000);

const explode = (): never => {
  throw new Error('boom');
};
const never = () => new Promise<void>(() => undefined);

const hooked = (hooks: readonly Hook[], setup: Partial<HookSetup> = {}) => {
  const run = sampleRun();
  const clock = virtualClock();
  const drops: [string, number][] = [];
  const attached = attachHooks(run.stream, hooks, {
    clock,
    onFailure: (observer, error) => {
      run.failures.push({ observer, message: error instanceof Error ? error.message : String(error) });
    },
    onDropped: (name, count) => drops.push([name, count]),
    ...setup,
  });
  return { ...run, clock, drops, attached };
};

describe('who is called', () => {
  test('[KAIZEN-73] [DODO-40] by priority, then in the order given, each event in turn', () => {
    const seen: string[] = [];
    const watch = (name: string, priority?: number) =>
      hook({ name, priority, handle: (event) => void seen.push(name + short(event)) });
    const { tell } = hooked([watch('a'), watch('low', -1), watch('high', 5), watch('b')]);
    tell(noted('x'));
    tell(noted('y'));
    expect(seen).toEqual(['high0', 'a0', 'b0', 'low0', 'high1', 'a1', 'b1', 'low1']);
  });

  test('[QITOS-52] `on` chooses: one type, several, or all, deltas included', () => {
    const seen: string[] = [];
    const { tell, delta } = hooked([
      hook({ name: 'one', on: 'run.paused', handle: (event) => void seen.push(`one ${event.type}`) }),
      hook({
        name: 'two',
        on: ['run.paused', 'run.resumed'],
        handle: (event) => void seen.push(`two ${event.type}`),
      }),
      hook({ name: 'all', handle: (event) => void seen.push(`all ${event.type}`) }),
    ]);
    tell({ type: 'run.paused' });
    tell({ type: 'run.resumed' });
    delta('x');
    expect(seen).toEqual([
      'one run.paused',
      'two run.paused',
      'all run.paused',
      'two run.resumed',
      'all run.resumed',
      'all model.delta',
    ]);
  });

  test('[DODO-39] models need not stream for hooks that want no deltas', () => {
    const quiet = hook({ name: 'quiet', on: 'run.ended', handle: () => undefined });
    expect(hooked([]).stream.isWatched).toBe(false);
    expect(hooked([quiet]).stream.isWatched).toBe(true);
    expect(hooked([quiet]).stream.wantsDeltas).toBe(false);
    expect(hooked([hook({ name: 'all', handle: () => undefined })]).stream.wantsDeltas).toBe(true);
  });
});

describe('hooks that fail', () => {
  test('[QITOS-54] [D38] what a hook throws or rejects with is reported under its name, and others are served', async () => {
    const seen: string[] = [];
    const { tell, failures, clock } = hooked([
      hook({ name: 'thrower', handle: explode }),
      hook({ name: 'rejecter', handle: () => Promise.reject(new Error('no')) }),
      hook({ name: 'thenable', handle: badThenable }),
      hook({ name: 'good', handle: (event) => void seen.push(short(event)) }),
    ]);
    tell(noted('a'));
    tell(noted('b'));
    await clock.advance(0);
    expect(seen).toEqual(['0', '1']);
    expect(failures.map(({ observer, message }) => `${observer}: ${message}`).toSorted()).toEqual([
      'rejecter: no',
      'rejecter: no',
      'thenable: boom',
      'thenable: boom',
      'thrower: boom',
      'thrower: boom',
    ]);
  });

  test('[KAIZEN-73] a hook that never settles is given up on after its time, event by event', async () => {
    const seen: string[] = [];
    const { tell, failures, clock, attached } = hooked([
      hook({
        name: 'hanging',
        timeoutMs: 200,
        handle: (event) => {
          seen.push(short(event));
          return never();
        },
      }),
      hook({ name: 'patient', handle: never }),
    ]);
    tell(noted('a'));
    tell(noted('b'));
    await clock.advance(199);
    expect(seen).toEqual(['0']);
    expect(failures).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual(['0', '1']);
    expect(failures).toEqual([
      {
        observer: 'hanging',
        message: "Cannot wait for hook 'hanging' as it took longer than 200 ms: team.noted",
      },
    ]);
    await clock.advance(4_799);
    expect(failures.filter(({ observer }) => observer === 'patient')).toHaveLength(0);
    await clock.advance(1);
    expect(failures.filter(({ observer }) => observer === 'patient')).toHaveLength(1);
    await clock.advance(60_000);
    expect(attached.stats.map(({ handled, failed }) => [handled, failed])).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(clock.pending).toBe(0);
  });

  test('what comes of a hook after its time, good or bad, is ignored', async () => {
    const endings: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const { tell, failures, clock, attached } = hooked([
      hook({
        name: 'late',
        timeoutMs: 10,
        handle: () => new Promise<void>((resolve, reject) => void endings.push({ resolve, reject })),
      }),
    ]);
    tell(noted('a'));
    tell(noted('b'));
    tell(noted('c'));
    await clock.advance(10);
    endings[0]?.reject(new Error('late'));
    await clock.advance(0);
    expect(attached.stats[0]).toMatchObject({ handled: 2, failed: 1, waiting: 1 });
    endings[1]?.resolve();
    await clock.advance(0);
    expect(attached.stats[0]).toMatchObject({ handled: 3, failed: 1, waiting: 0 });
    expect(failures).toHaveLength(1);
  });

  test('[P15] hooks that fail on the news of failures report none of that', () => {
    const error = { code: 'internal', message: 'boom', retryable: 'no' } as const;
    const { tell, log, attached } = hooked(
      ['one', 'two'].map((name) => hook({ name, handle: explode })),
      {
        onFailure: (observer) => tell({ type: 'observer.failed', observer, error }),
      },
    );
    tell(noted('a'));
    expect(log.map(({ type }) => type)).toEqual(['team.noted', 'observer.failed', 'observer.failed']);
    expect(attached.stats.map(({ failed }) => failed)).toEqual([3, 3]);
  });
});

// A value that looks like a promise and is none.
// oxlint-disable-next-line unicorn/no-thenable
const badThenable: () => Promise<void> = () => Object.create({ then: explode });

describe('hooks that are slow', () => {
  test('[P15] one event at a time, in order, and nobody else waits', async () => {
    const seen: string[] = [];
    const { tell, clock } = hooked([
      hook({
        name: 'slow',
        handle: async (event) => {
          seen.push(`begin${short(event)}`);
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, 100));
          seen.push(`end${short(event)}`);
        },
      }),
      hook({ name: 'fast', handle: (event) => void seen.push(`fast${short(event)}`) }),
    ]);
    tell(noted('a'));
    tell(noted('b'));
    expect(seen).toEqual(['begin0', 'fast0', 'fast1']);
    await clock.advance(200);
    expect(seen.slice(3)).toEqual(['end0', 'begin1', 'end1']);
  });

  test('[P15] past its capacity the oldest are dropped, counted, and told once it has caught up', async () => {
    const seen: string[] = [];
    let release: () => void = () => undefined;
    const { tell, clock, drops, attached } = hooked(
      [
        hook({
          name: 'slow',
          handle: (event) => {
            seen.push(short(event));
            return short(event) === '0'
              ? new Promise<void>((resolve) => void (release = resolve))
              : undefined;
          },
        }),
      ],
      { capacity: 3 },
    );
    for (let count = 0; count < 10; count += 1) tell(noted('x'));
    expect(attached.stats[0]).toEqual({ name: 'slow', handled: 1, failed: 0, dropped: 6, waiting: 3 });
    expect(drops).toEqual([]);
    release();
    await clock.advance(0);
    expect(seen).toEqual(['0', '7', '8', '9']);
    expect(drops).toEqual([['slow', 6]]);
  });

  test(`[P15] ${EVENTS.toLocaleString('en-GB')} events for a slow hook: 1,000 wait, and every other one is counted`, async () => {
    const log: RuntimeEvent[] = [];
    const stream = new EventStream(log, explode);
    const clock = virtualClock();
    const drops: number[] = [];
    const slow = hook({
      name: 'slow',
      handle: () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 1)),
    });
    const attached = attachHooks(stream, [slow], {
      clock,
      onFailure: explode,
      onDropped: (_, count) => drops.push(count),
    });
    const event = durable(0, noted('x'));
    for (let count = 0; count < EVENTS; count += 1) stream.publish(event);
    expect(attached.stats[0]).toEqual({
      name: 'slow',
      handled: 1,
      failed: 0,
      dropped: EVENTS - 1_001,
      waiting: 1_000,
    });
    const settled = attached.settle(5_000);
    await clock.advance(1_001);
    await settled;
    expect(attached.stats[0]).toMatchObject({ handled: 1_001, dropped: EVENTS - 1_001, waiting: 0 });
    expect(drops).toEqual([EVENTS - 1_001]);
    expect(clock.pending).toBe(0);
  });
});

describe('at the end', () => {
  test('settle waits until all is handled', async () => {
    const seen: string[] = [];
    const { stream, tell, clock, attached } = hooked([
      hook({
        name: 'slow',
        handle: async (event) => {
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, 10));
          seen.push(short(event));
        },
      }),
    ]);
    tell(noted('a'));
    tell(noted('b'));
    stream.close();
    const settled = attached.settle().then(() => seen.push('settled'));
    await clock.advance(20);
    await settled;
    expect(seen).toEqual(['0', '1', 'settled']);
    expect(clock.pending).toBe(0);
  });

  test('settle gives up after its time: what waits is dropped and counted, and no timer is left', async () => {
    const { tell, clock, attached, drops, stream } = hooked([
      hook({ name: 'stuck', timeoutMs: 1e9, handle: never }),
    ]);
    for (let count = 0; count < 4; count += 1) tell(noted('x'));
    const settled = attached.settle(300);
    await clock.advance(300);
    await settled;
    expect(attached.stats[0]).toEqual({ name: 'stuck', handled: 1, failed: 0, dropped: 3, waiting: 0 });
    expect(drops).toEqual([['stuck', 3]]);
    expect([clock.pending, stream.isWatched]).toEqual([0, false]);
  });

  test('settle with nothing to do is done at once, and again', async () => {
    const { attached, clock } = hooked([hook({ name: 'idle', handle: () => undefined })]);
    await attached.settle();
    await attached.settle();
    expect(clock.pending).toBe(0);
  });

  test('who is detached is given nothing more', () => {
    const seen: string[] = [];
    const { attached, tell } = hooked([hook({ name: 'a', handle: (event) => void seen.push(short(event)) })]);
    tell(noted('a'));
    attached.detach();
    tell(noted('b'));
    expect(seen).toEqual(['0']);
  });
});

describe('hooks that keep something', () => {
  test('are waited for at the end, each at most its time-out, and only if they keep something', async () => {
    const said: string[] = [];
    const { attached, clock, failures, tell } = hooked([
      hook({ name: 'plain', handle: () => undefined }),
      hook({ name: 'quick', handle: () => undefined, flush: (runId) => void said.push(`quick ${runId}`) }),
      hook({
        name: 'slow',
        handle: () => undefined,
        flush: async () => {
          await new Promise<void>((resolve) => clock.setTimeout(resolve, 300));
          said.push('slow');
        },
      }),
      hook({ name: 'bad', handle: () => undefined, flush: explode }),
      hook({ name: 'stuck', timeoutMs: 700, handle: () => undefined, flush: never }),
    ]);
    tell(noted('x'));
    let isThrough = false;
    void attached.flush('run-1')?.then(() => (isThrough = true));
    await clock.advance(699);
    expect(said).toEqual(['quick run-1', 'slow']);
    expect(isThrough).toBe(false);
    await clock.advance(1);
    expect(isThrough).toBe(true);
    expect(failures).toEqual([{ observer: 'bad', message: 'boom' }]);
    expect(clock.pending).toBe(0);
    expect(
      hooked([hook({ name: 'plain', handle: () => undefined })]).attached.flush('run-1'),
    ).toBeUndefined();
  });

  test('may say later what they failed at, and what they lost', async () => {
    const { tell, failures, drops, clock } = hooked([
      hook({
        name: 'late',
        handle: (_, { clock: time, failed, dropped }) => {
          time?.setTimeout(() => {
            failed?.(new Error('down'));
            dropped?.(3);
          }, 50);
        },
      }),
    ]);
    tell(noted('x'));
    await clock.advance(50);
    expect(failures).toEqual([{ observer: 'late', message: 'down' }]);
    expect(drops).toEqual([['late', 3]]);
  });
});
