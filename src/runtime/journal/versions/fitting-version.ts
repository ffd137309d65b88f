import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { AnyAgent } from '../../define/agent-registry.ts';
import { DeterminismError } from '../replay/determinism-error.ts';
import { checkVersion } from './check-version.ts';
import type { UnfitCall } from './open-calls.ts';

/** An earlier version of an agent, by which runs that it began go on. */
export interface AgentVersion {
  /** Names it for people: `until 2.0`. */
  readonly label: string;
  readonly agent: AnyAgent;
}

/** The version of an agent that a run goes on under. */
export interface FittingVersion {
  /** Undefined for the current one. */
  readonly version: AgentVersion | undefined;
  /** The calls without a result that it cannot make. */
  readonly calls: readonly UnfitCall[];
  /** Labels of the earlier versions that do not fit either, where the current one does not. */
  readonly tried?: readonly string[] | undefined;
}

/**
 * Finds the version of an agent that a run goes on under: the current one, if it does what the run's journal says and can make the
 * calls that wait, else the first of the others of which that is true. Where none is, the current one: resuming the run by it says why it is held.
 *
 * @throws {TroupeError} (rejects with) what checking the current version threw, where no other fits
 */
export const fittingVersion = async (
  current: AnyAgent,
  versions: readonly AgentVersion[],
  runId: string,
  options: RunOptions & { readonly store: JournalStore },
): Promise<FittingVersion> => {
  let refusal: DeterminismError | undefined;
  let calls: readonly UnfitCall[] = [];
  try {
    calls = await checkVersion(current, runId, options);
    if (calls.length === 0) return { version: undefined, calls };
  } catch (thrown) {
    // Another version has no more secrets, nor reads what is damaged.
    if (!(thrown instanceof DeterminismError)) throw thrown;
    refusal = thrown;
  }
  for (const version of versions)
    try {
      if ((await checkVersion(version.agent, runId, options)).length === 0) return { version, calls: [] };
    } catch (thrown) {
      if (!isTroupeError(thrown)) throw thrown;
    }
  const tried = versions.map(({ label }) => label);
  if (refusal !== undefined) throw Object.assign(refusal, { tried });
  return { version: undefined, calls, tried };
};
