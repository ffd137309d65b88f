import { stem } from '../../base/text/stem.ts';

/** Function words and conversational phrases, without a subject. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any anything are as at be because been before being ' +
    'below between both but by can cannot could did do does doing done down during each either else ever every ' +
    'few for from further get gets give given gives had has have having he her here hers him his how however i ' +
    'if in into is it its itself just let like many may me might more most much must my neither no nor not now ' +
    'of off on once one only onto or other our out over own per please same say says shall she should so some ' +
    'something such tell than that the their them then there these they thing things this those through to too ' +
    'under until up us use used uses using very via was we were what when where whether which while who whom ' +
    'whose why will with within without would yet you your according answer anyone explain describe find ' +
    'happen happens know look mean means need needs question show want whats hows'
  ).split(' '),
);

/** A word, with its parts if it is an identifier: `maxRetries` has `max` and `retries`. */
interface Token {
  readonly word: string;
  readonly parts: readonly string[];
}

const NO_PARTS: readonly string[] = [];

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = [];
  for (const found of text.match(/[\p{L}\p{N}_$]+(?:['’]\p{L}+)?/gu) ?? []) {
    // Most words: nothing is to be taken off or apart.
    if (/^[a-z0-9]+$/.test(found)) {
      tokens.push({ word: found, parts: NO_PARTS });
      continue;
    }
    const plain = found.replace(/['’]s?$|['’](?=\p{L})/u, '');
    const word = plain.replace(/[_$]/g, '').toLowerCase();
    const parts = plain
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .split(/[_$ ]+/)
      .filter((part) => part !== '');
    if (word !== '') tokens.push({ word, parts: parts.length > 1 ? parts : NO_PARTS });
  }
  return tokens;
};

/** Splits a text into lower-case words; identifiers are included whole and in parts. */
export const wordsOf = (text: string): string[] => {
  const words: string[] = [];
  for (const { word, parts } of tokensOf(text)) words.push(word, ...parts);
  return words;
};

/** Splits a name into its lower-case words: `startLine`, `start_line` and `start-line` into `start` and `line`. */
export const partsOfName = (name: string): string[] =>
  wordsOf(name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})|[_$]/gu, '$1 '));

/** A stemmed content word of a question; an identifier also matches by all of its parts. */
export interface Term {
  readonly word: string;
  readonly parts: readonly string[];
}

/** Returns the content words of a question, each once, in order. */
export const termsOf = (question: string): Term[] => {
  const terms = new Map<string, Term>();
  for (const { word, parts } of tokensOf(question.replace(MEASURES, ''))) {
    if (isContent(word)) terms.set(stem(word), { word: stem(word), parts: parts.map(stem) });
  }
  return [...terms.values()];
};

const isContent = (word: string): boolean => !STOP_WORDS.has(word) && (word.length > 1 || /\d/.test(word));

/** Returns the stemmed content words of a text, each once, in order. */
export const contentStems = (text: string): string[] => [
  ...new Set(contentWords(text).map((word) => stem(word))),
];

/** Returns the content words of a text in their own form, each once, in order. */
export const contentWords = (text: string): string[] => [
  ...new Set(wordsOf(text.replace(MEASURES, '')).filter(isContent)),
];

/** "How long" asks for a number; an answer need not contain "long". */
const MEASURES = /\bhow (?:many|much|long|often|big|large|old|fast|far|high|quickly|soon)(?: times)?\b/gi;

/** Returns all stems of a text, stop words included, for lookups. */
export const stemSet = (text: string): Set<string> => new Set(wordsOf(text).map((word) => stem(word)));

/** Returns the fraction of `words` that occur in `within`; 1 for no words at all. */
export const overlap = (words: readonly string[], within: ReadonlySet<string>): number =>
  words.length === 0 ? 1 : words.filter((word) => within.has(word)).length / words.length;

/** The sentences of running text. A full stop inside a name, number or abbreviation ends none. */
export const sentencesOf = (text: string): string[] => {
  const sentences: string[] = [];
  let start = 0;
  for (const found of text.matchAll(
    /(?<![.!?])[.!?]+["'”’)\]`*_]*\s+(?=["'“‘(`*_[]*[\p{Lu}\p{N}])|\n\s*\n/gu,
  )) {
    const end = found.index + found[0].length;
    if (
      /(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Dr|No|approx)|\b\p{Lu})\.\s+$/u.test(
        text.slice(Math.max(start, found.index - 8), end),
      )
    )
      continue;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  sentences.push(text.slice(start).trim());
  return sentences.filter((sentence) => sentence !== '');
};

/** One line, single spaces. */
export const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Truncates `text` to at most `most` characters, at a word. */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/(?<!\s)\s+\S*$/, '')} …`;

const NUMBER_WORDS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen twenty'
).split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A number in a text, with its place. */
export interface FoundNumber {
  readonly value: number;
  readonly at: number;
  readonly end: number;
}

/**
 * Finds the numbers of a text in order, in digits or words: "1,200", "-3.5", "twenty-one". Dates, times and identifiers
 * do not count.
 */
export const numbersIn = (text: string): FoundNumber[] => {
  const found: FoundNumber[] = [];
  const plain = text.replace(/\d{4}-\d\d-\d\d\S*|\b\d{1,2}:\d\d\b|\b[A-Za-z_]+\d+\w*/g, (date) =>
    ' '.repeat(date.length),
  );
  for (const match of plain.matchAll(
    /(?<![\w.])[-−]?\d+(?:,\d{3})+(?:\.\d+)?|(?<![\w.])[-−]?\d+(?:\.\d+)?/g,
  )) {
    const value = Number(match[0].replaceAll(',', '').replace('−', '-'));
    found.push({ value, at: match.index, end: match.index + match[0].length });
  }
  const words = [...NUMBER_WORDS, ...TENS].join('|');
  for (const match of plain.matchAll(
    new RegExp(`\\b(${words})(?:[- ](${NUMBER_WORDS.slice(1, 10).join('|')}))?\\b`, 'gi'),
  )) {
    const value = wordValue(match[1]) + wordValue(match[2]);
    found.push({ value, at: match.index, end: match.index + match[0].length });
  }
  return found.sort((a, b) => a.at - b.at);
};

const wordValue = (word: string | undefined): number => {
  const lower = word?.toLowerCase() ?? '';
  const ten = TENS.indexOf(lower);
  return ten >= 0 ? (ten + 2) * 10 : Math.max(0, NUMBER_WORDS.indexOf(lower));
};
