import type { ProcessOps } from '../../contracts/environment.ts';
import { pathDenied, pathNames } from '../environments/clean-path.ts';
import type { AllowedCommands } from './environment-allowed-commands.ts';
import { allowedProgram, assertAllowedCommands } from './environment-allowed-commands.ts';
import type { ConfinedRoot } from './environment-host-root.ts';
import { spawnCaptured } from './environment-spawn.ts';

/** What bounds commands. */
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
      const file = allowedProgram(commands, command, args);
      const folder = await root.openFolder(pathNames(cwd));
      if (folder === undefined) throw pathDenied(cwd, 'there is no such folder');
      try {
        return await spawnCaptured({
          file,
          args,
          cwd: folder.place,
          env: limits.env,
          input,
          timeoutMs: Math.min(timeoutMs, limits.timeoutMs),
          maxOutputBytes: limits.maxOutputBytes,
          signal,
        });
      } finally {
        await folder[Symbol.asyncDispose]();
      }
    },
  };
};
