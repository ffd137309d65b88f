import type { Part, Spent } from '../folds/spending.ts';

/** The measures by which parts can be compared. */
export type Measure = keyof Spent;

/** A part in a flame graph: a block below that of what it is in. */
export interface Block {
  readonly part: Part;
  /** From the top. */
  readonly depth: number;
  /** Fractions of the whole width. */
  readonly left: number;
  readonly width: number;
  /** The id of the block that it is in. */
  readonly outer: string | undefined;
}

/** Narrower ones cannot be seen or hit. */
const NARROWEST = 0.004;
/** The most blocks that are drawn: the widest ones of each level come first. */
const MOST = 400;

/** The blocks of a flame graph, each followed by those in it; what is too narrow to be seen is left out. */
export const blocksOf = (root: Part, measure: Measure): readonly Block[] => {
  const whole = root.spent[measure];
  const blocks: Block[] = [];
  const add = (part: Part, depth: number, left: number, outer: string | undefined): void => {
    const width = whole === 0 ? 0 : part.spent[measure] / whole;
    if (blocks.length >= MOST || (width < NARROWEST && depth > 0)) return;
    blocks.push({ part, depth, left, width, outer });
    let at = left;
    for (const inner of byMost(part, measure)) {
      add(inner, depth + 1, at, part.id);
      at += whole === 0 ? 0 : inner.spent[measure] / whole;
    }
  };
  add(root, 0, 0, undefined);
  return blocks;
};

/** The block that is chosen at first: the whole, or all that there is in it, so that its table names who spent. */
export const openingBlock = (blocks: readonly Block[]): Block | undefined => {
  const [whole, ...inner] = blocks;
  const outermost = inner.filter(({ depth }) => depth === 1);
  return outermost.length === 1 ? outermost[0] : whole;
};

/** The parts in a part, those with the most first. */
export const byMost = ({ parts }: Part, measure: Measure): readonly Part[] =>
  parts.toSorted((one, other) => other.spent[measure] - one.spent[measure]);

/** Finds a part by its id, and those around it, from the outside in. */
export const wayTo = (root: Part, id: string): readonly Part[] => {
  if (root.id === id) return [root];
  // The id of a part begins with that of what it is in.
  const next = root.parts.find((part) => id === part.id || id.startsWith(`${part.id}\n`));
  if (next === undefined) return [];
  const rest = wayTo(next, id);
  return rest.length === 0 ? [] : [root, ...rest];
};
