import type { Card } from '../../coordination/round/card.ts';

/**
 * Finds the one of several that fits a task best, by the words that their cards share with it; of equals the one with the least work so far, and of
 * those the first. Pure, so a replayed run chooses the same.
 */
export const bestFit = (
  task: string,
  cards: readonly Card[],
  loads: Readonly<Record<string, number>> = {},
): string | undefined => {
  const words = wordsOf(task);
  return cards
    .map((card) => ({ name: card.name, score: fitOf(words, card), load: loads[card.name] ?? 0 }))
    .reduce<Candidate | undefined>(
      (best, next) => (best === undefined || isBetter(next, best) ? next : best),
      undefined,
    )?.name;
};

/** The fit of a card: 0 where it shares no word with the task. */
export const fitOf = (task: ReadonlySet<string> | string, { name, description, skills }: Card): number => {
  const words = typeof task === 'string' ? wordsOf(task) : task;
  const shared = (text: string): number => [...wordsOf(text)].filter((word) => words.has(word)).length;
  return shared(description) + 3 * shared([name, ...skills].join(' '));
};

interface Candidate {
  readonly name: string;
  readonly score: number;
  readonly load: number;
}

const isBetter = (one: Candidate, other: Candidate): boolean =>
  one.score > other.score || (one.score === other.score && one.load < other.load);

/** Words that say nothing of what a text is about. */
const EMPTY = new Set(
  'and are but can for from has have how into its not of one out that the their this to was what when where which who why will with you your'.split(
    ' ',
  ),
);

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])
      .filter((word) => !EMPTY.has(word))
      .map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s|er|ers)$/u, '') : word)),
  );
