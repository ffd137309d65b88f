import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, hashOfWords } from '../../src/base/hash.ts';

test('the hash of words is that of the text that they make, which journals have on record', () => {
  expect(hashOf('0 run.started walker -1 ')).toBe(0.5475152276922017);
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(hashOfWords(words)).toBe(hashOf(words.join(' ')));
    }),
  );
});
