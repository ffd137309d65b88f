import { stem } from '../../../base/text/stem.ts';

/** English function words, neither indexed nor searched. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also an and any are as at be because been before being but by can could did do does ' +
    'doing done each for from had has have having he her here him his how i if in into is it its itself just ' +
    'many may me might more most much must my no nor not now of off on once one only or other our out over own ' +
    'same she should so some such than that the their them then there these they this those through to too ' +
    'under until up us very was we were what when where which while who whom whose why will with would you your'
  ).split(' '),
);

/** A longer token is a hash or encoded data, which nobody searches for. */
const LONGEST_TERM = 40;

/**
 * Splits `text` into terms: words, and identifiers both whole and in parts (`maxRetries` is `maxretries`, `max` and
 * `retries`). Scripts without spaces are cut into pairs of characters.
 */
export const tokenize = (text: string): string[] => {
  const terms: string[] = [];
  for (const word of text.match(/[\p{L}\p{N}_$]+/gu) ?? []) {
    if (word.length > LONGEST_TERM) continue;
    if (UNSPACED.test(word)) terms.push(...pairs(word));
    else {
      const parts = partsOf(word);
      if (parts.length !== 1 || parts[0] !== word) terms.push(word.replace(/[_$]/g, ''));
      terms.push(...parts);
    }
  }
  return terms;
};

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;

const pairs = (word: string): string[] =>
  word.length < 2 ? [word] : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));

const partsOf = (word: string): string[] =>
  /[_$]|\p{Ll}\p{Lu}/u.test(word)
    ? word
        .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
        .split(/[_$ ]+/)
        .filter((part) => part !== '')
    : [word];

/** Normalises a token for the index, stemmed; null if it is not worth indexing. */
export const toTerm = (token: string): string | null => {
  const lower = isPlain(token) ? token.toLowerCase() : withoutAccents(token).toLowerCase();
  return lower === '' || STOP_WORDS.has(lower) ? null : stem(lower);
};

/** Tokens whose terms are remembered: about those of a large project. */
const MOST_REMEMBERED = 65_536;

/** Returns a {@link toTerm} with a cache: a text of ten thousand words has a tenth as many different ones. */
export const rememberingToTerm = (): typeof toTerm => {
  let terms = new Map<string, string | null>();
  return (token) => {
    const known = terms.get(token);
    if (known !== undefined) return known;
    if (terms.size >= MOST_REMEMBERED) terms = new Map();
    const term = toTerm(token);
    terms.set(token, term);
    return term;
  };
};

const isPlain = (token: string): boolean => /^[\w$]*$/.test(token);

const withoutAccents = (token: string): string =>
  token.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
