import type { ProcessOps } from '../../../contracts/environments/operations.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';
import type { AllowedCommands } from './allowed-commands.ts';
import { assertAllowedCommands, deniedArguments, planCommand } from './allowed-commands.ts';
import type { ConfinedRoot } from './host-root.ts';
import { linkedPath } from './linked-path.ts';
import { assertNotRepository } from './repository-files.ts';
import { boundGitTo, refusedRepository } from './repository.ts';
import { spawnCaptured } from './spawn.ts';

/** Limits on commands. */
export interface ProcessLimits {
  readonly env: Readonly<Record<string, string>>;
  /** In ms, and the most that a call may ask for. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** The commands of this machine that are allowed, run below a root. */
export const hostProcesses = (
  root: ConfinedRoot,
  commands: AllowedCommands,
  limits: ProcessLimits,
): ProcessOps => {
  assertAllowedCommands(commands);
  return {
    commands: Object.keys(commands),
    run: async (command, args, { cwd = '.', input, timeoutMs = limits.timeoutMs, signal } = {}) => {
      const { paths, readsRepository, ...planned } = planCommand(commands, command, args);
      const place = pathNames(cwd);
      assertNotRepository(cwd, place);
      const folder = await root.openFolder(place);
      if (folder === undefined) throw pathDenied(cwd, 'there is no such folder');
      try {
        const linked = await linkedPath(folder, paths);
        if (linked !== undefined)
          throw deniedArguments(command, `an argument leads through a link: ${linked.slice(0, 100)}`);
        const plan = {
          ...planned,
          cwd: folder.place,
          env: { ...limits.env, ...planned.env, ...(readsRepository ? boundGitTo(await root.find()) : {}) },
          input,
          timeoutMs: Math.min(timeoutMs, limits.timeoutMs),
          maxOutputBytes: limits.maxOutputBytes,
          signal,
        };
        const refused = readsRepository ? await refusedRepository(plan, await root.find()) : undefined;
        if (refused !== undefined) throw deniedArguments(command, refused);
        return await spawnCaptured(plan);
      } finally {
        await folder[Symbol.asyncDispose]();
      }
    },
  };
};
