import { contentWords, flat, numbersIn, partsOfName, wordsOf } from './offline-text.ts';

/** A text from which each value is taken only once. */
export interface Pool {
  readonly text: string;
  /** Used values: a second parameter needs another one. */
  readonly used: Set<string>;
  /** Names of all parameters: where one starts, the value of another ends. */
  readonly siblings: readonly string[];
}

/** The input for making up values. */
export interface Material {
  /** Source of the values: the request, or one part of it. */
  readonly pool: Pool;
  /** The question. */
  readonly question: string;
  /** Prompts that may list alternatives. */
  readonly contexts: readonly string[];
  /** Findings, for an answer rather than a call. */
  readonly found?: Found | undefined;
  /** Index within a list: equally good alternatives take turns. */
  readonly turn: number;
  /** An answer must satisfy its schema in any case; a call is better not made than made up. */
  readonly purpose: 'call' | 'answer';
}

/** The content of an answer, before it is shaped. */
export interface Found {
  readonly text: string;
  readonly quotes: readonly { readonly text: string; readonly citation: string }[];
  /** From 0 to 1. */
  readonly coverage: number;
}

/** Returns a pattern for a property's name as written in a sentence: `startLine` as "start line". */
const patternOfName = (key: string): string => partsOfName(key).join('[ _-]?');

/** Takes a value unless it is empty or used. */
const take = (pool: Pool, value: string | undefined): string | undefined => {
  const plain = value?.trim();
  if (plain === undefined || plain === '' || pool.used.has(plain)) return undefined;
  pool.used.add(plain);
  return plain;
};

const QUOTED = `"([^"]+)"|“([^“”]+)”|(?<!\\w)'([^']+)'(?!\\w)|«([^«»]+)»|\`([^\`]+)\``;

/** Takes the value given under the property's own name: `subject: Hello`, `the title is "Launch"`, `titled 'Launch'`. */
export const labelledValue = (key: string, pool: Pool): string | undefined => {
  const name = patternOfName(key);
  if (name === '') return undefined;
  const quoted = new RegExp(`\\b${name}(?:d|ed|s)?\\b[^"“'«\`\\n.]{0,20}?(?:${QUOTED})`, 'i').exec(pool.text);
  const inQuotes = quoted?.slice(1).find((group) => group !== undefined);
  if (inQuotes !== undefined) return take(pool, inQuotes);
  const others = pool.siblings
    .filter((other) => other !== key)
    .map(patternOfName)
    .filter((other) => other !== '');
  const stop =
    others.length === 0
      ? ''
      : `|,?\\s+(?:and\\s+)?(?:the\\s+|a\\s+)?(?:${others.join('|')})\\b\\s*(?::|=|is\\b)`;
  const after = new RegExp(
    `\\b${name}\\b\\s*(?::|=|\\bis\\b|\\bset to\\b)\\s*(.+?)(?=\\n|$|;${stop})`,
    'i',
  ).exec(pool.text)?.[1];
  return take(pool, after?.replace(/[.,]$/, ''));
};

/** Takes the next unused quoted text. */
export const quotedValue = (pool: Pool): string | undefined => {
  for (const match of pool.text.matchAll(new RegExp(QUOTED, 'g'))) {
    const taken = take(
      pool,
      match.slice(1).find((group) => group !== undefined),
    );
    if (taken !== undefined) return taken;
  }
  return undefined;
};

/** Length of text examined before a number for the name of a property. */
const BEFORE = 60;

/** Takes an unused number that fits: the one after the property's name, else the next, if there has to be one. */
export const numberFrom = (
  key: string,
  pool: Pool,
  fits: (value: number) => boolean,
  isRequired: boolean,
): number | undefined => {
  const named = new RegExp(`\\b${patternOfName(key)}\\b[^\\d\\n]{0,20}$`, 'i');
  const free = numbersIn(pool.text).filter(({ value, at }) => fits(value) && !pool.used.has(`#${at}`));
  const chosen =
    free.find(({ at }) => named.test(pool.text.slice(Math.max(0, at - BEFORE), at))) ??
    (isRequired ? free[0] : undefined);
  if (chosen !== undefined) pool.used.add(`#${chosen.at}`);
  return chosen?.value;
};

/** Returns the search terms of a question: its content words, in their order and spelling. */
export const searchWords = (question: string): string => {
  const telling = new Set(contentWords(question));
  const words = question.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$.@/-]*(?<![./-])/gu) ?? [];
  const kept = words.filter((word) => wordsOf(word).some((part) => telling.has(part)));
  return [...new Set(kept)].join(' ') || flat(question);
};

/** Extracts an arithmetic expression: "(2 + 3) * 4"; undefined if there is none. */
export const expressionIn = (text: string): string | undefined => {
  const plain = text
    .replace(/[×x](?=\s*\d)/g, '*')
    .replace(/÷/g, '/')
    .replace(/\bplus\b/gi, '+')
    .replace(/\bminus\b/gi, '-')
    .replace(/\b(?:times|multiplied by)\b/gi, '*')
    .replace(/\bdivided by\b/gi, '/')
    .replace(/(\d),(?=\d{3}\b)/g, '$1');
  return plain
    .match(/[\d(][\d\s.+\-*/^%()]*/g)
    ?.map((each) => each.replace(/(?<=[\d)])[^\d)]*$/, ''))
    .filter((each) => /^[^].*[\d)]$/s.test(each))
    .sort((a, b) => b.length - a.length)[0];
};
