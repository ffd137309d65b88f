import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BeginningFinder } from '../../src/contracts/secrets/beginning-finder.ts';
import type { FoundSecret } from '../../src/contracts/secrets/find-public.ts';
import { Redactor } from '../../src/contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../src/contracts/secrets/stream-redactor.ts';

/** Counts the characters that it looks at. */
class CountingRedactor extends Redactor {
  count = 0;

  override find(text: string): readonly FoundSecret[] {
    this.count += text.length;
    return super.find(text);
  }
}

const KNOWN = `sk-${'known1'.repeat(20)}`;

const streamed = (text: string, size: number, redactor = new CountingRedactor({})) => {
  const stream = new StreamRedactor(redactor);
  let shown = '';
  for (let from = 0; from < text.length; from += size) shown += stream.push(text.slice(from, from + size));
  return { shown: shown + stream.end(), count: redactor.count };
};

const texts: Readonly<Record<string, string>> = {
  'a key of known shape': `It is sk-1${'abcdefghij'.repeat(2_000)}, and no more.`,
  'a token of three parts': `It is eyJ${'ab1'.repeat(600)}.${'cd2'.repeat(900)}.${'ef3'.repeat(6_000)} then.`,
  'a token of too many parts': `It is eyJ${'ab1'.repeat(600)}${`.${'cd2'.repeat(2_000)}`.repeat(6)} then.`,
  'a token of many dots': `It is glpat-${'a1.b'.repeat(4_000)} then.`,
  'a value that is known': `It is ${KNOWN}, and no more.`,
  'a value that is known after one that is not': `sk-1${'ab'.repeat(4_000)} ${KNOWN} ghp_1${'ab'.repeat(4_000)} end`,
  'a value that is known within one that is not': `sk-1${'ab'.repeat(4_000)}${KNOWN}${'ab'.repeat(4_000)} end`,
  'a value that is known within the credentials of a header': `Bearer ${'x9_'.repeat(700)}${KNOWN}${'x9_'.repeat(700)} end`,
  'a key after what is assigned with it': `api_key=x-sk-1${'ab'.repeat(3_000)} end`,
  'one token within another': `Bearer ${'ab1'.repeat(2_000)}/ATATT3${'cd2'.repeat(2_000)}=${'ef3'.repeat(50)} end`,
  'a private key in one line': `-----BEGIN PRIVATE KEY-----\n${'ab1/'.repeat(2_000)}\n-----END PRIVATE KEY----- end`,
};

describe('a text that comes in pieces', () => {
  test.each(Object.entries(texts))(
    'is redacted as the whole of it is, however long the secret: %s',
    (_, text) => {
      const redactor = new CountingRedactor({ API_KEY: KNOWN });
      const whole = redactor.text(text);
      expect(whole).toContain('[redacted ');
      for (const size of [61, 1_000, 9_000]) expect(streamed(text, size, redactor).shown).toBe(whole);
    },
  );

  test('is looked at in proportion to its length, however long a secret in it is', () => {
    for (const [begin, rest] of [
      ['sk-1', 'abcdefghij'],
      ['glpat-1', 'abcd.efgh.'],
      [KNOWN, 'abcdefghij'],
    ] as const) {
      const lookedAt = (length: number) =>
        streamed(begin + rest.repeat(length), 10, new CountingRedactor({ API_KEY: KNOWN })).count;
      expect(lookedAt(2_000) / lookedAt(500)).toBeLessThan(8);
    }
  });
});

describe('the beginning of a value that is known', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-'), minLength: 1, maxLength: 9 });

  test('is the longest that the text ends with, and not all of a value', () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 5 }), fc.string({ unit: letters }), (phrases, text) => {
        const small = text.toLowerCase();
        const from = Array.from({ length: small.length }, (_, start) => start).find((start) =>
          phrases.some(
            (phrase) =>
              phrase.length > small.length - start && phrase.toLowerCase().startsWith(small.slice(start)),
          ),
        );
        expect(new BeginningFinder(phrases).find(text)).toBe(from ?? text.length);
      }),
    );
  });

  test('is nowhere where no value is known', () => {
    expect(new Redactor({}).beginsAt('sk-1abc')).toBe(7);
  });
});
