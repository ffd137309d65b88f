import { tmpdir } from 'node:os';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import type { ProcessResult } from '../../../contracts/environments/operations.ts';
import { ENGINE_VARIABLES, pickVariables } from '../host/command-environment.ts';
import { spawnCaptured } from '../host/spawn.ts';
import { hostMark, isOrphan } from './container-owner.ts';
import { listArguments, removeArguments, VERSION_ARGUMENTS } from './engine-arguments.ts';

/** Time limit of what the engine does by itself, in ms. */
const ENGINE_MS = 20_000;

/** Bytes kept of what the engine says. */
const ENGINE_BYTES = 200_000;

/** Words of engines for a container that does not exist, or not any more. */
const IS_GONE = /no (such )?container|already in progress/i;

/** The variables that an engine's program sees. */
export const engineVariables = (): Readonly<Record<string, string>> => pickVariables(ENGINE_VARIABLES);

/** Checks whether an engine is Podman, by what it says of itself: its program may be called `docker`. */
export const isPodman = async (engine: string): Promise<boolean> => {
  const { stdout } = await ask(engine, VERSION_ARGUMENTS);
  return /\bpodman\b/i.test(stdout);
};

/** The folder that an engine's program is started in: that of Podman leaves a file `oom` there for a command that ran out of memory. */
export const engineFolder = (): string => tmpdir();

/** Removes the containers of processes of this machine that are gone. */
export const removeOrphans = async (engine: string): Promise<void> => {
  const { stdout } = await ask(engine, listArguments(hostMark()));
  const orphans = stdout.split('\n').filter(isOrphan);
  if (orphans.length === 0) return;
  // Another process may remove them at the same time.
  await ask(engine, removeArguments(orphans), IS_GONE);
};

/** Removes a container, if there is one. */
export const removeContainer = async (engine: string, name: string): Promise<void> => {
  await ask(engine, removeArguments([name]), IS_GONE);
};

/** Asks the engine, and rejects with `environment.unfit` unless it does as it is asked. */
const ask = async (engine: string, args: readonly string[], allowed?: RegExp): Promise<ProcessResult> => {
  const result = await spawnCaptured({
    file: engine,
    args,
    cwd: engineFolder(),
    env: engineVariables(),
    timeoutMs: ENGINE_MS,
    maxOutputBytes: ENGINE_BYTES,
  }).catch((thrown: unknown) => {
    throw unfit(
      engine,
      `it cannot be started: ${messageOf(thrown)}. Install it, or give its path as \`engine\``,
    );
  });
  if (result.exitCode === 0 || allowed?.test(result.stderr) === true) return result;
  if (result.isTimedOut) throw unfit(engine, `'${args[0] ?? ''}' was not answered within ${ENGINE_MS} ms`);
  throw unfit(
    engine,
    `'${args[0] ?? ''}' failed: ${result.stderr.trim().slice(0, 500) || 'no reason was given'}`,
  );
};

const unfit = (engine: string, reason: string): TroupeError =>
  new TroupeError('environment.unfit', `Cannot use the container engine '${engine}' as ${reason}`);
