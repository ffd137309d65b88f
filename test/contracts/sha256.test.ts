import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';

const byNode = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

test('the hash of a text is its SHA-256, at every length of a block and in every script', () => {
  for (let length = 0; length < 300; length += 1) {
    const text = 'a'.repeat(length);
    expect(sha256(text)).toBe(byNode(text));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(sha256(text)).toBe(byNode(text));
    }),
  );
});
