import { trimEndOf } from '../../../base/text/trim-end.ts';
import { GIT_READING, HARMLESS_GIT_KEY } from './known-commands.ts';
import type { SpawnPlan } from './spawn.ts';
import { spawnCaptured } from './spawn.ts';

const MAX_LISTED_BYTES = 64_000_000;

/**
 * The reason for which git may not be run in this folder: the repository's own configuration, which anyone who writes files below the root can write, names a
 * program (a filter, an alias, a difference driver …), or it has submodules, each with a configuration that git reads there.
 */
export const refusedRepository = async (plan: SpawnPlan): Promise<string | undefined> => {
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
