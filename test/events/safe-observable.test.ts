import { connectable, firstValueFrom, from, map, of, Subject, take, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { SafeObservable } from '../../src/events/stream/safe-observable.ts';
import { runScript } from '../support/run-script.ts';

const explode = (): never => {
  throw new Error('boom');
};

const numbers = () => {
  const failures: string[] = [];
  const source = new Subject<number>();
  const numbers$ = new SafeObservable<number>(
    (name) => failures.push(name),
    (subscriber) => source.subscribe(subscriber),
  );
  return { numbers$, source, failures };
};

test('[P15] [D38] [X3] no hostile observer, operator or hook lets anything escape into the process', async () => {
  const { exit, output } = await runScript('test/events/hostile-observers.ts');
  expect(exit, output).toBe(0);
  expect(JSON.parse(output)).toEqual({ escaped: [], seen: 8, hasFailures: true });
});

describe('a safe observable is an Observable in every other way', () => {
  test('operators, promises and subjects get what they expect', async () => {
    const { numbers$, source } = numbers();
    const all = firstValueFrom(
      numbers$.pipe(
        map((number) => number * 2),
        take(2),
        toArray(),
      ),
    );
    const subject = new Subject<number>();
    const seen: number[] = [];
    subject.subscribe((number) => seen.push(number));
    numbers$.subscribe(subject);
    const connected: number[] = [];
    const shared$ = connectable(numbers$);
    shared$.subscribe((number) => connected.push(number));
    shared$.connect();
    source.next(1);
    source.next(2);
    source.next(3);
    expect(await all).toEqual([2, 4]);
    expect([seen, connected]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('errors still go to those who await or handle them', async () => {
    const { numbers$, source, failures } = numbers();
    const first = firstValueFrom(numbers$.pipe(map(explode)));
    const walk = numbers$.forEach(explode);
    source.next(1);
    await expect(first).rejects.toThrow('boom');
    await expect(walk).rejects.toThrow('boom');
    expect(failures).toEqual([]);
  });

  test('what is piped from it is safe as well', () => {
    const { numbers$ } = numbers();
    expect(numbers$.pipe(map(String), take(1))).toBeInstanceOf(SafeObservable);
    expect(from(numbers$)).toBe(numbers$);
    expect(of(1)).not.toBeInstanceOf(SafeObservable);
  });

  test('the three functions of old are taken too', () => {
    const failures: string[] = [];
    const seen: unknown[] = [];
    const numbers$ = new SafeObservable<number>(
      (name) => failures.push(name),
      (subscriber) => {
        subscriber.next(1);
        subscriber.error('no');
      },
    );
    numbers$.subscribe(
      (number) => seen.push(number),
      (error) => seen.push(error),
    );
    numbers$.subscribe(null, null, null);
    expect([seen, failures]).toEqual([[1, 'no'], ['subscriber']]);
  });
});
