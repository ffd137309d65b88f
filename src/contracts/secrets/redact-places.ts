import type { Place } from './phrase-finder.ts';

/** A place in a text, and what stands there. */
export interface NamedPlace extends Place {
  readonly name: string;
}

/** Returns the text with `[redacted NAME]` in each place. They are in order, and none overlaps another. */
export const redactPlaces = (text: string, places: readonly NamedPlace[]): string => {
  let shown = '';
  let from = 0;
  for (const { start, end, name } of places) {
    shown += `${text.slice(from, start)}[redacted ${name}]`;
    from = end;
  }
  return shown + text.slice(from);
};
