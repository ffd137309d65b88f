import { systemClock } from '../../base/clock.ts';
import {
  aText,
  aTime,
  fulfilling,
  isObject,
  listOf,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { absentFile } from '../../contracts/environments/absent-file.ts';
import type { Environment } from '../../contracts/environments/environment.ts';
import type {
  FileKind,
  FileOps,
  ProcessOps,
  ProcessResult,
} from '../../contracts/environments/operations.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { pathDenied, pathNames } from './clean-path.ts';
import { assertPlainCommand } from './plain-command.ts';

/** A shell in memory with a file system, as the package `just-bash` makes one. */
export interface BashLike {
  /** Runs a command line; `args` are further arguments, which no shell reads. */
  exec(
    command: string,
    options?: { args?: string[]; cwd?: string; stdin?: string; signal?: AbortSignal },
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>;
  readonly fs: {
    readFileBuffer(path: string): Promise<Uint8Array>;
    writeFile(path: string, content: string): Promise<void>;
    mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
    readdir(path: string): Promise<string[]>;
    lstat(path: string): Promise<BashStat>;
    realpath(path: string): Promise<string>;
    rm(path: string): Promise<void>;
  };
}

interface BashStat {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
  readonly size: number;
}

/** Options of a shell in memory. */
export interface BashEnvironmentOptions {
  /** Default `bash`. */
  readonly name?: string | undefined;
  /** Folder that files are below and commands run in; made if it is missing. Default `/work`. */
  readonly root?: string | undefined;
  /** Allowed commands. Default: all that the shell has. */
  readonly commands?: readonly string[] | undefined;
  /** Default and maximum time limit of a command in ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes kept of each output of a command. Default 64,000. */
  readonly maxOutputBytes?: number | undefined;
  /** Of a file, read or written. Default 1,000,000. */
  readonly maxFileBytes?: number | undefined;
}

const isShell = (given: unknown): boolean =>
  isObject(given) && typeof Reflect.get(given, 'exec') === 'function' && isObject(Reflect.get(given, 'fs'));

const isBelowRoot = (given: unknown): boolean =>
  typeof given === 'string' &&
  /^(\/[^/\0]+)+$/.test(given) &&
  !given.split('/').some((part) => part === '.' || part === '..');

const check = optionsCheck<BashEnvironmentOptions & { readonly bash: BashLike }>(
  { code: 'agent.invalid', owner: 'a shell in memory' },
  () => ({
    bash: fulfilling(isShell, 'no shell: write new Bash() of the package just-bash'),
    name: optional(aText(1)),
    root: optional(fulfilling(isBelowRoot, "not an absolute path below /: write '/work'")),
    commands: optional(listOf(aText(1))),
    timeoutMs: optional(aTime()),
    maxOutputBytes: optional(wholeNumber(1)),
    maxFileBytes: optional(wholeNumber(1)),
  }),
);

/**
 * A shell in memory: files and the usual commands, without a machine. It takes an instance of `Bash` of the package `just-bash`, which is the
 * confinement; what its options allow, commands may do.
 *
 * Files stay from run to run as long as the instance does.
 *
 * @example
 * const bash = new Bash({ files: { '/work/notes.md': '# Notes' } });
 * agent({ name: 'clerk', environment: bashEnvironment(bash), tools: [fileTools(), processTools()] });
 *
 * @throws {TroupeError} `agent.invalid` for no shell, a root that is not absolute or is `/`, and other options that do not fit.
 */
export const bashEnvironment = (bash: BashLike, options: BashEnvironmentOptions = {}): Environment => {
  check({ ...options, bash });
  const { name = 'bash', root = '/work', commands, maxFileBytes = 1_000_000 } = options;
  const { timeoutMs = 60_000, maxOutputBytes = 64_000 } = options;
  const files = bashFiles(bash, root, maxFileBytes);
  const limits = { timeoutMs, maxOutputBytes };
  return {
    name,
    ops: { files, processes: bashProcesses(bash, root, files, commands, limits) },
    setup: () => bash.fs.mkdir(root, { recursive: true }),
  };
};

const bashFiles = ({ fs }: BashLike, root: string, most: number): FileOps => {
  const statOf = (place: string): Promise<BashStat | undefined> => fs.lstat(place).catch(() => undefined);
  /** The path in there, once the folder above it is known to be really below the root. */
  const placed = async (path: string, names: readonly string[]): Promise<string | undefined> => {
    const start = await fs.realpath(root);
    const above = [start, ...names.slice(0, -1)].join('/');
    if ((await statOf(above)) === undefined) return undefined;
    if ((await fs.realpath(above)) !== above) throw pathDenied(path, 'it leads through a link');
    return [start, ...names].join('/');
  };
  const plainFile = async (path: string) => {
    const names = pathNames(path);
    if (names.length === 0) throw pathDenied(path, 'it is the root, not a file');
    const place = await placed(path, names);
    const found = place === undefined ? undefined : await statOf(place);
    if (found !== undefined && kindOf(found) !== 'file') throw pathDenied(path, 'it is not a regular file');
    return { names, place, found };
  };
  return {
    read: async (path, { maxBytes = most } = {}) => {
      const { place, found } = await plainFile(path);
      if (place === undefined || found === undefined) throw absentFile(path);
      const whole = await fs.readFileBuffer(place);
      const start = whole.subarray(0, Math.min(maxBytes, most));
      const isCut = start.length < whole.length;
      // A character that the limit would cut in two is left out.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(start, { stream: isCut });
      return { text, bytes: whole.length, isCut };
    },
    write: async (path, text) => {
      const bytes = new TextEncoder().encode(text).length;
      if (bytes > most) throw pathDenied(path, `the text is longer than ${most} bytes`);
      const { names, place, found } = await plainFile(path);
      for (let length = 1; length < names.length; length += 1) {
        const above = await statOf([root, ...names.slice(0, length)].join('/'));
        if (above !== undefined && kindOf(above) !== 'folder')
          throw pathDenied(path, 'it leads through something that is not a folder');
      }
      if (place === undefined) await fs.mkdir([root, ...names.slice(0, -1)].join('/'), { recursive: true });
      await fs.writeFile(place ?? [root, ...names].join('/'), text);
      return { bytes, isNew: found === undefined };
    },
    list: async (path) => {
      const names = pathNames(path);
      const place = await placed(path, [...names, '.']);
      const folder = place?.slice(0, -2);
      const found = folder === undefined ? undefined : await statOf(folder);
      if (folder === undefined || found === undefined) throw absentFile(path);
      if (kindOf(found) !== 'folder') throw pathDenied(path, 'it is not a folder');
      const entries = (await fs.readdir(folder)).toSorted().slice(0, MAX_ENTRIES);
      return Promise.all(
        entries.map(async (name) => ({ name, kind: kindOf(await statOf(`${folder}/${name}`)) })),
      );
    },
    stat: async (path) => {
      const names = pathNames(path);
      const place = names.length === 0 ? await fs.realpath(root) : await placed(path, names);
      const found = place === undefined ? undefined : await statOf(place);
      if (found === undefined) return undefined;
      const kind = kindOf(found);
      return {
        kind,
        bytes: kind === 'folder' ? 0 : found.size,
        isWritable: kind === 'file' || kind === 'folder',
      };
    },
    remove: async (path) => {
      const { place, found } = await plainFile(path);
      if (place === undefined || found === undefined) return false;
      await fs.rm(place);
      return true;
    },
  };
};

/** More entries of a folder than these are left out. */
const MAX_ENTRIES = 10_000;

const kindOf = (found: BashStat | undefined): FileKind => {
  if (found?.isSymbolicLink === true) return 'link';
  if (found?.isDirectory === true) return 'folder';
  return found?.isFile === true ? 'file' : 'other';
};

const bashProcesses = (
  bash: BashLike,
  root: string,
  files: FileOps,
  commands: readonly string[] | undefined,
  limits: { readonly timeoutMs: number; readonly maxOutputBytes: number },
): ProcessOps => ({
  commands,
  run: async (command, args, { cwd = '.', input, timeoutMs = limits.timeoutMs, signal } = {}) => {
    assertPlainCommand(command, args, commands);
    const names = pathNames(cwd);
    if (names.length > 0 && (await files.stat(cwd))?.kind !== 'folder')
      throw pathDenied(cwd, 'there is no such folder');
    const cancelled = (): TroupeError =>
      new TroupeError('tool.cancelled', `Cannot finish '${command}' as it was cancelled`);
    const isCancelled = (): boolean => signal?.aborted === true;
    if (isCancelled()) throw cancelled();
    const late = new AbortController();
    const timer = systemClock.setTimeout(() => late.abort(), Math.min(timeoutMs, limits.timeoutMs));
    const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const running = bash.exec(command, {
      args: [...args],
      cwd: [root, ...names].join('/'),
      signal: ended,
      ...(input === undefined ? {} : { stdin: input }),
    });
    const result = await Promise.race([running, whenAborted(ended)]).finally(() => {
      systemClock.clearTimeout(timer);
    });
    if (isCancelled()) throw cancelled();
    if (late.signal.aborted || result === undefined) return OUT_OF_TIME;
    const [stdout, stderr] = [result.stdout, result.stderr].map((text) => cut(text, limits.maxOutputBytes));
    return {
      exitCode: result.exitCode,
      stdout: stdout?.text ?? '',
      stderr: stderr?.text ?? '',
      isCut: stdout?.isCut === true || stderr?.isCut === true,
      isTimedOut: false,
    };
  },
});

/** A shell stops between two statements; one that does not is not waited for. */
const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });

const OUT_OF_TIME: ProcessResult = { exitCode: null, stdout: '', stderr: '', isCut: false, isTimedOut: true };

/** The start and the end of an output. */
const cut = (text: string, most: number): { readonly text: string; readonly isCut: boolean } => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return { text, isCut: false };
  const half = Math.ceil(most / 2);
  const [start, end] = [bytes.subarray(0, half), bytes.subarray(bytes.length - half)].map((part) =>
    new TextDecoder().decode(part),
  );
  return { text: `${start}\n[… ${bytes.length - 2 * half} bytes left out …]\n${end}`, isCut: true };
};
