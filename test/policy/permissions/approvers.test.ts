import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalOfApproval, unmetTerms, withApprover } from '../../../src/contracts/people/approval-terms.ts';

const terms = { approvals: 2 };

/** True if a yes of both is not enough where two people have to approve. */
const areOne = (one: string, other: string): boolean => {
  const given = withApprover([], { name: one });
  const both = withApprover(given, { name: other });
  const isRefused = refusalOfApproval(terms, given, { name: other }) !== undefined;
  expect(unmetTerms(terms, both).length > 0, 'what is refused does not count').toBe(isRefused);
  return isRefused;
};

/** Characters that nobody sees, of all kinds that Unicode has them in. */
const UNSEEN = [
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u17b4',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2060',
  '\u2064',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\ufff9',
  '\u{1d173}',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e0100}',
  '\u0000',
  '\u007f',
];

describe('where two people have to approve, one is not two', () => {
  test.each([
    ['of another case', 'Ada', 'ADA'],
    ['of another case in full', 'Jo Strau\u00df', 'JO STRAUSS'],
    ['of a letter with two small forms', '\u039d\u03af\u03ba\u03bf\u03c2', '\u039d\u038a\u039a\u039f\u03a3'],
    ['with other spaces', 'Ada Byron', ' Ada\u00a0 Byron\n'],
    ['composed otherwise', 'Zo\u00eb', 'Zoe\u0308'],
    ['in wide letters', 'Ada', '\uff21\uff44\uff41'],
    ['in letters of mathematics', 'Ada', '\u{1d400}\u{1d41d}\u{1d41a}'],
    ['with a ligature', 'Griffin', 'Gri\ufb03n'],
    ['with a mark held apart', 'Zo\u00eb', 'Zoe\u034f\u0308'],
    ['with a blank of another script', 'Ada Byron', 'Ada\u2800Byron'],
  ])('by a name %s', (_, one, other) => {
    expect([areOne(one, other), areOne(other, one)]).toEqual([true, true]);
  });

  test('by a name with characters in it that nobody sees, wherever they stand', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Ada', 'Zo\u00eb Byron', '\u039d\u03af\u03ba\u03bf\u03c2', 'Jo Strau\u00df'),
        fc.array(fc.tuple(fc.nat(12), fc.constantFrom(...UNSEEN)), { minLength: 1, maxLength: 4 }),
        (name, put) => {
          const letters = Array.from(name);
          for (const [at, unseen] of put) letters.splice(at, 0, unseen);
          const other = letters.join('');
          expect(areOne(name, other)).toBe(true);
          expect(areOne(other, name)).toBe(true);
        },
      ),
    );
  });

  test('and two with names that read otherwise are two', () => {
    expect(areOne('Ada', 'Ben')).toBe(false);
    expect(areOne('Ada Byron', 'AdaByron')).toBe(false);
    expect(areOne('Zo\u00eb', 'Zoe')).toBe(false);
  });
});
