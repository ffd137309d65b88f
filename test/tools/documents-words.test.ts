import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rememberingToTerm, toTerm } from '../../src/tools/built-in/documents/words.ts';

test('a term that is remembered is the term, also of a token that has none', () => {
  const remembering = rememberingToTerm();
  const token = fc.oneof(fc.constantFrom('the', 'Retries', 'retried', 'été', '', '__proto__'), fc.string());
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      for (const each of [...tokens, ...tokens]) expect(remembering(each)).toBe(toTerm(each));
    }),
  );
});
