import { systemClock } from '../../../base/clock.ts';
import { fittingVersion } from '../../journal/versions/fitting-version.ts';
import { markVersion } from '../../journal/versions/version-marks.ts';
import { assertCallsKept, assertTools } from '../../journal/versions/waiting-calls.ts';
import type { ServedAgent } from './served-names.ts';

type StoredOptions = Parameters<typeof fittingVersion>[3];

/**
 * The version of a served agent that a run is resumed by, which is put on record.
 *
 * @throws (rejects with) {TroupeError} `tool.missing` where none can make a call that waits; {@link DeterminismError}
 */
export const versionToResume = async (
  { agent, versions }: ServedAgent,
  runId: string,
  options: StoredOptions,
): Promise<ServedAgent['agent']> => {
  if (versions.length === 0) {
    // A run that is at work is resumed at once: a call of it that was under way is looked at then.
    if ((await options.store.entry(runId))?.status === 'waiting')
      await assertCallsKept(agent, runId, options);
    return agent;
  }
  const { version, calls, tried } = await fittingVersion(agent, versions, runId, options);
  assertTools(runId, calls, tried);
  await markVersion(options.store, runId, version?.label, systemClock.now());
  return version?.agent ?? agent;
};

/** The version of a served agent that a run is forked by, which is put on record for the fork. */
export const versionToFork = async (
  { agent, versions }: ServedAgent,
  { original, fork }: { readonly original: string; readonly fork: string },
  options: StoredOptions,
): Promise<ServedAgent['agent']> => {
  if (versions.length === 0) return agent;
  const { version } = await fittingVersion(agent, versions, original, options);
  await markVersion(options.store, fork, version?.label, systemClock.now());
  return version?.agent ?? agent;
};
