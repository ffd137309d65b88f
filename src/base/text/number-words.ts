/** A count with its thousands apart, the same in every locale: `12,345`. The first text that Intl formats costs a page 40 ms. */
export const withThousands = (count: number): string =>
  count < 1_000
    ? `${count}`
    : `${withThousands(Math.floor(count / 1_000))},${`${count % 1_000}`.padStart(3, '0')}`;

/** A number with its noun: `1 file`, `1,000 files`, `2 entries`. */
export const several = (count: number, one: string, many = `${one}s`): string =>
  `${withThousands(count)} ${count === 1 ? one : many}`;

/** Formats a duration in ms for people: `85 ms`, `1.2 s`, `2 min 5 s`, `3 h 20 min`. */
export const lasting = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${withThousands(Math.floor(minutes / 60))} h ${minutes % 60} min`;
};
