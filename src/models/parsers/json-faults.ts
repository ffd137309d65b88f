/**
 * Counts the quotes in a text like JSON that open or close nothing: one within words, one that closes a string before more words, or one that is
 * never closed.
 *
 * Quotes pair as `jsonrepair` pairs them: `"` and `'` with themselves, typographic ones with any of their kind.
 */
const strayQuotes = (text: string): number => {
  let faults = 0;
  let closers = '';
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (closers !== '') {
      if (sign === '\\') at += 1;
      else if (closers.includes(sign)) {
        closers = '';
        if (!isDelimiter(next(text, at + 1))) faults += 1;
      }
    } else if (ALL.includes(sign)) {
      // A quote that opens a string follows a bracket, a comma or a colon.
      const opens = last === '' || '{[,:('.includes(last);
      if (!opens) faults += 1;
      closers = closersOf(sign);
    }
    if (!isSpace(sign)) last = sign;
  }
  return closers === '' ? faults : faults + 1;
};

const DOUBLE = '"\u201C\u201D';
const SINGLE = "'\u2018\u2019`\u00B4";
const ALL = DOUBLE + SINGLE;

const closersOf = (quote: string): string => {
  if (quote === '"' || quote === "'") return quote;
  return DOUBLE.includes(quote) ? DOUBLE : SINGLE;
};

const isDelimiter = (sign: string): boolean => sign === '' || ',:}])'.includes(sign);

const isSpace = (sign: string): boolean => /\s/.test(sign);

/** The next character that is no space; empty at the end. */
const next = (text: string, from: number): string => {
  let at = from;
  while (isSpace(text.charAt(at))) at += 1;
  return text.charAt(at);
};

/** A comma may be missing: a line without one at its end, or a number or a bracket that something else follows. */
const MISSING_COMMA = /[^\s,{[:\]}](?=[ \t\r]{0,8}\n)|\d(?=\s{1,8}[^\s,\]}:])|[\]}](?=\s{0,8}[-\d{["'a-z])/g;
/** Functions, such as `ISODate("…")`, are no JSON. */
const PARENTHESIS = /[()]/g;
/** A typographic quote costs even where it pairs. */
const TYPOGRAPHIC = /[\u201C\u201D\u2018\u2019`\u00B4]/g;
/** Comments and regular expressions are no JSON. */
const SLASH = /\//g;

const STRAY_QUOTE_NS = 200;
/** The costs of faults, in ns for each character of their text: `jsonrepair` reads, or copies, much of it again. Measured on Node 20, by random texts. */
const COSTS_NS: readonly (readonly [fault: RegExp, ns: number])[] = [
  [MISSING_COMMA, 4],
  [PARENTHESIS, 4],
  [TYPOGRAPHIC, 1],
  [SLASH, 1],
];

/** The time that it may take to repair a text, at most, in ms. */
export const repairTime = (text: string): number => {
  let perCharacter = STRAY_QUOTE_NS * strayQuotes(text);
  for (const [fault, ns] of COSTS_NS) perCharacter += ns * countOf(fault, text);
  return (perCharacter * text.length) / 1e6;
};

const countOf = (fault: RegExp, text: string): number => {
  let count = 0;
  for (const _ of text.matchAll(fault)) count += 1;
  return count;
};
