/** Ascending numbers in short: `0-3,7`. */
export const rangesOf = (numbers: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const each of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === each - 1) last[1] = each;
    else ranges.push([each, each]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
};

/** Makes the check for a number in ranges; a text that is none has no numbers. */
export const inRanges = (text: unknown): ((number: number) => boolean) => {
  const ranges = typeof text === 'string' ? text.split(',').flatMap(parseRange) : [];
  return (number) => ranges.some(([from, to]) => number >= from && number <= to);
};

const parseRange = (range: string): readonly (readonly [number, number])[] => {
  const [, from, to = from] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(range) ?? [];
  return from === undefined ? [] : [[Number(from), Number(to)]];
};
