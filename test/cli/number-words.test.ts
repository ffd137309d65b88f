import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withThousands } from '../../src/base/text/number-words.ts';

describe('a whole number with its thousands apart', () => {
  test('is what the locale of the United States writes, whatever it counts', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (count) => {
        expect(withThousands(count)).toBe(count.toLocaleString('en-US'));
      }),
    );
  });
});
