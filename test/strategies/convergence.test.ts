import { describe, expect, test } from 'vitest';
import type { AnswerTest, Convergence } from '../../src/actors/strategies/convergence.ts';
import { convergence, confidenceOf, converges } from '../../src/actors/strategies/convergence.ts';
import { multiCycle } from '../../src/actors/strategies/multi-cycle.ts';
import type { Review } from '../../src/contracts/agents/critic.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { strategic } from './strategic.ts';

const review: Review = {
  input: 'go',
  candidate: 'x',
  state: {},
  results: [],
  evidence: [],
  step: 0,
  rejections: 0,
  authors: [],
  signal: new AbortController().signal,
  run: () => Promise.reject(new Error('nobody is run here')),
};

const is = (isMet: boolean, note = 'not yet'): Convergence => ({
  name: String(isMet),
  check: () => ({ isMet, note: isMet ? '' : note }),
});

const isShort: AnswerTest = { name: 'is short', check: (said) => JSON.stringify(said).length < 7 };
const hasNoB: AnswerTest = {
  name: 'has no b',
  check: (said) => !JSON.stringify(said).includes('b') || 'there is a b',
};
const throws: AnswerTest = {
  name: 'throws',
  check: () => {
    throw new Error('broken test');
  },
};

describe('convergence', () => {
  test.each([
    [true, true, true, true],
    [true, false, false, true],
    [false, true, false, true],
    [false, false, false, false],
  ])('[KAIZEN-23] %s and %s: all is %s, any is %s', async (a, b, all, any) => {
    expect((await convergence.all(is(a), is(b)).check('x', review)).isMet).toBe(all);
    expect((await convergence.any(is(a), is(b)).check('x', review)).isMet).toBe(any);
  });

  test('[KAIZEN-23] tests converge with no failure, and say which failed and why', async () => {
    expect(await convergence.tests(isShort, hasNoB).check('a', review)).toEqual({ isMet: true, note: '' });
    expect(await convergence.tests(isShort, hasNoB, throws).check('bbbbbb', review)).toEqual({
      isMet: false,
      note: '3 of 3 tests failed: is short; has no b: there is a b; throws: broken test',
    });
  });

  test.each([
    [{ confidence: 0.9 }, 0.9],
    [{ confidence: '85%' }, 0.85],
    ['It is so.\nConfidence: 0.7', 0.7],
    ['**Confidence:** 95 %', 0.95],
    ['confidence is high', undefined],
    [{ confidence: 'high' }, undefined],
    ['no word of it', undefined],
  ])('[KAIZEN-23] the confidence of %j is %s', (candidate, expected) => {
    expect(confidenceOf(candidate)).toBe(expected);
  });

  test('[KAIZEN-23] confidence converges at its threshold, and not a hair below', async () => {
    const sure = convergence.confidence(0.9);
    expect((await sure.check({ confidence: 0.9 }, review)).isMet).toBe(true);
    expect((await sure.check({ confidence: 0.899 }, review)).isMet).toBe(false);
    expect((await sure.check('silent', review)).isMet).toBe(false);
  });

  test('a critic of it judges answers only', async () => {
    const { candidate: _, ...without } = review;
    expect(await converges(is(false)).critique(without)).toEqual({ verdict: 'accept' });
    expect(await converges(is(false, 'more')).critique(review)).toEqual({ verdict: 'revise', note: 'more' });
  });
});

describe('cycles', () => {
  test('[KAIZEN-23] stop exactly when both tests and confidence are satisfied', async () => {
    const model = scriptedModel([
      'b Confidence: 0.95',
      'a Confidence: 0.5',
      'a Confidence: 0.95',
      'never asked for',
    ]);
    const until = convergence.all(convergence.tests(hasNoB), convergence.confidence(0.9));
    const { output, records } = await strategic(multiCycle({ until }), model).run('go');
    expect(output).toBe('a Confidence: 0.95');
    expect(records).toHaveLength(3);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      from: 'critic',
      text: '1 of 1 tests failed: has no b: there is a b',
    });
  });

  test('[KAIZEN-22] are five at most, and the last candidate is kept unaccepted', async () => {
    const model = scriptedModel(['b1', 'b2', 'b3', 'b4', 'b5', 'b6']);
    const { status, stopReason, candidate } = await strategic(
      multiCycle({ until: convergence.tests(hasNoB) }),
      model,
    ).run('go');
    expect(status).toBe('stopped');
    expect(stopReason).toMatchObject({ kind: 'rejected', rejections: 5 });
    expect(candidate).toBe('b5');
    expect(() => multiCycle({ cycles: 0 })).toThrow('its cycles is not a whole number from 1: found 0');
  });
});
