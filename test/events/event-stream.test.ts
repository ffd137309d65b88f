import { filter, firstValueFrom, map, mergeMap, share, take, tap, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { EventBody, LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { EventStream } from '../../src/events/stream/event-stream.ts';
import { durable, noted, noTotals, sampleRun, short } from './sample-events.ts';

const explode = (): never => {
  throw new Error('boom');
};

// Typed as what fits where `void` is wanted: nothing stops a user from passing an `async` function.
const rejecting: () => unknown = async () => {
  await Promise.resolve();
  explode();
};
const neverSettling: () => unknown = () => new Promise<void>(() => undefined);

describe('what is seen', () => {
  test('[ENG-04] events are seen while the run goes on, in order', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    stream.events$.subscribe((event) => seen.push(short(event)));
    tell(noted('a'));
    expect(seen).toEqual(['0']);
    tell(noted('b'));
    expect(seen).toEqual(['0', '1']);
  });

  test('[ENG-04] who comes late is given the log, then what happens, without gap or double', () => {
    const { stream, tell, delta } = sampleRun();
    tell(noted('a'));
    delta('lost');
    tell(noted('b'));
    const seen: string[] = [];
    stream.events$.subscribe((event) => seen.push(short(event)));
    delta('seen');
    tell(noted('c'));
    expect(seen).toEqual(['0', '1', '+seen', '2']);
  });

  test('[P7] closing completes everybody once, and who comes later has the log and completes', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    const watch = (name: string) =>
      stream.events$.subscribe({
        next: (event) => seen.push(name + short(event)),
        complete: () => seen.push(`${name}.`),
      });
    watch('a');
    tell({ type: 'run.ended', status: 'completed', stopReason: { kind: 'answered' }, totals: noTotals });
    stream.close();
    stream.close();
    watch('b');
    expect(seen).toEqual(['a0', 'a.', 'b0', 'b.']);
    expect(stream.isWatched).toBe(false);
  });

  test('what is published after the end is ignored', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    stream.events$.subscribe((event) => seen.push(short(event)));
    stream.close();
    tell(noted('a'));
    expect(seen).toEqual([]);
  });

  test('[ENG-13] it knows whether anybody listens, and whether anybody wants deltas', () => {
    const { stream, tell } = sampleRun();
    expect([stream.isWatched, stream.wantsDeltas]).toEqual([false, false]);
    const stop = stream.watch({ name: 'durable', wantsDeltas: false, next: () => undefined });
    expect([stream.isWatched, stream.wantsDeltas]).toEqual([true, false]);
    const subscription = stream.events$.subscribe();
    expect([stream.isWatched, stream.wantsDeltas]).toEqual([true, true]);
    subscription.unsubscribe();
    stop();
    expect([stream.isWatched, stream.wantsDeltas]).toEqual([false, false]);
    tell(noted('nobody hears it'));
  });

  test('who does not want deltas is not given any', () => {
    const { stream, tell, delta } = sampleRun();
    const seen: string[] = [];
    stream.watch({ name: 'durable', wantsDeltas: false, next: (event) => seen.push(short(event)) });
    stream.events$.subscribe();
    delta('no');
    tell(noted('yes'));
    expect(seen).toEqual(['0']);
  });
});

describe('observers who publish, subscribe and leave from within next', () => {
  test('[P15] what an observer publishes is seen by all after the event under way', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    stream.events$.subscribe((event) => {
      seen.push(`a${short(event)}`);
      if (short(event) === '0') {
        tell(noted('re-entrant'));
        tell(noted('again'));
      }
    });
    stream.events$.subscribe((event) => seen.push(`b${short(event)}`));
    tell(noted('first'));
    expect(seen).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  test('[P15] who subscribes from within next sees every event once, deltas only since then', () => {
    const { stream, tell, delta } = sampleRun();
    const seen: string[] = [];
    let isFirst = true;
    stream.events$.subscribe(() => {
      if (!isFirst) return;
      isFirst = false;
      delta('before');
      tell(noted('b'));
      stream.events$.subscribe((event) => seen.push(short(event)));
      delta('after');
      tell(noted('c'));
    });
    tell(noted('a'));
    tell(noted('d'));
    expect(seen).toEqual(['0', '1', '+after', '2', '3']);
  });

  test('[P15] who publishes while it reads the log sees that once, and after the log', () => {
    const { stream, tell } = sampleRun();
    tell(noted('a'));
    tell(noted('b'));
    const others: string[] = [];
    stream.events$.subscribe((event) => others.push(short(event)));
    const seen: string[] = [];
    stream.events$.subscribe((event) => {
      seen.push(short(event));
      if (short(event) === '0') tell(noted('c'));
    });
    tell(noted('d'));
    expect(seen).toEqual(['0', '1', '2', '3']);
    expect(others).toEqual(['0', '1', '2', '3']);
  });

  test('[P15] who leaves from within next is given nothing more, nor is whom it takes along', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    const first = stream.events$.subscribe((event) => {
      seen.push(`a${short(event)}`);
      first.unsubscribe();
      second.unsubscribe();
    });
    const second = stream.events$.subscribe((event) => seen.push(`b${short(event)}`));
    tell(noted('x'));
    tell(noted('y'));
    expect(seen).toEqual(['a0']);
    expect(stream.isWatched).toBe(false);
  });

  test('[P15] a watcher who is stopped or closed is handed nothing more, in a round or in a replay', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    const stops: (() => void)[] = [];
    const watch = (name: string) =>
      stream.watch({
        name,
        wantsDeltas: false,
        next: (event) => {
          seen.push(name + short(event));
          for (const stop of stops) stop();
        },
      });
    stops.push(watch('a'), watch('b'));
    tell(noted('x'));
    tell(noted('y'));
    let closed = false;
    stream.watch({
      name: 'c',
      wantsDeltas: false,
      get closed() {
        return closed;
      },
      next: (event) => {
        seen.push(`c${short(event)}`);
        closed = true;
      },
    });
    expect(seen).toEqual(['a0', 'c0']);
    expect(stream.isWatched).toBe(false);
  });

  test('who wants only the first event reads no more of the log', async () => {
    const { stream, tell } = sampleRun();
    for (let count = 0; count < 5; count += 1) tell(noted('x'));
    let read = 0;
    const event = await firstValueFrom(stream.events$.pipe(tap(() => (read += 1))));
    expect([event.type, read]).toEqual(['team.noted', 1]);
    expect(stream.isWatched).toBe(false);
  });

  test('closing from within next comes after the events under way', () => {
    const { stream, tell } = sampleRun();
    const seen: string[] = [];
    stream.events$.subscribe((event) => {
      if (short(event) !== '0') return;
      tell(noted('b'));
      stream.close();
      stream.events$.subscribe({
        next: (late) => seen.push(`late${short(late)}`),
        complete: () => seen.push('late.'),
      });
    });
    stream.events$.subscribe({ next: (event) => seen.push(short(event)), complete: () => seen.push('.') });
    tell(noted('a'));
    expect(seen).toEqual(['late0', 'late1', '0', '1', '.', 'late.']);
  });
});

describe('observers who throw', () => {
  test('[D38] [R1] a next that throws is reported by name, called again, and hurts nobody', () => {
    const { stream, tell, failures } = sampleRun();
    const seen: string[] = [];
    function painter(): never {
      return explode();
    }
    stream.events$.subscribe(painter);
    stream.events$.subscribe({ next: explode });
    stream.events$.subscribe((event) => seen.push(short(event)));
    tell(noted('a'));
    tell(noted('b'));
    expect(seen).toEqual(['0', '1']);
    expect(failures.map(({ observer }) => observer)).toEqual(['painter', 'explode', 'painter', 'explode']);
  });

  test('[R2] an operator that throws ends its own subscription only', () => {
    const { stream, tell, failures } = sampleRun();
    const seen: string[] = [];
    stream.events$
      .pipe(
        filter(() => true),
        map(explode),
        share(),
      )
      .subscribe();
    stream.events$.subscribe((event) => seen.push(short(event)));
    tell(noted('a'));
    tell(noted('b'));
    expect(seen).toEqual(['0', '1']);
    expect(failures).toEqual([{ observer: 'subscriber', message: 'boom' }]);
  });

  test('[R2] who handles errors gets them; what its handler throws is reported', () => {
    const { stream, tell, failures } = sampleRun();
    const caught: unknown[] = [];
    stream.events$.pipe(map(explode)).subscribe({ error: (error: unknown) => caught.push(error) });
    stream.events$.pipe(map(explode)).subscribe({ error: explode });
    stream.events$.subscribe({ complete: explode });
    tell(noted('a'));
    stream.close();
    expect(caught).toEqual([new Error('boom')]);
    expect(failures).toHaveLength(2);
  });

  test('[R2] rejections are failures: of an async next, and of promises in a pipe', async () => {
    const { stream, tell, failures } = sampleRun();
    stream.events$.subscribe(rejecting);
    stream.events$.pipe(mergeMap(() => Promise.reject(new Error('no')))).subscribe();
    tell(noted('a'));
    await new Promise(setImmediate);
    expect(failures.map(({ message }) => message).toSorted()).toEqual(['boom', 'no']);
  });

  test('[P15] news of failures never feeds failures: no loop, and at most 100 reports of one observer', () => {
    const log: RuntimeEvent[] = [];
    const error = { code: 'internal', message: 'boom', retryable: 'no' } as const;
    // As the runtime does it: a failure is an event at once, in the middle of what is going on.
    const stream = new EventStream(log, (observer) => tell({ type: 'observer.failed', observer, error }));
    const tell = (body: EventBody) => {
      const event = durable(log.length, body);
      log.push(event);
      stream.publish(event);
    };
    const seen: string[] = [];
    stream.events$.subscribe(function one() {
      explode();
    });
    stream.events$.subscribe(function two() {
      explode();
    });
    stream.events$.subscribe((event) => seen.push(short(event)));
    tell(noted('x'));
    expect(log.map(({ type }) => type)).toEqual(['team.noted', 'observer.failed', 'observer.failed']);
    stream.events$.subscribe(function late() {
      explode();
    });
    expect(log).toHaveLength(4);
    for (let count = 0; count < 1_000; count += 1) tell(noted('x'));
    expect(log).toHaveLength(1_001 + 3 * 100);
    expect(seen).toEqual(log.map(short));
  });

  test('a failure report that throws hurts nobody', () => {
    const stream = new EventStream([], explode);
    stream.events$.subscribe(() => explode());
    stream.watch({ name: 'bad', wantsDeltas: true, next: explode, complete: explode });
    expect(() => {
      stream.publish({ ...base, type: 'team.noted', text: 'x' });
      stream.close();
    }).not.toThrow();
  });
});

const base = { v: 1, seq: 0, at: 0, runId: 'r', path: 'a', agent: 'a' } as const;

describe('for await', () => {
  const collect = async (events: AsyncIterable<LiveEvent>, limit = Infinity): Promise<string[]> => {
    const seen: string[] = [];
    for await (const event of events) {
      seen.push(short(event));
      if (seen.length >= limit) break;
    }
    return seen;
  };

  test('gives the log, then what happens, and ends with the run', async () => {
    const { stream, tell, delta } = sampleRun();
    tell(noted('a'));
    const seen = collect(stream);
    await Promise.resolve();
    delta('x');
    tell(noted('b'));
    delta('y');
    stream.close();
    expect(await seen).toEqual(['0', '+x', '1', '+y']);
  });

  test('break unsubscribes', async () => {
    const { stream, tell } = sampleRun();
    tell(noted('a'));
    tell(noted('b'));
    expect(await collect(stream, 1)).toEqual(['0']);
    expect(stream.isWatched).toBe(false);
  });

  test('an iterator that nobody walks costs nothing; return() ends who waits', async () => {
    const { stream } = sampleRun();
    const iterator = stream.iterate();
    expect(stream.isWatched).toBe(false);
    const waiting = iterator.next();
    expect(stream.wantsDeltas).toBe(true);
    await iterator.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    expect(stream.isWatched).toBe(false);
  });

  test('several next() at once are served in order', async () => {
    const { stream, tell, log } = sampleRun();
    const iterator = stream.iterate();
    const both = Promise.all([iterator.next(), iterator.next()]);
    tell(noted('a'));
    tell(noted('b'));
    expect((await both).map(({ value }) => value)).toEqual(log);
  });

  test('[P15] a slow walker loses the oldest deltas, is told how many, and never a durable event', async () => {
    const { stream, tell, delta, log } = sampleRun();
    const iterator = stream.iterate(3);
    tell(noted('start'));
    expect((await iterator.next()).value).toBe(log[0]);
    for (let count = 1; count <= 10; count += 1) delta(String(count));
    for (let count = 1; count <= 2_000; count += 1) tell(noted('x'));
    stream.close();
    const seen = await collect(iterator);
    expect(seen.slice(0, 5)).toEqual(['-7', '+8', '+9', '+10', '1']);
    expect(seen).toHaveLength(4 + 2_000);
  });

  test('a walker that throws gets its own error, and nobody else does', async () => {
    const { stream, tell, failures } = sampleRun();
    tell(noted('a'));
    const walk = async () => {
      for await (const _ of stream) explode();
    };
    await expect(walk()).rejects.toThrow('boom');
    expect(failures).toEqual([]);
    expect(stream.isWatched).toBe(false);
  });
});

test('[P15] ten bad observers change neither what others see nor its order', async () => {
  const record = async (bad: boolean) => {
    const { stream, tell, delta } = sampleRun();
    const seen: string[] = [];
    const add = () => {
      stream.events$.subscribe(() => explode());
      stream.events$.pipe(map(explode)).subscribe();
      stream.events$.subscribe(neverSettling);
      stream.events$.pipe(take(1)).subscribe();
      stream.events$.subscribe((event) => {
        if (short(event) === '3') stream.events$.subscribe(() => explode());
      });
    };
    if (bad) add();
    const all = firstValueFrom(stream.events$.pipe(map(short), toArray()));
    if (bad) add();
    for (let count = 0; count < 50; count += 1) {
      tell(noted('x'));
      delta('y');
    }
    stream.close();
    seen.push(...(await all));
    return seen;
  };
  expect(await record(true)).toEqual(await record(false));
});
