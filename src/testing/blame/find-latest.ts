/**
 * Finds the latest index from which on everything has to be tried anew for success, where what comes before it stays.
 *
 * Later starts are cheaper, as less is asked again: so it looks from the end in strides that double, and halves what is left, with one attempt
 * each. An attempt fails by chance, too: the failure on which the answer rests is looked at thoroughly before it counts.
 *
 * @returns undefined if not even the first index succeeds.
 */
export const findLatest = async (
  end: number,
  succeedsFrom: (index: number, isThorough: boolean) => Promise<boolean>,
): Promise<number | undefined> => {
  const failing = new Set([end]);
  const certain = new Set([end]);
  const look = async (index: number, isThorough: boolean): Promise<boolean> => {
    const succeeds = await succeedsFrom(index, isThorough);
    if (succeeds) failing.delete(index);
    else failing.add(index);
    if (isThorough) certain.add(index);
    return succeeds;
  };
  let succeeding: number | undefined;
  for (let stride = 1, index = end - 1; index >= 0 && succeeding === undefined; stride *= 2) {
    if ((await look(index, false)) || (index === 0 && (await look(index, true)))) succeeding = index;
    else if (index === 0) return undefined;
    else index = Math.max(0, end - stride * 2);
  }
  while (succeeding !== undefined) {
    const from: number = succeeding;
    const next = Math.min(...[...failing].filter((index) => index > from));
    const middle = Math.floor((from + next) / 2);
    if (middle > from) succeeding = (await look(middle, false)) ? middle : from;
    else if (certain.has(next)) break;
    else succeeding = (await look(next, true)) ? next : from;
  }
  return succeeding;
};
