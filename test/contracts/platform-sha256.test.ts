import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';
import { platformSha256 } from '../../src/base/platform-sha256.ts';

test('the hash of the platform is that of JavaScript, also of what is no whole text: a journal may be written by one and read by the other', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.integer({ min: 0, max: 0xff_ff }).map((code) => String.fromCharCode(code)),
        maxLength: 300,
      }),
      (text) => {
        expect(platformSha256(text)).toBe(sha256(text));
      },
    ),
  );
});
