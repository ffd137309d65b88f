import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withThousands } from '../../src/base/text/number-words.ts';

describe('a count with its thousands apart', () => {
  test('is what the locale of the United States writes, whatever it counts', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (count) => {
        expect(withThousands(count)).toBe(count.toLocaleString('en-US'));
      }),
    );
  });
});
