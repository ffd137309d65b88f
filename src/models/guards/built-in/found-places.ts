/** A piece of a text, and the kind of thing that it is. */
export interface FoundPlace {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** The places from left to right, without those that overlap one before them in the list. */
export const inOrder = (places: readonly FoundPlace[]): readonly FoundPlace[] => {
  const kept: FoundPlace[] = [];
  for (const place of places)
    if (!kept.some(({ start, end }) => start < place.end && place.start < end)) kept.push(place);
  return kept.toSorted((a, b) => a.start - b.start);
};

/** The text with `[redacted KIND]` in place of each piece. */
export const redactPlaces = (text: string, places: readonly FoundPlace[]): string => {
  let shown = '';
  let from = 0;
  for (const { start, end, kind } of places) {
    shown += `${text.slice(from, start)}[redacted ${kind}]`;
    from = end;
  }
  return shown + text.slice(from);
};

/** The kinds of what was found, each once, with its number. */
export const kindsOf = (places: readonly FoundPlace[]): string => {
  const counts = new Map<string, number>();
  for (const { kind } of places) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Array.from(counts, ([kind, count]) => (count === 1 ? kind : `${kind} (${count})`)).join(', ');
};
