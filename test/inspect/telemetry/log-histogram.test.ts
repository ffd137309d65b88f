import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogHistogram } from '../../../src/inspect/telemetry/metrics/log-histogram.ts';

const of = (values: readonly number[]): LogHistogram => {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
};

/** The value of that rank, exactly. */
const exact = (values: readonly number[], fraction: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(1, Math.ceil(fraction * values.length)) - 1] ?? 0;

describe('a histogram', () => {
  test('[TENEX-76] tells every quantile within 1 % of the true one', () => {
    const value = fc.oneof(
      fc.double({ min: 0.001, max: 1e12, noNaN: true }),
      fc.integer({ min: 1, max: 100_000 }),
    );
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, fraction) => {
          const true_ = exact(values, fraction);
          expect(Math.abs(of(values).quantile(fraction) - true_)).toBeLessThanOrEqual(0.010001 * true_);
        },
      ),
    );
  });

  test('its distribution is what its quantiles are, and its sums are exact', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 200 }), (values) => {
        const histogram = of(values);
        expect(histogram.distribution()).toEqual({
          count: values.length,
          sum: values.reduce((sum, each) => sum + each, 0),
          min: values.length === 0 ? 0 : Math.min(...values),
          max: values.length === 0 ? 0 : Math.max(...values),
          p50: histogram.quantile(0.5),
          p90: histogram.quantile(0.9),
          p95: histogram.quantile(0.95),
          p99: histogram.quantile(0.99),
        });
      }),
    );
  });

  test('takes no more memory for a million values, whatever they are, than it has buckets', () => {
    const histogram = new LogHistogram();
    // A walk over 18 orders of magnitude, beyond both bounds.
    for (let each = 0; each < 1_000_000; each += 1) histogram.add(10 ** ((each % 2_000) / 100 - 5));
    expect(histogram.count).toBe(1_000_000);
    expect(histogram.size).toBeLessThanOrEqual(1_728);
  });

  test('what is no duration counts as none', () => {
    expect(of([-5, Number.NaN, 0]).distribution()).toMatchObject({
      count: 3,
      sum: 0,
      min: 0,
      max: 0,
      p99: 0,
    });
  });
});
