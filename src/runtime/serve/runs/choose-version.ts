import { systemClock } from '../../../base/clock.ts';
import { fittingVersion } from '../../journal/versions/fitting-version.ts';
import { markVersion } from '../../journal/versions/version-marks.ts';
import type { ServedAgent } from './served-names.ts';

/** The version of a served agent that a run goes on under, which is put on record for `runId`, as its fork may be another run. */
export const chooseVersion = async (
  { agent, versions }: ServedAgent,
  original: string,
  options: Parameters<typeof fittingVersion>[3],
  runId = original,
): Promise<ServedAgent['agent']> => {
  if (versions.length === 0) return agent;
  const { version } = await fittingVersion(agent, versions, original, options);
  await markVersion(options.store, runId, version?.label, systemClock.now());
  return version?.agent ?? agent;
};
