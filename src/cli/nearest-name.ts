/** Changes of one letter that lead from one word to another, a swap of two neighbours counted as one. */
const distance = (from: string, to: string): number => {
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const [letter, other] = [from[row - 1], to[column - 1]];
      const at = (cells: readonly number[], place: number): number => cells[place] ?? Infinity;
      const swapped =
        row > 1 && column > 1 && letter === to[column - 2] && from[row - 2] === other
          ? at(twoAbove, column - 2) + 1
          : Infinity;
      line.push(
        Math.min(
          at(above, column) + 1,
          at(line, column - 1) + 1,
          at(above, column - 1) + Number(letter !== other),
          swapped,
        ),
      );
    }
    [twoAbove, above] = [above, line];
  }
  return above[to.length] ?? Infinity;
};

/** The name that somebody may have meant by a word; undefined where none is near. */
export const nearestName = (word: string, names: readonly string[]): string | undefined => {
  const sought = word.toLowerCase();
  const [nearest] = names
    .map((name) => ({ name, away: distance(sought, name) }))
    .toSorted((one, other) => one.away - other.away);
  // A third of a word may be wrong, and of short ones one letter, or two that were swapped.
  return nearest !== undefined && nearest.away <= Math.max(1, Math.floor(sought.length / 3))
    ? nearest.name
    : undefined;
};
