/** Names beyond this are not compared: a hostile one must not cost a second. */
const MAX_COMPARED = 64;

/**
 * Finds the name that was probably meant, by spelling alone; undefined if none is near.
 *
 * Case and punctuation do not count (`Files_Read` is `files.read`), a namespace may be missing or wrong, and two neighbours that were
 * swapped are one mistake. A third of the letters may be wrong, at least one.
 *
 * @example
 * nearestName('modle', ['name', 'model']); // 'model'
 */
export const nearestName = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = normalise(name);
  const wantedLast = normalise(lastPart(name));
  if (wantedLast === '') return undefined;
  let nearest: string | undefined;
  let best = Math.max(1, Math.floor(wantedLast.length / 3)) + 1;
  for (const each of names) {
    const last = normalise(lastPart(each));
    const distance = Math.min(editDistance(wanted, normalise(each)), editDistance(wantedLast, last));
    if (distance >= best) continue;
    best = distance;
    nearest = each;
  }
  return nearest;
};

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The number of letters that have to be added, dropped, changed or swapped with the next to get from one to the other. */
const editDistance = (from: string, to: string): number => {
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
