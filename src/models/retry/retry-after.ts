/** A source of headers by name: a `Headers`, or a stand-in. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * Returns the wait that the server asks for, in ms; undefined if there is none, or it is invalid.
 *
 * `retry-after-ms` takes precedence over `retry-after`, which may be seconds (also fractions) or an HTTP date. A date
 * is compared with the response's own `Date` header if there is one, so a skewed local clock changes nothing. A
 * negative or non-numeric value counts as missing. Of a repeated header the longer wait counts. A huge value is
 * returned unchanged: the retry policy decides whether it is too long.
 *
 * @example
 * retryAfterMs(new Headers({ 'retry-after': '1.5' }), Date.now()) // => 1500
 */
export const retryAfterMs = (headers: HeaderSource, now: number): number | undefined => {
  const milliseconds = numbers(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const value = headers.get('retry-after');
  const seconds = numbers(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = dates(value);
  return date === undefined ? undefined : Math.max(0, date - (dates(headers.get('date')) ?? now));
};

/**
 * Returns the wait that a sentence asks for, in ms: some providers state it only in the message.
 *
 * @example
 * retryAfterInText('Rate limit reached. Please try again in 1m2.5s.') // => 62500
 */
export const retryAfterInText = (text: string): number | undefined => {
  const found =
    /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*(?:ms|[hms]|seconds?|minutes?)?\s*)+)/i.exec(text);
  if (found === null) return undefined;
  let total = 0;
  for (const [, amount, unit = 's'] of (found[1] ?? '').matchAll(/(\d+(?:\.\d+)?)\s*(ms|[hms])?/gi)) {
    total += Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 1000);
  }
  return Math.ceil(total);
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A header that was sent twice arrives as `a, b`. */
const numbers = (value: string | null): number | undefined => {
  if (value === null) return undefined;
  const found = value.split(',').map((each) => each.trim());
  // `Number` alone would also take '', '0x10' and '1e400'; `Date.parse` would take '5, 10' for a day in May.
  return found.every((each) => /^\d+(\.\d*)?$|^\.\d+$/.test(each))
    ? Math.max(...found.map(Number))
    : undefined;
};

/** The date forms of RFC 9110 all contain the day and the time; shorter ones are ignored. */
const dates = (value: string | null): number | undefined => {
  if (value === null) return undefined;
  const found = [...value.matchAll(/[A-Z][a-z]+,? [^,]*?\d\d:\d\d:\d\d(?: GMT| \d{4})?/g)]
    .map(([date]) => Date.parse(date.endsWith('GMT') ? date : `${date} GMT`))
    .filter((time) => !Number.isNaN(time));
  return found.length === 0 ? undefined : Math.max(...found);
};
