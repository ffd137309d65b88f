import { TroupeError } from '../../../contracts/error.ts';
import type { Json } from '../../../contracts/json.ts';
import { toJson } from '../../../contracts/json.ts';

/** Where a run that was gone through again parted from its journal. */
export interface Divergence {
  readonly runId: string;
  readonly path: string;
  readonly step?: number | undefined;
  /** What the journal has there. */
  readonly expected: Json;
  /** What came instead; null where nothing did. */
  readonly found: Json;
}

/**
 * A run that was gone through again did something else than its journal says: its agents are not those that it was begun with.
 *
 * Its code is `journal.diverged`; the first difference is named, and nothing was written.
 */
export class DeterminismError extends TroupeError {
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    const { runId, path, step, expected, found } = divergence;
    const where = step === undefined ? '' : ` in step ${step}`;
    super(
      'journal.diverged',
      `Cannot go through run '${runId}' again as '${path}' does something else${where}: its journal has ${short(expected)}, found ${short(found)}`,
      { runId, path, ...(step === undefined ? {} : { step }), details: toJson(divergence) },
    );
    this.divergence = divergence;
  }
}

const LONGEST = 300;

const short = (value: Json): string => {
  const text = value === null ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
