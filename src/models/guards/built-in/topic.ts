import { escapePattern } from '../../../base/text/escape-pattern.ts';

/** The pattern of words and phrases, in any case, of which `*` stands for up to 30 letters. */
export const wordPattern = (words: readonly string[]): RegExp => {
  const each = words.map((word) =>
    word
      .trim()
      .split(/\s+/)
      .map((part) => part.split('*').map(escapePattern).join('[\\p{L}\\p{N}]{0,30}'))
      .join('[ \\t]{0,4}\\n?[ \\t]{0,4}(?<=\\s)'),
  );
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${each.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
};

/** The most ways in which a pattern may go at one place of a text. */
const MOST_WAYS = 10_000;

/** Checks whether a pattern takes bounded work at each place of a text: its repetitions have bounds, and none is within another. */
export const isBoundedPattern = ({ source }: RegExp): boolean => {
  const parts = source
    // A reference is as unsure as what has no bound.
    .replaceAll(/\\[1-9]|\\k/g, '*')
    .replaceAll(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\./g, 'x')
    .replaceAll(/\[[^[\]]*\]/g, 'x');
  const plain = parts.replaceAll(/\(\?(?::|<\w+>)/g, '(');
  const isUnsure = /\(\?|[*+]|\{\d+,\}|\)[?{]/.test(plain);
  return !isUnsure && waysOf(plain) <= MOST_WAYS;
};

/** The number of ways to match at one place, at most: the product of all choices. */
const waysOf = (plain: string): number => {
  const bounds = Array.from(plain.matchAll(/\{(?:\d+,)?(\d+)\}/g), ([, most]) => Number(most) + 1);
  let ways = bounds.reduce((product, each) => product * each, 2 ** (plain.split('?').length - 1));
  let rest = plain;
  for (let group = GROUP.exec(rest); group !== null; group = GROUP.exec(rest)) {
    ways *= group[0].split('|').length;
    rest = rest.replace(GROUP, 'x');
  }
  return ways * rest.split('|').length;
};

const GROUP = /\([^()]*\)/;
