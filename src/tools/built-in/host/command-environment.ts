import { trimEndOf } from '../../../base/text/trim-end.ts';
import type { Environment } from '../../../contracts/environments/environment.ts';
import type { EnvironmentOps, FileOps, ProcessOps } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';
import type { CommandRun } from './command-files.ts';
import { commandFiles } from './command-files.ts';
import { assertPlainCommand } from '../../environments/plain-command.ts';

/** An environment that runs commands behind a prefix. */
export interface CommandEnvironmentOptions {
  /**
   * Prefix of every command: `['docker', 'exec', '-i', 'box']`. `['ssh', 'box']` does not work, as it involves a shell.
   */
  readonly prefix: readonly string[];
  /** The folder in there that files are below; an absolute path. */
  readonly root: string;
  /** Default: the first word of the prefix. */
  readonly name?: string | undefined;
  /** Allowed commands. Default: all, as the environment itself is the confinement. */
  readonly commands?: readonly string[] | undefined;
  /** Variables of this process that the prefix itself gets to see. Default: what docker and podman need. */
  readonly passed?: readonly string[] | undefined;
  /** Default time limit of a command in ms, and the most that one may ask for. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes kept of each output of a command. Default 64,000. */
  readonly maxOutputBytes?: number | undefined;
  /** Of a file, read or written. Default 1,000,000. */
  readonly maxFileBytes?: number | undefined;
}

/** Variables of this process that docker and podman need. */
export const ENGINE_VARIABLES: readonly string[] = [
  'PATH',
  'HOME',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
];

/** Time limit of the health check, in ms. */
const HEALTH_MS = 10_000;

/**
 * A container, or any environment where commands run behind a prefix. No shell is involved: arguments are passed
 * unchanged.
 *
 * Files are read and written by common commands inside (`realpath`, `stat`, `head`, `tee`, `mkdir`, `ls`, `rm`), and
 * kept below the root as a protection against mistakes; against malice the environment itself is the confinement.
 * Killing `docker exec` leaves the command in the container running: put `timeout` into the prefix if that matters.
 *
 * @example
 * const box = commandEnvironment({ prefix: ['docker', 'exec', '-i', 'box', 'timeout', '-s', 'KILL', '60'], root: '/work' });
 */
export const commandEnvironment = (options: CommandEnvironmentOptions): Environment => {
  const { prefix, root, timeoutMs = 60_000, maxOutputBytes = 64_000, maxFileBytes = 1_000_000 } = options;
  const name = options.name ?? prefix[0] ?? 'command';
  const offered: { files?: FileOps; processes?: ProcessOps } = {};
  const ops: EnvironmentOps = offered;
  const run: CommandRun = async (
    args,
    { input, timeoutMs: wanted = timeoutMs, signal, most = maxOutputBytes } = {},
  ) => {
    const [file, ...words] = [...prefix, ...args];
    const { spawnCaptured } = await import('./spawn.ts');
    return spawnCaptured({
      file: file ?? '',
      args: words,
      env: pickVariables(options.passed ?? ENGINE_VARIABLES),
      input,
      timeoutMs: Math.min(wanted, timeoutMs),
      maxOutputBytes: most,
      signal,
    });
  };
  return {
    name,
    ops,
    setup: () => {
      if (prefix.length === 0 || !root.startsWith('/') || root === '/')
        throw new TroupeError(
          'agent.invalid',
          `Cannot use the environment '${name}' as it needs a prefix and an absolute root that is not /: ${root}`,
        );
      offered.files = commandFiles(run, trimEndOf(root, '/'), maxFileBytes);
      offered.processes = commandProcesses(run, options.commands);
    },
    healthCheck: async () => {
      const { exitCode, stderr } = await run(['test', '-d', root], { timeoutMs: HEALTH_MS });
      if (exitCode === 0) return { ok: true };
      return { ok: false, reason: stderr.trim().slice(0, 500) || `there is no folder ${root}` };
    },
  };
};

/** The variables of this process that have one of these names. */
export const pickVariables = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const commandProcesses = (run: CommandRun, commands: readonly string[] | undefined): ProcessOps => ({
  commands,
  run: async (command, args, { cwd = '.', ...options } = {}) => {
    assertPlainCommand(command, args, commands);
    if (pathNames(cwd).length > 0) throw pathDenied(cwd, 'commands run in one folder here');
    return run([command, ...args], options);
  },
});
