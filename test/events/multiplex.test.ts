import { Subject } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import { buffered } from '../../src/events/stream/buffered.ts';
import { around, through } from '../../src/events/stream/middleware.ts';
import { multiplex } from '../../src/events/stream/multiplex.ts';
import { ofType, under } from '../../src/events/stream/select.ts';
import { typing$ } from '../../src/events/progress/typing.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { deferred, never, quiet } from '../support/runs.ts';
import { deltaOf, durable, noted, sampleRun, short } from './sample-events.ts';

const explode = (): never => {
  throw new Error('boom');
};
const told = (seq: number) => durable(seq, noted(String(seq)));

describe('several consumers of one stream', () => {
  test('[TENEX-92] a slow one delays neither the others nor the run; each has a filter, a buffer and a policy of its own', async () => {
    const clock = virtualClock();
    const run = sampleRun();
    const seen: Record<string, string[]> = { fast: [], oldest: [], newest: [], latest: [], odd: [] };
    const consume = (name: string, ms: number) => (event: LiveEvent) => {
      seen[name]?.push(short(event));
      return ms === 0 ? undefined : new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    };
    const watching = multiplex(run.stream.events$, [
      { name: 'oldest', capacity: 3, consume: consume('oldest', 10) },
      { name: 'newest', capacity: 3, overflow: 'dropNewest', consume: consume('newest', 10) },
      { name: 'latest', overflow: 'latest', consume: consume('latest', 10) },
      { name: 'odd', filter: (event) => 'seq' in event && event.seq % 2 === 1, consume: consume('odd', 0) },
      { name: 'fast', consume: consume('fast', 0) },
    ]);
    for (let seq = 0; seq < 10; seq += 1) run.tell(noted(String(seq)));
    expect(seen['fast']).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    run.stream.close();
    await clock.advance(100);
    await watching.done;
    expect(seen).toMatchObject({
      oldest: ['0', '7', '8', '9'],
      newest: ['0', '1', '2', '3'],
      latest: ['0', '9'],
      odd: ['1', '3', '5', '7', '9'],
    });
    expect(
      watching.stats.map(({ name, handled, dropped, waiting }) => [name, handled, dropped, waiting]),
    ).toEqual([
      ['oldest', 4, 6, 0],
      ['newest', 4, 6, 0],
      ['latest', 2, 8, 0],
      ['odd', 5, 0, 0],
      ['fast', 10, 0, 0],
    ]);
  });

  test('[TENEX-92] one that must miss nothing ends by itself when it would, and the others go on', async () => {
    const run = sampleRun();
    const failures: string[] = [];
    const gate = deferred<void>();
    const fast: string[] = [];
    const watching = multiplex(
      run.stream.events$,
      [
        { name: 'all', capacity: 2, overflow: 'fail', consume: () => gate.promise },
        { name: 'fast', consume: (event) => void fast.push(short(event)) },
      ],
      { onFailure: (name, error) => failures.push(`${name} ${(error as { code: string }).code}`) },
    );
    for (let seq = 0; seq < 6; seq += 1) run.tell(noted(String(seq)));
    gate.resolve();
    await quiet();
    expect(failures).toEqual(['all publishing.overflow']);
    expect(watching.stats[0]).toMatchObject({ handled: 3, waiting: 0 });
    expect(fast).toHaveLength(6);
  });

  test('one that throws, rejects or never comes back is its own affair', async () => {
    const run = sampleRun();
    const failures: string[] = [];
    const good: string[] = [];
    const watching = multiplex(
      run.stream.events$,
      [
        {
          name: 'throws',
          consume: () => {
            throw new Error('boom');
          },
        },
        { name: 'rejects', consume: () => Promise.reject(new Error('no')) },
        { name: 'hangs', capacity: 5, consume: () => never() },
        { name: 'good', consume: (event) => void good.push(short(event)) },
      ],
      { onFailure: (name) => failures.push(name) },
    );
    for (let seq = 0; seq < 3; seq += 1) run.tell(noted(String(seq)));
    await quiet();
    expect(good).toEqual(['0', '1', '2']);
    expect(failures.toSorted()).toEqual(['rejects', 'rejects', 'rejects', 'throws', 'throws', 'throws']);
    run.stream.close();
    watching.close();
    await watching.done;
    expect(run.failures).toEqual([]);
  });

  test('a filter or a report that throws is its own affair, too, and so is whoever stands behind a middleware', async () => {
    const run = sampleRun();
    const good: string[] = [];
    multiplex(
      run.stream.events$,
      [
        { name: 'picky', filter: explode, consume: () => undefined },
        { name: 'good', consume: (event) => void good.push(short(event)) },
      ],
      { onFailure: explode },
    );
    run.stream.events$.pipe(around({ after: () => undefined })).subscribe(explode);
    run.stream.events$.pipe(around({ before: explode })).subscribe((event) => good.push(short(event)));
    typing$(run.stream.events$).subscribe(explode);
    run.tell({ type: 'phase.entered', phase: 'OBSERVE' });
    run.tell(noted('x'));
    await quiet();
    expect(good).toEqual(['0', '1']);
    expect(run.failures.map(({ message }) => message)).toEqual(['boom', 'boom', 'boom']);
  });

  test('[QITOS-96] a million events and an observer that takes 1 ms for each: what waits is bounded, what is lost is counted', async () => {
    const clock = virtualClock();
    const events$ = new Subject<LiveEvent>();
    let most = 0;
    const watching = multiplex(events$, [
      { name: 'slow', consume: () => new Promise<void>((resolve) => clock.setTimeout(resolve, 1)) },
    ]);
    const event = deltaOf('x', 'k');
    for (let round = 0; round < 100; round += 1) {
      for (let index = 0; index < 10_000; index += 1) events$.next(event);
      most = Math.max(most, watching.stats[0]?.waiting ?? 0);
      await clock.advance(1);
    }
    events$.complete();
    const [stats] = watching.stats;
    expect(most).toBe(1_000);
    expect((stats?.handled ?? 0) + (stats?.dropped ?? 0) + (stats?.waiting ?? 0)).toBe(1_000_000);
    watching.close();
  });
});

describe('middleware', () => {
  test('[TENEX-97] steps go in the order given: before in that order, after in the other', async () => {
    const seen: string[] = [];
    const named = (name: string) =>
      around({
        before: () => void seen.push(`before ${name}`),
        after: () => void seen.push(`after ${name}`),
      });
    const events$ = new Subject<LiveEvent>();
    events$.pipe(through(named('one'), named('two'), named('three'))).subscribe(() => seen.push('seen'));
    events$.next(told(0));
    expect(seen).toEqual([
      'before one',
      'before two',
      'before three',
      'seen',
      'after three',
      'after two',
      'after one',
    ]);
  });

  test('[TENEX-97] a step may leave out, change and put in; any operator is one', async () => {
    const writer = agent({ name: 'writer', model: scriptedModel(['there']) });
    const handle = writer.stream('go');
    const types: string[] = [];
    const loud = through(under('writer'), (events$) => events$.pipe(ofType('model.answered', 'run.ended')));
    handle.events$.pipe(loud).subscribe(({ type }) => types.push(type));
    await handle.result;
    expect(types).toEqual(['model.answered', 'run.ended']);
  });
});

describe('a stream to pull', () => {
  test('[TENEX-Q01] ten thousand chunks and a slow puller: bounded, by the policy that was stated, and counted', async () => {
    const pull = async (overflow: 'dropOldest' | 'dropNewest' | 'latest') => {
      const events$ = new Subject<LiveEvent>();
      const iterator = buffered(events$, { capacity: 100, overflow });
      const first = iterator.next();
      for (let index = 0; index < 10_000; index += 1) events$.next(deltaOf(String(index), 'k'));
      const { waiting, dropped } = iterator;
      events$.complete();
      const seen: string[] = [short((await first).value as LiveEvent)];
      for await (const event of iterator) seen.push(short(event));
      return { waiting, dropped, first: seen[1], last: seen.at(-1), count: seen.length };
    };
    expect(await pull('dropOldest')).toEqual({
      waiting: 100,
      dropped: 9_899,
      first: '+9900',
      last: '+9999',
      count: 101,
    });
    expect(await pull('dropNewest')).toEqual({
      waiting: 100,
      dropped: 9_899,
      first: '+1',
      last: '+100',
      count: 101,
    });
    expect(await pull('latest')).toEqual({
      waiting: 1,
      dropped: 9_998,
      first: '+9999',
      last: '+9999',
      count: 2,
    });
  });

  test('one that must miss nothing rejects once what waited is pulled; what the stream fails with, too', async () => {
    const events$ = new Subject<number>();
    const strict = buffered(events$, { capacity: 2, overflow: 'fail' });
    const broken = buffered(events$);
    const firsts = [strict.next(), broken.next()];
    for (const value of [1, 2, 3, 4]) events$.next(value);
    expect(events$.observed).toBe(true);
    events$.error(new Error('fell'));
    expect(events$.observed).toBe(false);
    await Promise.all(firsts);
    expect([await strict.next(), await strict.next()].map(({ value }) => value)).toEqual([2, 3]);
    await expect(strict.next()).rejects.toMatchObject({ code: 'publishing.overflow' });
    expect((await strict.next()).done).toBe(true);
    for (let index = 0; index < 3; index += 1) await broken.next();
    await expect(broken.next()).rejects.toThrow('fell');
  });

  test('whoever breaks off lets go of the stream', async () => {
    const events$ = new Subject<number>();
    const iterator = buffered(events$);
    const waiting = iterator.next();
    await iterator.return?.();
    expect((await waiting).done).toBe(true);
    expect(events$.observed).toBe(false);
    expect((await iterator.next()).done).toBe(true);
  });

  test('a capacity of none is refused', () => {
    expect(() => buffered(new Subject(), { capacity: 0 })).toThrow(
      expect.objectContaining({ code: 'publishing.invalid' }),
    );
  });
});
