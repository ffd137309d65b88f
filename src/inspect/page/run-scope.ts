import { computed } from '@preact/signals';
import type { Marker } from './markers.ts';
import { changes, filter, recorded, shown } from './page-state.ts';
import { countBelow } from './timeline.ts';

/** The part of a recording that the timeline is about: all of it, or the entries of the run that was chosen. */
export interface Scope {
  /** Its first place, and its last. */
  readonly first: number;
  readonly last: number;
  /** The current position in it. */
  readonly at: number;
  readonly markers: readonly Marker[];
  /** Converts a position in the scope to a number of entries, and back. */
  readonly lengthAt: (place: number) => number;
  readonly placeOf: (length: number) => number;
}

export const scope = computed((): Scope => {
  const { timeline, markers } = recorded.value;
  const { length } = shown.value;
  // It grows while the past is shown, too.
  void changes.value;
  const { run } = filter.value;
  if (run === undefined) {
    const same = (place: number): number => place;
    const last = timeline.length;
    return { first: timeline.first, last, at: length, markers, lengthAt: same, placeOf: same };
  }
  const places = timeline.placesOfRun(run);
  const placeOf = (of: number): number => countBelow(places, of);
  return {
    first: 0,
    last: places.length,
    at: placeOf(length),
    markers: markers.filter((each) => each.run === run),
    // After its last entry only other runs change.
    lengthAt: (place) =>
      place >= places.length
        ? timeline.length
        : place <= 0
          ? (places[0] ?? timeline.first)
          : (places[place - 1] ?? 0) + 1,
    placeOf,
  };
});
