/** Names beyond this are not compared: a hostile one must not cost a second. */
const MAX_COMPARED = 64;

/**
 * The name that was probably meant, by spelling alone; undefined if none is near.
 *
 * Case and punctuation do not count (`Files_Read` is `files.read`), and a namespace may be missing or wrong.
 */
export const nearestName = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = plain(name);
  const wantedLast = plain(lastPart(name));
  if (wantedLast === '') return undefined;
  let nearest: string | undefined;
  // A third of the letters may be wrong, at least one.
  let best = Math.max(1, Math.floor(wantedLast.length / 3)) + 1;
  for (const each of names) {
    const last = plain(lastPart(each));
    const distance = Math.min(editDistance(wanted, plain(each)), editDistance(wantedLast, last));
    if (distance >= best) continue;
    best = distance;
    nearest = each;
  }
  return nearest;
};

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The number of letters that have to be added, dropped or changed to get from one to the other. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};
