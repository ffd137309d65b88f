import { describe, expect, it } from 'vitest';
import { retryAfterInText, retryAfterMs } from '../../src/models/retry/retry-after.ts';

const now = Date.parse('2026-11-20T10:00:00Z');

const wait = (headers: Record<string, string>): number | undefined => retryAfterMs(new Headers(headers), now);

describe('[DODO-28] Retry-After is read in every form', () => {
  it.each([
    ['whole seconds', '1', 1_000],
    ['a fraction of a second', '0.5', 500],
    ['nothing at all', '0', 0],
    ['a month', '3000000', 3_000_000_000],
    ['a date to come', 'Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['a date to come, in the older form', 'Friday, 20-Nov-26 10:00:30 GMT', 30_000],
    ['a date to come, in the form of C', 'Fri Nov 20 10:00:30 2026', 30_000],
    ['a date that has passed', 'Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['a header that came twice: the longer', '5, 10', 10_000],
    [
      'a date that came twice: the later',
      'Fri, 20 Nov 2026 10:00:30 GMT, Fri, 20 Nov 2026 10:00:40 GMT',
      40_000,
    ],
  ])('%s', (_, value, expected) => {
    expect(wait({ 'retry-after': value })).toBe(expected);
  });

  it.each(
    [
      ['a negative number', '-5'],
      ['a word', 'soon'],
      ['a date that is none', 'Fry, 99 Nov 2026 10:00:30 GMT'],
    ].concat([
      ['a hexadecimal number', '0x10'],
      ['a number beyond numbers', '1e400'],
      ['emptiness', ''],
    ]),
  )('%s counts as not said', (_, value) => {
    expect(wait({ 'retry-after': value })).toBeUndefined();
  });

  it('without the header nothing is said', () => {
    expect(wait({})).toBeUndefined();
  });

  it('retry-after-ms wins over retry-after', () => {
    expect(wait({ 'retry-after-ms': '250', 'retry-after': '30' })).toBe(250);
  });

  it('a retry-after-ms that is nonsense leaves the word to retry-after', () => {
    expect(wait({ 'retry-after-ms': '-250', 'retry-after': '30' })).toBe(30_000);
  });

  it("a date is measured by the other side's own clock", () => {
    const headers = { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:00:07 GMT' };
    expect(wait(headers)).toBe(7_000);
  });
});

describe('[DODO-28] a wait that is only in the text is read', () => {
  it.each([
    ['Please try again in 20s.', 20_000],
    ['Please try again in 1.2s', 1_200],
    ['Please try again in 6m0s.', 360_000],
    ['Please try again in 20ms.', 20],
    ['Please retry after 3 seconds', 3_000],
    ['retry in 1 minute', 60_000],
    ['Please retry after 7', 7_000],
  ])('%s', (text, expected) => {
    expect(retryAfterInText(text)).toBe(expected);
  });

  it('other texts say nothing', () => {
    expect(retryAfterInText('Try again tomorrow, in 2027.')).toBeUndefined();
  });
});
