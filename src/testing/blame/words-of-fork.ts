import { knownSecrets, recordsIn } from '../../runtime/journal/resume/stored-run.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { cassetteOf } from '../cassette.ts';
import type { BlameOptions } from './blame-options.ts';
import type { Said } from './point.ts';
import { readPoints } from './read-points.ts';
import type { Trial } from './trials.ts';

/** Reads what was said at each point of a fork, by key. */
export const wordsOfFork = async (
  { store, runId }: Trial,
  definition: Definition,
  { model, secrets, secretKey }: BlameOptions,
): Promise<ReadonlyMap<string, Said>> => {
  const known = knownSecrets(definition, { model, secrets, secretKey });
  const { records } = await recordsIn(store, runId, known);
  const { points } = readPoints(runId, records, cassetteOf(runId, records));
  return new Map(points.map(({ key, recorded }) => [key, recorded]));
};
