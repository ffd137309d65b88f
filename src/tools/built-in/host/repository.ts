import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { trimEndOf } from '../../../base/text/trim-end.ts';
import { GIT_READING, HARMLESS_GIT_KEY } from './known-commands.ts';
import type { SpawnPlan } from './spawn.ts';
import { spawnCaptured } from './spawn.ts';

const MAX_LISTED_BYTES = 64_000_000;

/**
 * The reason for which git may not be run in this folder: a file that anyone who writes below the root can write leads to a repository elsewhere; the
 * repository's own configuration names a program (a filter, an alias, a difference driver …); or it has submodules, each with a configuration that git reads there.
 */
export const refusedRepository = async (plan: SpawnPlan, root: string): Promise<string | undefined> => {
  const ask = async (...args: string[]) =>
    spawnCaptured({
      ...plan,
      args,
      env: {
        ...plan.env,
        ...GIT_READING,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.fsmonitor',
        GIT_CONFIG_VALUE_0: 'false',
      },
      input: undefined,
      maxOutputBytes: MAX_LISTED_BYTES,
    });
  const found = await ask('rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir');
  const elsewhere = found.exitCode === 0 ? await placeElsewhere(found.stdout.split('\n'), root) : undefined;
  if (elsewhere !== undefined)
    return `the repository is kept outside of the root: ${JSON.stringify(elsewhere.slice(0, 100))}`;
  const listed = await ask('config', '--list', '--name-only', '--null', '--includes');
  if (listed.exitCode !== 0)
    return `the configuration of the repository cannot be read: ${trimEndOf(listed.stderr, '\n').slice(0, 300)}`;
  const harmful = listed.stdout
    .split('\0')
    .find((key) => key !== '' && key !== 'core.fsmonitor' && !HARMLESS_GIT_KEY.test(key));
  if (harmful !== undefined)
    return `the configuration of the repository may start programs: ${JSON.stringify(harmful.slice(0, 100))}`;
  const files = await ask('ls-files', '--stage', '-z', '--', ':/');
  return /(?:^|\0)160000 /.test(files.stdout)
    ? 'the repository has submodules, each with a configuration that may start programs'
    : undefined;
};

/** The first place outside of the root to which files of a repository lead. */
const placeElsewhere = async (folders: readonly string[], root: string): Promise<string | undefined> => {
  const named = folders.filter((folder) => folder !== '');
  const own = named.filter((folder) => isBelow(folder, root));
  const alternates = await Promise.all(own.map((folder) => alternatesOf(join(folder, 'objects'))));
  const places = [...named, ...alternates.flat()];
  return places.find((place) => !isBelow(place, root) && !isFoundAbove(place, root));
};

/** Folders that a repository takes objects from, besides its own. */
const alternatesOf = async (objects: string): Promise<readonly string[]> => {
  const text = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => resolve(objects, line));
};

const isBelow = (place: string, folder: string): boolean => place.startsWith(`${folder}${sep}`);

/** Checks whether it is the repository that a root is part of: nothing below the root leads to it. */
const isFoundAbove = (place: string, root: string): boolean =>
  basename(place) === '.git' && isBelow(root, dirname(place));
