import { describe, expect, test } from 'vitest';
import type { AlertRule } from '../../../../src/inspect/telemetry/alerts/alert-rule.ts';
import { judge } from '../../../../src/inspect/telemetry/alerts/judge.ts';
import type { Measure } from '../../../../src/inspect/telemetry/alerts/measure.ts';
import { sampleIn, subjectOf } from '../../../../src/inspect/telemetry/alerts/read-measure.ts';

const NOW = 1_000_000;

const rule = (given: Partial<AlertRule> & Pick<AlertRule, 'metric'>): AlertRule => ({ name: 'it', ...given });

const samplesOf = (values: readonly number[], at = NOW, weight = 1) =>
  values.map((value) => ({ at, runId: 'a', value, weight }));

const judgeValues = (given: AlertRule, values: readonly number[]) =>
  judge(given, { samples: samplesOf(values), level: 0 }, NOW);

describe('a rule', () => {
  test.each([
    [5_000, false],
    [5_001, true],
  ])('[KAIZEN-55] of latency over 5,000 ms at %i ms: %s', (ms, isMet) => {
    expect(judgeValues(rule({ metric: 'run.latency', over: 5_000 }), [ms])).toEqual({ value: ms, isMet });
  });

  test('under a bound fires below it, not at it', () => {
    const under = rule({ metric: 'tokens', under: 10 });
    expect(judgeValues(under, [10])?.isMet).toBe(false);
    expect(judgeValues(under, [9])?.isMet).toBe(true);
  });

  test('[KAIZEN-56] with a percentile judges the value at its nearest rank', () => {
    const p95 = rule({ metric: 'tool.latency', over: 95, percentile: 0.95 });
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    expect(judgeValues(p95, upTo(100))).toEqual({ value: 95, isMet: false });
    expect(judgeValues(p95, upTo(101))).toEqual({ value: 96, isMet: true });
  });

  test('judges what is in its window, its beginning excluded, and nothing where there are too few values', () => {
    const slow = rule({ metric: 'run.latency', over: 5, least: 2 });
    const at = (ms: number) => samplesOf([9], NOW - ms);
    const judgeAll = (samples: ReturnType<typeof samplesOf>) => judge(slow, { samples, level: 0 }, NOW);
    expect(judgeAll([...at(60_000), ...at(0)])).toBeUndefined();
    expect(judgeAll([...at(59_999), ...at(0)])?.isMet).toBe(true);
  });

  test('[KAIZEN-56] of a rise compares the mean with that of the window before', () => {
    const rising = rule({ metric: 'model.latency', rise: 0.5 });
    const judgeRise = (now: number) =>
      judge(
        rising,
        { samples: [...samplesOf([100, 300], NOW - 60_000), ...samplesOf([now])], level: 0 },
        NOW,
      );
    expect(judgeRise(300)).toEqual({ value: 0.5, isMet: false });
    expect(judgeRise(301)?.isMet).toBe(true);
    expect(judgeValues(rising, [9_000])).toBeUndefined();
  });

  test('[KAIZEN-56] of a deviation fires beyond three standard deviations, and with fewer than ten values never', () => {
    const odd = rule({ metric: 'tool.latency', deviation: 3 });
    // Their mean is 100, their standard deviation 10.
    const usual = [90, 110, 90, 110, 90, 110, 90, 110, 90, 110];
    expect(judgeValues(odd, [...usual, 130])).toEqual({ value: 3, isMet: false });
    expect(judgeValues(odd, [...usual, 131])?.isMet).toBe(true);
    expect(judgeValues(odd, [...usual, 69])?.isMet).toBe(true);
    expect(judgeValues(odd, [...usual.slice(1), 1_000])).toBeUndefined();
  });

  test('of a deviation from equal values ignores noise, and nothing else', () => {
    const odd = rule({ metric: 'tool.latency', deviation: 3 });
    const equal = Array.from({ length: 10 }, () => 0);
    expect(judgeValues(odd, [...equal, 1])?.isMet).toBe(false);
    expect(judgeValues(odd, [...equal, 2])?.isMet).toBe(true);
  });

  test('of a rate divides what counts by what there was', () => {
    const failing = rule({ metric: 'error.rate', over: 0.25 });
    expect(judgeValues(failing, [1, 0, 0, 0])).toEqual({ value: 0.25, isMet: false });
    expect(judgeValues(failing, [1, 0, 0])?.isMet).toBe(true);
    const retried = [...samplesOf([1, 1], NOW, 0), ...samplesOf([0, 0, 0, 0])];
    const retrying = rule({ metric: 'retry.rate', over: 0.4 });
    expect(judge(retrying, { samples: retried, level: 0 }, NOW)).toEqual({ value: 0.5, isMet: true });
  });

  test('of a burning budget compares the cost with the share of the window', () => {
    // 1,440 dollars a day are one a minute.
    const budget = { usd: 1_440, perMs: 86_400_000 };
    const burning = rule({ metric: 'budget.burn', budget, over: 2 });
    expect(judgeValues(burning, [1, 1])).toEqual({ value: 2, isMet: false });
    expect(judgeValues(burning, [1, 1.5])?.isMet).toBe(true);
  });

  test('of a queue judges what waits now', () => {
    const queue = rule({ metric: 'queue.depth', over: 2 });
    expect(judge(queue, { samples: [], level: 2 }, NOW)?.isMet).toBe(false);
    expect(judge(queue, { samples: [], level: 3 }, NOW)?.isMet).toBe(true);
  });
});

describe('a measure', () => {
  const ended = (kind: 'run' | 'agent' | 'tool', subject: Measure['subject']): Measure => ({
    what: 'ended',
    kind,
    at: 1,
    runId: 'a',
    subject,
    ms: 7,
    hasFailed: true,
  });

  test('is a value of the rules of its kind only', () => {
    const call = ended('tool', { agent: 'ann', tool: 'look' });
    expect(sampleIn(call, rule({ metric: 'tool.latency', over: 1 }))?.value).toBe(7);
    expect(sampleIn(call, rule({ metric: 'run.latency', over: 1 }))).toBeUndefined();
    expect(sampleIn(call, rule({ metric: 'error.rate', tool: '*', over: 1 }))?.value).toBe(1);
    expect(sampleIn(call, rule({ metric: 'error.rate', over: 1 }))).toBeUndefined();
  });

  test('belongs to the subject that a rule asks for, by name or each by itself', () => {
    const given = { agent: 'ann', tool: 'look' };
    const subject = (more: Partial<AlertRule>) => subjectOf(rule({ metric: 'tool.latency', ...more }), given);
    expect(subject({})).toEqual({});
    expect(subject({ tool: '*' })).toEqual({ tool: 'look' });
    expect(subject({ tool: 'look', agent: '*' })).toEqual(given);
    expect(subject({ tool: 'other' })).toBeUndefined();
    expect(subject({ tenant: '*' })).toBeUndefined();
  });
});
