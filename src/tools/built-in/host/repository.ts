import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
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
    return `the repository is kept outside of the root, or takes objects from elsewhere: ${JSON.stringify(elsewhere.slice(0, 100))}`;
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
  const outside = named.find((folder) => !isBelow(folder, root));
  if (outside !== undefined) return outside;
  for (const folder of named) {
    const alternates = join(folder, 'objects/info/alternates');
    // Git follows what it lists, and what those list: any of them may be anywhere.
    if ((await readFile(alternates, 'utf8').catch(() => '')).trim() !== '') return alternates;
  }
  return undefined;
};

const isBelow = (place: string, folder: string): boolean => place.startsWith(`${folder}${sep}`);

/** Variables by which git looks for a repository no further up than the root, whose parents are nobody's here. */
export const boundGitTo = (root: string): Readonly<Record<string, string>> => ({
  GIT_CEILING_DIRECTORIES: dirname(root),
});
