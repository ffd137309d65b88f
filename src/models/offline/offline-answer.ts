import type { Quote } from './offline-evidence.ts';
import { relatedStems } from './offline-synonyms.ts';
import { contentStems, flat, overlap, shorten, stemSet, termsOf, type Term } from './offline-text.ts';

/** One or more adjacent quotes, with a rating of how well they answer. */
export interface RatedQuote {
  readonly text: string;
  readonly citation: string;
  /** Weighted share of the question that it covers itself. */
  readonly own: number;
  /** The same, with the passage around it counted in. */
  readonly covered: number;
  readonly score: number;
  /** Position of its first quote, and their number. */
  readonly first: number;
  readonly size: number;
  /** The passage. */
  readonly context: string;
}

/** Quotes found for a question, best first. */
export interface Findings {
  readonly quotes: readonly RatedQuote[];
  /** The part of the question that the best quote covers with its passage, from 0 to 1. */
  readonly coverage: number;
  /** Words of the question that occur in no quote. */
  readonly missing: readonly string[];
  /** Weight of each content word of the question, in order; the sum is 1. */
  readonly weights: readonly number[];
}

/** Minimum coverage of a question for an answer; of one or two words none may be missing. */
const ENOUGH = 0.55;
const ENOUGH_OF_FEW = 0.68;

/** The same for quotes that were selected for the question already. */
const ENOUGH_CHOSEN = 0.3;

/** A longer line is a table or minified code, not worth quoting. */
const MOST_WORDS = 90;

/** Weight of each kind of quote relative to a sentence; a table row says little without its head. */
const PLAINNESS: Readonly<Record<Quote['kind'], number>> = { prose: 1, code: 0.75, heading: 0.75, row: 0.6 };

/** Sentences that are quoted together, and characters of them. */
const WIDEST = 3;
const WIDEST_IN_BLOCK = 5;
const LONGEST_QUOTE = 600;

/** Rates quotes by the words of the question that they contain; rare ones count more. */
export const rate = (question: string, quotes: readonly Quote[]): Findings => {
  const asked = termsOf(question);
  const passages = new Map<number, Set<string>>();
  for (const { passage, citation, around } of quotes) {
    if (!passages.has(passage)) passages.set(passage, stemSet(`${citation} ${around}`));
  }
  const every = [...passages.values()];
  const weights = asked.map((term) => {
    const holding = every.filter((words) => holds(words, term) > 0).length;
    return Math.log(1 + (every.length + 1) / (holding + 0.5));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const share = (words: ReadonlySet<string>): number =>
    asked.reduce((sum, term, index) => sum + holds(words, term) * (weights[index] ?? 0), 0) / whole;
  const wanted = answerPattern(question);
  const covered = new Map([...passages].map(([passage, words]) => [passage, share(words)]));
  const stems = quotes.map(({ text }) => stemSet(text));
  const rated = windowsOf(quotes).map(({ first, size, isOneBlock }): RatedQuote => {
    const inside = quotes.slice(first, first + size);
    const words = new Set(stems.slice(first, first + size).flatMap((each) => [...each]));
    const text = inside.map((quote) => quote.text).join(SEAM);
    const { citation = '', passage = 0, around: context = '' } = inside[0] ?? {};
    const own = share(words);
    const around = covered.get(passage) ?? 0;
    const isKind = wanted === undefined || wanted.test(text);
    const kind = wanted !== undefined && isKind ? 0.2 : 0;
    // Each more sentence has to earn its place, the more so across paragraphs; code, titles and rows explain little.
    const width = 1 - (isOneBlock ? 0.05 : 0.12) * (size - 1);
    const plain = Math.min(...inside.map(({ kind }) => PLAINNESS[kind]));
    const length =
      words.size < 4 ? 0.5 : text.length > LONGEST_QUOTE ? (words.size > MOST_WORDS ? 0.2 : 0.75) : 1;
    const early = 0.03 / (1 + passage);
    const score = (own + 0.5 * around + kind) * width * plain * length + early;
    return { text, citation, own, covered: around, score, first, size, context };
  });
  rated.sort((a, b) => b.score - a.score);
  const missing = asked
    .filter((term) => !every.some((words) => holds(words, term) > 0))
    .map(({ word }) => word);
  return {
    quotes: rated,
    coverage: rated[0]?.covered ?? 0,
    missing,
    weights: weights.map((weight) => weight / whole),
  };
};

interface Window {
  readonly first: number;
  readonly size: number;
  readonly isOneBlock: boolean;
}

/** Enumerates quotes and groups of adjacent quotes within one passage. Headings alone are not answers. */
const windowsOf = (quotes: readonly Quote[]): Window[] =>
  quotes.flatMap((start, first) => {
    const windows: Window[] = [];
    for (let size = 1; size <= WIDEST_IN_BLOCK; size += 1) {
      const last = quotes[first + size - 1];
      if (
        last === undefined ||
        last.passage !== start.passage ||
        last.kind === 'heading' ||
        start.kind === 'heading'
      )
        break;
      const isOneBlock = last.block === start.block;
      if (size > WIDEST && !isOneBlock) break;
      windows.push({ first, size, isOneBlock });
    }
    return windows;
  });

/** Checks whether the findings answer the question; the threshold is lower for quotes that were selected already. */
export const isAnswered = (question: string, findings: Findings, wasChosen: boolean): boolean => {
  const least = wasChosen ? ENOUGH_CHOSEN : termsOf(question).length > 2 ? ENOUGH : ENOUGH_OF_FEW;
  return findings.quotes.length > 0 && findings.coverage >= least;
};

/** Returns 1 for the word itself, less for a near synonym. */
const holds = (words: ReadonlySet<string>, { word, parts }: Term): number => {
  if (words.has(word) || (parts.length > 0 && parts.every((part) => words.has(part)))) return 1;
  return relatedStems(word).some((other) => words.has(other)) ? 0.7 : 0;
};

/** Returns a pattern for the kind of answer, if the first words of the question determine it. */
const answerPattern = (question: string): RegExp | undefined => {
  if (
    /\bhow (?:many|much|long|often|big|large|old|fast|far|high|quickly)\b|\b(?:what|which) (?:number|port|size|amount|version|percentage|year)\b/i.test(
      question,
    )
  ) {
    return /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|none|never|infinity|unlimited)\b/i;
  }
  if (/\bdefaults?\b/i.test(question)) return /\bdefaults?\b/i;
  if (/\bwho\b|\bwhose\b/i.test(question)) return /\p{Lu}\p{L}{1,60} \p{Lu}\p{L}+|@\w+/u;
  if (/^\s*when\b|\bwhat (?:date|day)\b/i.test(question)) return /\d|\b(?:when|after|before|once|until)\b/i;
  if (/^\s*why\b/i.test(question))
    return /\b(?:because|since|as|so that|in order to|due to|to avoid|to prevent)\b/i;
  return /^\s*how (?:do|can|should|could|would|to)\b/i.test(question)
    ? /\b(?:use|using|call|set|pass|run|add|with|by|must|should)\b/i
    : undefined;
};

/** Joins adjacent quotes until it is known whether anything was omitted between them. */
const SEAM = '\u2028';

/** Joins quotes as they are in the passage, with an ellipsis where something was omitted. */
const mendQuotes = ({ text, context }: RatedQuote): string => {
  const within = plainWords(context);
  return text.split(SEAM).reduce((sum, next) => {
    const last = sum.split(' … ').at(-1) ?? '';
    return within.includes(plainWords(`${last} ${next}`)) ? `${sum} ${next}` : `${sum} … ${next}`;
  });
};

const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Share of the question that a further quote must add. */
const LEAST_ADDED = 0.15;

/** The quotes that answer best: the first covers most, another must add what it lacks. */
export const select = (question: string, findings: Findings, most: number): RatedQuote[] => {
  const asked = termsOf(question);
  const chosen: RatedQuote[] = [];
  const covered = new Set<string>();
  const [best] = findings.quotes;
  for (const quote of findings.quotes) {
    if (chosen.length >= most || best === undefined || quote.score < best.score * 0.65) break;
    const words = stemSet(quote.text);
    const overlaps = chosen.some(
      (other) => quote.first < other.first + other.size && other.first < quote.first + quote.size,
    );
    if (overlaps) continue;
    const isNew = !chosen.some(
      (other) =>
        overlap([...words], stemSet(other.text)) > 0.6 || overlap([...stemSet(other.text)], words) > 0.6,
    );
    const adds = asked.reduce(
      (sum, term, index) =>
        sum + (holds(words, term) > 0 && !covered.has(term.word) ? (findings.weights[index] ?? 0) : 0),
      0,
    );
    if (chosen.length > 0 && (!isNew || adds < LEAST_ADDED)) continue;
    chosen.push({ ...quote, text: mendQuotes(quote) });
    for (const term of asked) if (holds(words, term) > 0) covered.add(term.word);
  }
  return chosen;
};

/** Quotes as an answer: each with its citation. */
export const compose = (quotes: readonly { readonly text: string; readonly citation: string }[]): string =>
  quotes
    .map(({ text, citation }) => `${shorten(text, LONGEST_QUOTE)}${citation === '' ? '' : ` [${citation}]`}`)
    .join(' ');

/** Returns the answer for a question without findings. */
export const notFound = (question: string, where: string): string =>
  `I could not find an answer to “${shorten(oneSentence(question), 200)}” in ${where}.`;

/** Flattens a question to one sentence, so that a quotation of it does not read as several. */
const oneSentence = (question: string): string => flat(question).replace(/(?<![.!?…])[.!?…]+(?=\s)/g, ',');

/** Checks whether a sentence only says that nothing was found. */
export const saysNothing = (sentence: string): boolean =>
  /\b(?:could not|cannot|couldn['’]t|did not|can['’]t) (?:find|answer)\b|^\W*(?:no|nothing|none|0)\b[^.]{0,40}\b(?:found|results?|match(?:es|ed)?)\b/i.test(
    sentence,
  );

/** Without the quotes that an objection names: quoted in it, or nearly all of it. */
export const withoutObjected = (quotes: readonly Quote[], notes: readonly string[]): Quote[] => {
  const named = notes.flatMap((note) =>
    [...note.matchAll(/[“"«]([^“”"«»]{8,})[”"»]/g)].map(([, text]) =>
      contentStems((text ?? '').replace(/\[[^[\]]*\]/g, '')),
    ),
  );
  return quotes.filter((quote) => {
    const words = contentStems(quote.text);
    return !named.some(
      (complained) => complained.length > 0 && words.length > 0 && overlap(words, new Set(complained)) > 0.8,
    );
  });
};
