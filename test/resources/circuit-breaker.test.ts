import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { circuitBreaker } from '../../src/index.ts';
import type { BreakerOptions, BreakerState } from '../../src/runtime/resources/circuit-breaker.ts';
import { deferred } from '../support/runs.ts';
import { manualClock } from './manual-clock.ts';

const make = (options: BreakerOptions = {}) => {
  const time = manualClock();
  const breaker = circuitBreaker({ ...options, clock: time.clock });
  const states: BreakerState[] = [];
  breaker.states$.subscribe((state) => states.push(state));
  const down = (code: ErrorCode = 'model.unavailable') =>
    breaker.use(() => Promise.reject(new TroupeError(code, 'no'))).catch((error: unknown) => error);
  return { time, breaker, states, down };
};

describe('a circuit breaker', () => {
  test('[KAIZEN-53] opens after 5 failures in a row, half-opens after 30 s, and closes when one call worked', async () => {
    const { time, breaker, states, down } = make();
    for (let failure = 0; failure < 5; failure += 1) {
      expect(breaker.state).toBe('closed');
      await down();
    }
    expect(breaker.state).toBe('open');
    await time.advance(10_000);
    expect(await down()).toMatchObject({
      code: 'resource.open',
      retryable: 'yes',
      retryAfterMs: 20_000,
    });
    await time.advance(20_000);
    expect(breaker.state).toBe('halfOpen');
    expect(await breaker.use(() => 'back')).toBe('back');
    expect(breaker.state).toBe('closed');
    expect(states).toEqual(['open', 'halfOpen', 'closed']);
    expect(time.pending).toBe(0);
  });

  test('half open, it lets exactly one through, whatever the others want', async () => {
    const { time, breaker, down } = make();
    for (let failure = 0; failure < 5; failure += 1) await down();
    await time.advance(30_000);
    const work = deferred<string>();
    const trial = breaker.use(() => work.promise);
    expect(breaker.state).toBe('halfOpen');
    expect(await down()).toMatchObject({ code: 'resource.open', retryAfterMs: 5_000 });
    work.reject(new TroupeError('model.timeout', 'late'));
    await trial.catch(() => undefined);
    expect(breaker.state).toBe('open');
    expect(breaker.retryAfterMs).toBe(30_000);
  });

  test.each<[string, ErrorCode, boolean]>([
    ['what is out of order counts', 'model.unavailable', true],
    ['so does silence', 'model.idle', true],
    ['so does a tool that throws', 'tool.failed', true],
    ['a bad request is the mistake of the caller', 'model.bad-request', false],
    ['so is a wrong key', 'model.auth', false],
    ['a limit is for the rate limit to keep', 'model.rate-limited', false],
    ['an input that does not fit says nothing of the tool', 'tool.input-invalid', false],
    ['what was called off says nothing', 'run.aborted', false],
  ])('%s', async (_name, code, counts) => {
    const { breaker, down } = make({ failures: 1 });
    await down(code);
    expect(breaker.state).toBe(counts ? 'open' : 'closed');
  });

  test('a 4xx is the mistake of the caller, also where a tool says so; a 408 is not', () => {
    const { breaker } = make({ failures: 1 });
    breaker.pass().failed(new TroupeError('tool.failed', 'not found', { status: 404 }));
    expect(breaker.state).toBe('closed');
    breaker.pass().failed(new TroupeError('tool.failed', 'late', { status: 408 }));
    expect(breaker.state).toBe('open');
  });

  test('which failures count may be said, and what cannot say so counts', () => {
    const strict = make({ failures: 1, counts: ({ code }) => code === 'model.auth' });
    strict.breaker.pass().failed(new TroupeError('model.unavailable', 'down'));
    expect(strict.breaker.state).toBe('closed');
    strict.breaker.pass().failed(new TroupeError('model.auth', 'no key'));
    expect(strict.breaker.state).toBe('open');
    const odd = make({
      failures: 1,
      counts: () => {
        throw new Error('odd');
      },
    });
    odd.breaker.pass().failed(new Error('any'));
    expect(odd.breaker.state).toBe('open');
  });

  test('the first word on a call counts', () => {
    const { breaker } = make({ failures: 1 });
    const pass = breaker.pass();
    pass.calledOff();
    pass.failed(new Error('late'));
    pass.succeeded();
    expect(breaker.state).toBe('closed');
  });

  test.each([{ failures: 0 }, { halfOpenAfterMs: 0 }, { halfOpenAfterMs: Infinity }])(
    'refuses %o',
    (options) => {
      expect(() => circuitBreaker(options)).toThrow(expect.objectContaining({ code: 'resource.invalid' }));
    },
  );
});
