import type { Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import type { ComparedLine } from '../trial/line-changes.ts';
import { textChanges } from '../trial/line-changes.ts';

/** Neighbours of two lists: texts that are in both, or those that are only in one of them. */
export interface AlignedPart extends Sides<readonly string[]> {
  readonly both: readonly string[];
}

/** Two lists, with as many of their texts beside each other as possible. */
export interface AlignedTexts {
  readonly parts: readonly AlignedPart[];
  /** Number of texts in both. */
  readonly same: number;
  /** Number of texts of each list that are left out. */
  readonly omitted: Sides<number>;
}

/** The most texts of a list that are aligned, and shown. */
export const MOST_TEXTS = 200;

/** Aligns the first texts of two lists by their longest common subsequence. */
export const alignTexts = (left: readonly string[], right: readonly string[]): AlignedTexts => {
  const texts = textChanges(left.slice(0, MOST_TEXTS), right.slice(0, MOST_TEXTS));
  const omitted = (list: readonly string[]): number => Math.max(0, list.length - MOST_TEXTS);
  return {
    parts: partsOf(texts),
    same: texts.filter(({ side }) => side === 'both').length,
    omitted: { left: omitted(left), right: omitted(right) },
  };
};

const partsOf = (texts: readonly ComparedLine[]): readonly AlignedPart[] => {
  const runs: ComparedLine[][] = [];
  for (const text of texts) {
    const run = runs.at(-1);
    if (run === undefined || (run[0]?.side === 'both') !== (text.side === 'both')) runs.push([text]);
    else run.push(text);
  }
  return runs.map((run) => {
    const of = (wanted: ComparedLine['side']): readonly string[] =>
      run.flatMap(({ side, text }) => (side === wanted ? [text] : []));
    return { both: of('both'), left: of('left'), right: of('right') };
  });
};
