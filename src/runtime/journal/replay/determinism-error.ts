import { TroupeError } from '../../../contracts/errors/error.ts';
import { short } from '../../../contracts/errors/found-text.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';

/** The point at which a replay diverged from its journal. */
export interface Divergence {
  readonly runId: string;
  readonly path: string;
  readonly step?: number | undefined;
  /** The recorded value. */
  readonly expected: Json;
  /** The replayed value; null if there was none. */
  readonly found: Json;
}

/**
 * A replay diverged from its journal: the agents are not those that the run was started with.
 *
 * Its code is `journal.diverged`; it names the first difference, and nothing was written.
 */
export class DeterminismError extends TroupeError {
  readonly divergence: Divergence;
  /** Labels of the earlier versions that were tried as well, and do not fit either. */
  tried: readonly string[] = [];

  constructor(divergence: Divergence) {
    const { runId, path, step, expected, found } = divergence;
    const where = step === undefined ? '' : ` in step ${step}`;
    super(
      'journal.diverged',
      `Cannot replay run '${runId}' as '${path}' does something else${where}: its journal has ${textOf(expected)}, found ${textOf(found)}`,
      { runId, path, step, details: toJson(divergence) },
    );
    this.divergence = divergence;
  }
}

const LONGEST = 300;

const textOf = (value: Json): string => short(value === null ? 'nothing' : JSON.stringify(value), LONGEST);
