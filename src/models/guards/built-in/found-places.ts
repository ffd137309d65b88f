import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';

/** The places from left to right, without those that overlap one before them in the list. */
export const inOrder = (places: readonly NamedPlace[]): readonly NamedPlace[] => {
  const kept: NamedPlace[] = [];
  for (const place of places)
    if (!kept.some(({ start, end }) => start < place.end && place.start < end)) kept.push(place);
  return kept.toSorted((a, b) => a.start - b.start);
};

/** The names of what was found, each once, with its number. */
export const namesOf = (places: readonly NamedPlace[]): string => {
  const counts = new Map<string, number>();
  for (const { name } of places) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} (${count})`)).join(', ');
};
