import { trimEndOf } from '../../../base/text/trim-end.ts';
import type { Environment } from '../../../contracts/environments/environment.ts';
import type {
  EnvironmentOps,
  FileOps,
  ProcessOps,
  ProcessResult,
} from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';
import { commandDenied } from '../../environments/memory-environment.ts';

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

const PASSED = [
  'PATH',
  'HOME',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'CONTAINER_HOST',
];

/** Time limit of the health check, in ms. */
const HEALTH_MS = 10_000;

type Run = (
  args: readonly string[],
  options?: {
    input?: string | undefined;
    timeoutMs?: number | undefined;
    signal?: AbortSignal | undefined;
    most?: number;
  },
) => Promise<ProcessResult>;

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
  const run: Run = async (
    args,
    { input, timeoutMs: wanted = timeoutMs, signal, most = maxOutputBytes } = {},
  ) => {
    const [file, ...words] = [...prefix, ...args];
    const { spawnCaptured } = await import('./spawn.ts');
    return spawnCaptured({
      file: file ?? '',
      args: words,
      env: pickVariables(options.passed ?? PASSED),
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

const pickVariables = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Matches only plain command names: no options, and no variables for `env`. */
const COMMAND = /^[\w/.][\w/.+-]*$/;

const commandProcesses = (run: Run, commands: readonly string[] | undefined): ProcessOps => ({
  commands,
  run: async (command, args, { cwd = '.', ...options } = {}) => {
    if (!COMMAND.test(command) || (commands !== undefined && !commands.includes(command)))
      throw commandDenied(command, commands ?? ['any that is a plain name or path']);
    if (args.some((arg) => arg.includes('\0'))) throw commandDenied(command, commands ?? []);
    if (pathNames(cwd).length > 0) throw pathDenied(cwd, 'commands run in one folder here');
    return run([command, ...args], options);
  },
});

const commandFiles = (run: Run, root: string, most: number): FileOps => {
  /** Runs an internal command; its error output is the reason of a failure. */
  const done = async (path: string, args: readonly string[], input?: string): Promise<ProcessResult> => {
    // Twice the limit, as half of the kept output is its end.
    const result = await run(args, { input, most: 2 * most + 1_000 });
    if (result.exitCode === 0 && !result.isTimedOut) return result;
    throw new TroupeError(
      'tool.failed',
      `Cannot use ${JSON.stringify(path.slice(0, 200))}: ${result.stderr.trim().slice(0, 300) || 'it failed'}`,
    );
  };
  /** The path in there, once the folder above it is known to be really below the root. */
  const placed = async (path: string, names: readonly string[]): Promise<string | undefined> => {
    const above = [root, ...names.slice(0, -1)].join('/');
    const [real, base] = await Promise.all([run(['realpath', above]), done('.', ['realpath', root])]);
    if (real.exitCode !== 0) return undefined;
    const start = base.stdout.trimEnd();
    if (real.stdout.trimEnd() !== [start, ...names.slice(0, -1)].join('/'))
      throw pathDenied(path, 'it leads through a link');
    return [start, ...names].join('/');
  };
  const statOf = async (place: string) => {
    const { exitCode, stdout } = await run(['stat', '-c', '%F|%s|%h', '--', place]);
    const [said = '', bytes = '0', links = '1'] = stdout.trim().split('|');
    return exitCode === 0 ? { kind: kindOf(said), bytes: Number(bytes), links: Number(links) } : undefined;
  };
  const plainFile = async (path: string) => {
    const names = pathNames(path);
    if (names.length === 0) throw pathDenied(path, 'it is the root, not a file');
    const place = await placed(path, names);
    const found = place === undefined ? undefined : await statOf(place);
    if (place === undefined || found === undefined) return { names, place: undefined, bytes: 0 };
    if (found.kind !== 'file') throw pathDenied(path, 'it is not a regular file');
    if (found.links > 1) throw pathDenied(path, `it has ${found.links} names`);
    return { names, place, bytes: found.bytes };
  };
  const missing = (path: string): TroupeError =>
    new TroupeError('tool.failed', `Cannot open ${JSON.stringify(path)} as it does not exist`);
  return {
    read: async (path, { maxBytes = most } = {}) => {
      const { place, bytes } = await plainFile(path);
      if (place === undefined) throw missing(path);
      const limit = Math.min(maxBytes, most);
      const { stdout } = await done(path, ['head', '-c', String(limit), '--', place]);
      const isCut = bytes > limit;
      // A character cut in two decodes to a replacement character.
      return { text: isCut ? trimEndOf(stdout, '\uFFFD') : stdout, bytes, isCut };
    },
    write: async (path, text) => {
      const bytes = Buffer.byteLength(text);
      if (bytes > most) throw pathDenied(path, `the text is longer than ${most} bytes`);
      const { names, place } = await plainFile(path);
      if (place === undefined && names.length > 1) {
        await refuseLinks(path, names.slice(0, -1), statOf, root);
        await done(path, ['mkdir', '-p', '--', [root, ...names.slice(0, -1)].join('/')]);
      }
      const target = place ?? (await placed(path, names));
      if (target === undefined) throw missing(path);
      await done(path, ['tee', '--', target], text);
      return { bytes, isNew: place === undefined };
    },
    list: async (path) => {
      const names = pathNames(path);
      const place = await placed(path, [...names, '.']);
      if (place === undefined) throw missing(path);
      const { stdout } = await done(path, ['ls', '-1Ap', '--', place]);
      const lines = stdout.split('\n').filter((line) => line !== '');
      const entries = lines.map(async (line) => {
        if (line.endsWith('/')) return { name: line.slice(0, -1), kind: 'folder' as const };
        const found = await statOf(`${place}/${line}`);
        return { name: line, kind: found?.kind ?? ('other' as const) };
      });
      return (await Promise.all(entries)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    stat: async (path) => {
      const names = pathNames(path);
      const place = names.length === 0 ? root : await placed(path, names);
      const found = place === undefined ? undefined : await statOf(place);
      if (place === undefined || found === undefined) return undefined;
      const { exitCode } = await run(['test', '-w', place]);
      const isOurs = found.kind === 'folder' || (found.kind === 'file' && found.links === 1);
      return {
        kind: found.kind,
        bytes: found.kind === 'folder' ? 0 : found.bytes,
        isWritable: isOurs && exitCode === 0,
      };
    },
    remove: async (path) => {
      const { place } = await plainFile(path);
      if (place === undefined) return false;
      await done(path, ['rm', '--', place]);
      return true;
    },
  };
};

/** Refuses links in a path beforehand, as `mkdir -p` follows them. */
const refuseLinks = async (
  path: string,
  names: readonly string[],
  statOf: (place: string) => Promise<{ readonly kind: string } | undefined>,
  root: string,
): Promise<void> => {
  for (let length = 1; length <= names.length; length += 1) {
    const found = await statOf([root, ...names.slice(0, length)].join('/'));
    if (found !== undefined && found.kind !== 'folder')
      throw pathDenied(path, 'it leads through a link, or through something that is not a folder');
  }
};

const kindOf = (said: string): 'file' | 'folder' | 'link' | 'other' => {
  if (said.startsWith('regular')) return 'file';
  if (said === 'directory') return 'folder';
  return said === 'symbolic link' ? 'link' : 'other';
};
