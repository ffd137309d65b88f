import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode, Retryable } from '../../src/contracts/errors/error-data.ts';
import type { ModelRetry } from '../../src/contracts/models/model.ts';
import type { ModelFailure } from '../../src/contracts/models/model-failure.ts';
import { withFailure } from '../../src/contracts/models/model-failure.ts';
import { decideModelRetry } from '../../src/models/retry/retry-policy.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

const failing = (code: ErrorCode, retryable: Retryable = 'yes', retryAfterMs?: number): TroupeError =>
  new TroupeError(code, 'Cannot answer as it is a test', {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const limited = (retryAfterMs?: number) => failing('model.rate-limited', 'yes', retryAfterMs);
const looks = (text: string) => calls({ name: 'echo', input: { text } });

const waits = async (script: readonly ScriptedReply[], retry: ModelRetry) => {
  const clock = virtualClock();
  const one = agent({ name: 'a', model: scriptedModel(script), tools: [echo], failures: { retry } });
  const { events, output } = await letTimePass(clock, settled(start(one, 'go', { clock })));
  return { output, waits: ofType(events, 'model.retrying').map(({ waitMs }) => waitMs) };
};
const adaptive = { adaptive: true, attempts: 9 };

test('[TENEX-94] a rate limit and an answer that cannot be read wait differently', async () => {
  const once = async (first: ScriptedReply, retry: ModelRetry) => (await waits([first, 'x'], retry)).waits;
  expect(await once(limited(), adaptive)).toEqual([3_750]);
  expect(await once(failing('model.malformed'), adaptive)).toEqual([0]);
  expect(await once('', adaptive)).toEqual([0]);
  expect(await once(failing('model.unavailable'), adaptive)).toEqual([500]);
  // Nobody who did not ask for it meets another delay.
  for (const first of [limited(), failing('model.malformed'), '']) {
    expect(await once(first, {})).toEqual([500]);
    expect(await once(first, { adaptive: false })).toEqual([500]);
  }
  expect(await once(limited(), { adaptive: { rateLimitWaitMs: 8_000 } })).toEqual([6_000]);
  expect(await once(failing('model.malformed'), { adaptive: { invalidWaitMs: 300 } })).toEqual([150]);
});

test('[TENEX-94] what failed in this call and in steps before makes the next wait longer, each class for itself', async () => {
  const script = [limited(), looks('a'), failing('model.network'), limited(), limited(), looks('b'), 'x'];
  expect(await waits(script, adaptive)).toEqual({ output: 'x', waits: [3_750, 500, 7_500, 15_000] });
});

test('[TENEX-94] what is further back than the steps that count is forgotten', async () => {
  const script = [limited(), looks('a'), looks('b'), limited(), 'x'];
  expect((await waits(script, { adaptive: { steps: 2 } })).waits).toEqual([3_750, 3_750]);
  expect((await waits(script, { adaptive: { steps: 3 } })).waits).toEqual([3_750, 7_500]);
});

test('[TENEX-94] what was asked for is waited at least, and the cap holds for all', async () => {
  const script = [limited(2_000), limited(30_000), limited(), 'x'];
  expect((await waits(script, { ...adaptive, maxWaitMs: 40_000 })).waits).toEqual([3_750, 31_500, 15_000]);
  expect((await waits(script, { ...adaptive, maxWaitMs: 31_000 })).waits).toEqual([3_750, 31_000, 15_000]);
  expect((await waits([limited(), 'x'], { ...adaptive, maxWaitMs: 100 })).waits).toEqual([100]);
});

test('[TENEX-94] a model that took over begins with a record of its own', async () => {
  const clock = virtualClock();
  const first = scriptedModel([limited(), limited()], 'first');
  const second = scriptedModel([limited(), 'x'], 'second');
  const retry = { adaptive: true, attempts: 2 };
  const one = agent({ name: 'a', model: [first, second], failures: { retry } });
  const { events } = await letTimePass(clock, settled(start(one, 'go', { clock })));
  expect(ofType(events, 'model.retrying').map(({ waitMs }) => waitMs)).toEqual([3_750, 3_750]);
});

test('[TENEX-94] an adaptive wait is never above the cap, and never shrinks as failures come in', () => {
  const failure: ModelFailure = { code: 'model.rate-limited', model: 0, step: 30 };
  const { data } = limited();
  fc.assert(
    fc.property(
      fc.array(fc.nat(30), { maxLength: 40 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (steps, maxWaitMs, random) => {
        const remembered = steps.reduce<readonly ModelFailure[]>(
          (failures, step) => withFailure(failures, { ...failure, step }),
          [],
        );
        expect(remembered.length).toBeLessThanOrEqual(20);
        const waitOf = (failures: readonly ModelFailure[]) => {
          const progress = { attempt: 1, waitedMs: 0, random, recent: { failure, failures } };
          const decision = decideModelRetry(data, progress, { adaptive: true, maxWaitMs });
          return decision.retry ? decision.waitMs : NaN;
        };
        expect(waitOf(remembered)).toBeLessThanOrEqual(maxWaitMs);
        expect(waitOf([...remembered, failure])).toBeGreaterThanOrEqual(waitOf(remembered));
      },
    ),
  );
});

test.each([
  [{ adaptive: 'yes' }, "retry.adaptive is not an object: found 'yes'"],
  [{ adaptive: { steps: 0 } }, 'retry.adaptive.steps is not a whole number from 1: found 0'],
  [{ adaptive: { rateLimitWaitMs: -1 } }, 'retry.adaptive.rateLimitWaitMs is not a number from 0: found -1'],
  [{ adaptive: { waitMs: 1 } }, 'option `failures.retry.adaptive.waitMs` is unknown'],
])('options that cannot be honoured are refused: %#', (retry, message) => {
  // In JavaScript anything may stand here.
  expect(() => agent({ name: 'a', failures: { retry: retry as ModelRetry } })).toThrow(message);
});
