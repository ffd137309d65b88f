import type { Quote } from './offline-evidence.ts';
import { contentStems, flat, overlap, shorten, stemSet } from './offline-text.ts';
import { related } from './offline-synonyms.ts';

/** A quote with how well it answers. */
export interface RatedQuote extends Quote {
  /** Weighted share of the question that it covers itself. */
  readonly own: number;
  /** Together with the passage it stands in. */
  readonly covered: number;
  readonly score: number;
}

/** What was found for a question, best first. */
export interface Findings {
  readonly quotes: readonly RatedQuote[];
  /** How much of the question the best quote covers with its passage, from 0 to 1. */
  readonly coverage: number;
  /** Words of the question that occur nowhere in what was found. */
  readonly missing: readonly string[];
}

/** Less of a question covered than this is no answer. */
export const ENOUGH = 0.55;

/** Quotes in an answer, and characters of one. */
const MOST_QUOTES = 3;
const LONGEST_QUOTE = 400;

/** Rates every quote by the words of the question that it holds; rare ones count more. */
export const rate = (question: string, quotes: readonly Quote[]): Findings => {
  const asked = contentStems(question);
  const own = quotes.map((quote) => stemSet(quote.text));
  const passages = new Map<number, Set<string>>();
  for (const quote of quotes) {
    if (!passages.has(quote.passage))
      passages.set(quote.passage, stemSet(`${quote.citation} ${quote.around}`));
  }
  const weights = asked.map((word) => {
    const holds = [...passages.values()].filter((words) => holdsWord(words, word) > 0).length;
    return Math.log(1 + (passages.size + 1) / (holds + 0.5));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const share = (words: ReadonlySet<string>): number =>
    asked.reduce((sum, word, index) => sum + holdsWord(words, word) * (weights[index] ?? 0), 0) / whole;
  const wants = wantedIn(question);
  const rated = quotes.map((quote, index): RatedQuote => {
    const words = own[index] ?? new Set<string>();
    const around = passages.get(quote.passage) ?? new Set<string>();
    const itself = share(words);
    const covered = share(around);
    const kind = wants !== undefined && wants.test(quote.text) ? 0.15 : 0;
    // A title names the subject but says nothing of it, and a very long line says too much.
    const length = words.size < 4 ? 0.35 : words.size > 60 ? 0.8 : 1;
    const early = 0.03 / (1 + quote.passage);
    return { ...quote, own: itself, covered, score: (itself + 0.5 * covered + kind) * length + early };
  });
  const best = rated.toSorted((a, b) => b.score - a.score);
  const missing = asked.filter((word) => ![...passages.values()].some((words) => holdsWord(words, word) > 0));
  return { quotes: best, coverage: best[0]?.covered ?? 0, missing };
};

/** 1 for the word itself, less for one that means nearly the same. */
const holdsWord = (words: ReadonlySet<string>, word: string): number =>
  words.has(word) ? 1 : related(word).some((other) => words.has(other)) ? 0.7 : 0;

/** What kind of thing answers the question, where its first words tell. */
const wantedIn = (question: string): RegExp | undefined => {
  if (
    /\bhow (?:many|much|long|often|big|large|old|fast|far)\b|\b(?:what|which) (?:number|port|size|amount|version|percentage|year)\b|\bdefault\b/i.test(
      question,
    )
  ) {
    return /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|thousand|none|never)\b/i;
  }
  if (/\bwho\b|\bwhose\b/i.test(question)) return /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u;
  if (/^\s*when\b|\bwhat (?:date|day|year)\b/i.test(question)) return /\d{4}|\b(?:when|after|before|once)\b/i;
  return /^\s*why\b/i.test(question)
    ? /\b(?:because|since|as|so that|in order to|due to|to avoid)\b/i
    : undefined;
};

/** The quotes that answer best: the first covers most, others add what it lacks. */
export const select = (question: string, findings: Findings, most = MOST_QUOTES): RatedQuote[] => {
  const asked = contentStems(question);
  const chosen: RatedQuote[] = [];
  const covered = new Set<string>();
  const [best] = findings.quotes;
  for (const quote of findings.quotes) {
    if (chosen.length >= most || best === undefined || quote.score < best.score * 0.55) break;
    const words = stemSet(quote.text);
    const adds = asked.filter((word) => words.has(word) && !covered.has(word)).length;
    const isNew = !chosen.some((other) => overlap([...words], stemSet(other.text)) > 0.8);
    const isFirst = chosen.length === 0;
    if (!isFirst && (!isNew || (adds === 0 && quote.score < best.score * 0.85))) continue;
    chosen.push(quote);
    for (const word of asked) if (words.has(word)) covered.add(word);
  }
  return chosen;
};

/** Quotes as an answer: each sentence with its citation. */
export const compose = (quotes: readonly Quote[]): string =>
  quotes
    .map(
      (quote) =>
        `${shorten(quote.text, LONGEST_QUOTE)}${quote.citation === '' ? '' : ` [${quote.citation}]`}`,
    )
    .join(' ');

/** What is said where nothing fits. */
export const notFound = (question: string, where: string): string =>
  `I could not find an answer to “${shorten(flat(question), 200)}” in ${where}.`;

/** Whether a sentence only says that nothing was found. */
export const saysNothing = (sentence: string): boolean =>
  /\b(?:could not|cannot|couldn['’]t|did not|can['’]t) (?:find|answer)\b|\bno (?:answer|evidence|information) (?:was )?(?:found|in)\b/i.test(
    sentence,
  );

/** Without the quotes that an objection names: quoted in it, or nearly all of it. */
export const withoutObjected = (quotes: readonly Quote[], notes: readonly string[]): Quote[] => {
  const named = notes.flatMap((note) =>
    [...note.matchAll(/[“"«]([^”"»]{8,})[”"»]/g)].map(([, text]) => flat(text ?? '')),
  );
  if (named.length === 0) return [...quotes];
  return quotes.filter((quote) => {
    const words = contentStems(quote.text);
    return !named.some((text) => {
      const complained = contentStems(text.replace(/\[[^\]]*\]/g, ''));
      return (
        complained.length > 0 &&
        overlap(complained, new Set(words)) > 0.8 &&
        overlap(words, new Set(complained)) > 0.5
      );
    });
  });
};
