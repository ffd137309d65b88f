import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providerHealth } from '../../src/index.ts';
import type { HealthStatus } from '../../src/runtime/resources/provider-health.ts';
import { manualClock, search } from './manual-clock.ts';

const make = () => {
  const time = manualClock();
  const health = providerHealth({ name: 'acme', clock: time.clock });
  const tell = (outcomes: string): void => {
    for (const outcome of outcomes)
      if (outcome === '+') health.succeeded();
      else health.failed();
  };
  return { time, health, tell };
};

describe('the health of a provider', () => {
  test.each<[string, HealthStatus]>([
    ['', 'active'],
    ['-', 'active'],
    ['+++++++++-', 'active'],
    ['+++++++--', 'degraded'],
    ['++--', 'unhealthy'],
    ['+++++++++++-----', 'offline'],
    ['-----+', 'unhealthy'],
    ['--++++++++++++++++++++', 'active'],
  ])('[KAIZEN-53] after %j it is %s', (outcomes, status) => {
    const { health, tell } = make();
    tell(outcomes);
    expect(health.status).toBe(status);
  });

  test('counts the last twenty, whatever happened before', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (outcomes) => {
        const { health } = make();
        for (const isOk of outcomes)
          if (isOk) health.succeeded();
          else health.failed();
        const last = outcomes.slice(-20);
        const inRow = outcomes.length - 1 - outcomes.lastIndexOf(true);
        expect(health.snapshot()).toMatchObject({
          calls: last.length,
          failures: last.filter((isOk) => !isOk).length,
          failuresInRow: inRow,
        });
      }),
      search,
    );
  });

  test('who watches is told how it is, of each change, and every 30 s; nobody else costs a timer', async () => {
    const { time, health, tell } = make();
    tell('+');
    expect(time.pending).toBe(0);
    const seen: string[] = [];
    const one = health.changes$.subscribe(({ status, at }) => seen.push(`${status} at ${at}`));
    const other = health.changes$.subscribe(() => {
      throw new Error('a bad watcher');
    });
    expect(time.pending).toBe(1);
    tell('-----');
    await time.advance(30_000);
    expect(seen).toEqual(['active at 0', 'unhealthy at 0', 'offline at 0', 'offline at 30000']);
    expect(health.snapshot()).toMatchObject({ name: 'acme', lastSuccessAt: 0, lastFailureAt: 0, at: 30_000 });
    one.unsubscribe();
    other.unsubscribe();
    expect(time.pending).toBe(0);
  });

  test('closed, it tells nobody any more', () => {
    const { time, health, tell } = make();
    let isComplete = false;
    health.changes$.subscribe({ complete: () => (isComplete = true) });
    health.close();
    expect({ isComplete, pending: time.pending }).toEqual({ isComplete: true, pending: 0 });
    let isOver = false;
    health.changes$.subscribe({ complete: () => (isOver = true) });
    expect(isOver).toBe(true);
    tell('-----');
    expect(health.status).toBe('offline');
  });

  test('who looks once only leaves nothing behind', () => {
    const { time, health } = make();
    health.changes$.subscribe().unsubscribe();
    expect(time.pending).toBe(0);
  });

  test.each([{ window: 0 }, { offlineAfter: 0.5 }, { heartbeatMs: -1 }])('refuses %o', (options) => {
    expect(() => providerHealth(options)).toThrow(expect.objectContaining({ code: 'resource.invalid' }));
  });
});
