import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BeginningFinder } from '../../src/contracts/secrets/beginning-finder.ts';
import type { FoundSecret } from '../../src/contracts/secrets/find-public.ts';
import { Redactor } from '../../src/contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../src/contracts/secrets/stream-redactor.ts';
import { sized } from '../support/thorough.ts';

/** Counts the characters that it looks at. */
class CountingRedactor extends Redactor {
  count = 0;

  override find(text: string, isCut?: boolean): readonly FoundSecret[] {
    this.count += text.length;
    return super.find(text, isCut);
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

describe('the first letters of a key', () => {
  const words = fc.constantFrom(
    ...'a s e sk key test The access live hooks.slack is secret eyJ sk- tokens task discord. xoxe.xo ghp_ -----BEGIN'.split(
      ' ',
    ),
    ' ',
    '\n',
    ', ',
    '/',
    '=',
    '"',
    '1',
    '-',
    '_',
  );
  const tokens = fc.constantFrom(
    `sk-proj-${'a1B2'.repeat(8)}`,
    `ghp_${'a1B2'.repeat(9)}`,
    `eyJhbGciOiJIUzI1NiJ9.${'a1B2'.repeat(6)}.${'c3D4'.repeat(6)}`,
    `xoxb-${'1234567890'.repeat(2)}`,
  );
  const texts = fc.array(fc.oneof({ weight: 6, arbitrary: words }, { weight: 1, arbitrary: tokens }), {
    maxLength: 30,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });

  /** Each piece, and what was shown after it. */
  const shownBy = (text: string, lengths: readonly number[]) => {
    const stream = new StreamRedactor(new Redactor({}));
    const shown: string[] = [];
    let from = 0;
    for (let index = 0; from < text.length; index += 1) {
      const until = from + (lengths[index % lengths.length] ?? 1);
      shown.push(stream.push(text.slice(from, until)));
      from = until;
    }
    return { shown, rest: stream.end() };
  };

  test('are not shown, however the text is cut, and all else is shown as it is', () => {
    fc.assert(
      fc.property(texts, sizes, (parts, lengths) => {
        const text = parts.join('');
        const { shown, rest } = shownBy(text, lengths);
        expect(shown.join('') + rest).toBe(new Redactor({}).text(text));
      }),
      { numRuns: sized(250, 1_000) },
    );
  });

  const lines = fc.array(
    fc.constantFrom(
      ...'--password -secret curl -u --user Basic basic Authorization: bearer token a a:b hunter2 dXNlcjpwYXNz sk- key -----BEGIN = : / - $'.split(
        ' ',
      ),
      ' ',
      ' ',
      ' ',
      '\n',
      'x'.repeat(90),
    ),
    { maxLength: 30 },
  );

  test('nor those of what headers and command lines hold', () => {
    fc.assert(
      fc.property(lines, sizes, (parts, lengths) => {
        const text = parts.join('');
        const { shown, rest } = shownBy(text, lengths);
        expect(shown.join('') + rest).toBe(new Redactor({}).text(text));
      }),
      { numRuns: sized(250, 1_000) },
    );
  });

  test.each([
    'run --password hunter2x now',
    'curl -u admin:hunter2x http://a',
    'curl -u "admin:hunter2x" http://a',
    `curl ${'-H x '.repeat(50)}-u admin:hunter2x http://a`,
    'Authorization: Basic dXNlcjpwYXNzd29yZA== x',
    'authorization: Token abcdefghijklmnopqrstuvw x',
    'bearer: abcdef1234 x',
  ])('nor is any of %s', (text) => {
    for (const size of [1, 3, 7]) {
      const { shown, rest } = shownBy(text, [size]);
      expect(shown.join('') + rest).toBe(new Redactor({}).text(text));
      expect(shown.join('') + rest).toContain('[redacted credentials]');
    }
  });

  test('are not looked for in the middle of a word, where the context of a long text begins', () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.${'a1B2'.repeat(6)}.${'c3D4'.repeat(6)}`;
    const text = `a${jwt}discord.tokens${`sk-proj-${'a1B2'.repeat(8)}`.repeat(3)}`;
    const { shown, rest } = shownBy(text, [1]);
    expect(shown.join('') + rest).toBe(new Redactor({}).text(text));
  });

  test.each(['tokens=b"', 'tokens == "', 'tokens: string = "', 'tokens || "'])(
    'of a value after %s wait, too',
    (name) => {
      const text = `${name}ask-proj-${'a1B2'.repeat(8)}"`;
      const { shown, rest } = shownBy(text, [1]);
      expect(shown.join('') + rest).toBe(new Redactor({}).text(text));
      expect(shown.join('')).not.toContain('ask');
    },
  );

  test('wait for the next piece, and no longer than until they are none', () => {
    const stream = new StreamRedactor(new Redactor({}));
    expect(
      ['It is a ', 's', 'k', 'y', ' key', ' of mine, s', '.'].map((piece) => stream.push(piece)),
    ).toEqual(['It is a ', '', '', 'sky', ' ', 'key of mine, ', 's.']);
    expect(stream.push(' s')).toBe(' ');
    expect(stream.end()).toBe('s');
  });

  test('are released before something else is shown; what may be a part of a key is not', () => {
    const stream = new StreamRedactor(new Redactor({}));
    expect(stream.push('It is s')).toBe('It is ');
    expect(stream.release()).toBe('s');
    expect(stream.release()).toBe('');
    expect(stream.push('k-1234567')).toBe('');
    expect(stream.release()).toBe('');
    expect(stream.end()).toBe('k-1234567');
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

describe('a key of known form that touches a known value', () => {
  const part = fc.constantFrom(
    'a',
    ' ',
    KNOWN,
    KNOWN.slice(0, 40),
    'sk-proj-01234',
    'd'.repeat(30),
    'ghp_',
    '"',
    '.eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9',
  );
  const parts = fc.array(part, { minLength: 1, maxLength: 8 });

  const redactor = new Redactor({ API_KEY: KNOWN });

  test('is redacted at once: who redacts again changes nothing', () => {
    fc.assert(
      fc.property(parts, (pieces) => {
        const once = redactor.text(pieces.join(''));
        expect(redactor.text(once)).toBe(once);
      }),
      { numRuns: sized(200, 3_000) },
    );
  });

  test('is redacted alike where its text comes in pieces', () => {
    fc.assert(
      fc.property(parts, (pieces) => {
        const stream = new StreamRedactor(redactor);
        const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end();
        expect(shown).toBe(redactor.text(pieces.join('')));
      }),
      {
        numRuns: sized(200, 3_000),
        examples: [
          [['a', 'sk-proj-01234', 'd'.repeat(30), KNOWN, 'd'.repeat(30), 'ghp_', 'a']],
          // What touches a known value is too short to be redacted, or not yet: the key around them began long before.
          [[KNOWN, KNOWN, 'a', KNOWN, 'a', KNOWN.slice(0, 40), 'a']],
          [[KNOWN, KNOWN.slice(0, 40), KNOWN, 'sk-proj-01234', KNOWN, 'd'.repeat(30), 'a']],
        ],
      },
    );
  });
});
