/** A line of two texts that are compared: in both, or in one of them. */
export interface ComparedLine {
  readonly text: string;
  readonly side: 'both' | 'left' | 'right';
}

/** The most pairs of lines that are compared; beyond it, all lines between the common ends count as changed. */
const MOST_PAIRS = 1_000_000;

/** Returns the lines of two texts in order, with as many as possible in both. */
export const lineChanges = (left: string, right: string): readonly ComparedLine[] =>
  textChanges(left.split('\n'), right.split('\n'));

/** Returns the texts of two lists in order, with as many as possible in both. */
export const textChanges = (one: readonly string[], other: readonly string[]): readonly ComparedLine[] => {
  let start = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end))
    end += 1;
  const lines = (side: ComparedLine['side'], texts: readonly string[]): readonly ComparedLine[] =>
    texts.map((text) => ({ text, side }));
  return [
    ...lines('both', one.slice(0, start)),
    ...changesBetween(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...lines('both', one.slice(one.length - end)),
  ];
};

/** The lines of two texts that differ at both ends, by their longest common subsequence. */
const changesBetween = (one: readonly string[], other: readonly string[]): readonly ComparedLine[] => {
  const isLong = one.length * other.length > MOST_PAIRS;
  const common = isLong ? () => 0 : commonLengths(one, other);
  const found: ComparedLine[] = [];
  let [at, there] = [0, 0];
  while (at < one.length || there < other.length) {
    const [left, right] = [one[at], other[there]];
    if (!isLong && left !== undefined && left === right) {
      found.push({ text: left, side: 'both' });
      at += 1;
      there += 1;
    } else if (
      left !== undefined &&
      (right === undefined || common(at + 1, there) >= common(at, there + 1))
    ) {
      found.push({ text: left, side: 'left' });
      at += 1;
    } else if (right !== undefined) {
      found.push({ text: right, side: 'right' });
      there += 1;
    }
  }
  return found;
};

/** The number of lines that the rests of two texts have in common, by where the rests begin. */
const commonLengths = (
  one: readonly string[],
  other: readonly string[],
): ((at: number, there: number) => number) => {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  const length = (at: number, there: number): number => lengths[at * width + there] ?? 0;
  for (let at = one.length - 1; at >= 0; at -= 1)
    for (let there = other.length - 1; there >= 0; there -= 1)
      lengths[at * width + there] =
        one[at] === other[there]
          ? length(at + 1, there + 1) + 1
          : Math.max(length(at + 1, there), length(at, there + 1));
  return length;
};
