import { TroupeError } from '../../contracts/errors/error.ts';
import type { Entry } from '../recording/entry.ts';
import type { Recording } from '../recording/recording.ts';

/**
 * Returns the number of the first event of a run at or after a position in a recording; undefined if there is none yet.
 *
 * @throws {TroupeError} `input.invalid` for a place that the recording has forgotten.
 */
export const eventAt = (
  recording: Recording,
  runId: string,
  place: number,
): { readonly seq: number } | undefined => {
  if (place < recording.first)
    throw new TroupeError(
      'input.invalid',
      `Cannot go back to entry ${place} as entries before ${recording.first} were dropped`,
    );
  for (const line of recording.from(place)) {
    // The recording wrote it.
    const entry = JSON.parse(line) as Entry;
    if (entry.kind !== 'published' || entry.event.type === 'model.delta' || entry.event.runId !== runId)
      continue;
    return { seq: entry.event.seq };
  }
  return undefined;
};
