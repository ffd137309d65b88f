import { absentFile } from '../../contracts/environments/absent-file.ts';
import type { Environment, EnvironmentAction } from '../../contracts/environments/environment.ts';
import type { EnvironmentStep } from '../../contracts/environments/environment-step.ts';
import type {
  FileEntry,
  FileOps,
  HttpOps,
  ProcessOps,
  ProcessResult,
} from '../../contracts/environments/operations.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { pathDenied, pathNames, shownPath } from './clean-path.ts';

/** A command of an environment in memory: a function of its arguments. */
export type MemoryCommand = (
  args: readonly string[],
  input: string,
) => string | Partial<ProcessResult> | Promise<string | Partial<ProcessResult>>;

/** The content of an in-memory environment. */
export interface MemoryEnvironmentOptions {
  /** Default `memory`. */
  readonly name?: string | undefined;
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly commands?: Readonly<Record<string, MemoryCommand>> | undefined;
  /** Bodies by requested URL; any other address yields 404. */
  readonly pages?: Readonly<Record<string, string>> | undefined;
  readonly observe?: (() => Json | undefined) | undefined;
  readonly step?: ((action: EnvironmentAction) => EnvironmentStep) | undefined;
  readonly isTerminal?: (() => string | boolean) | undefined;
  /** The most that is read of a file, in bytes. Default 1,000,000. */
  readonly maxBytes?: number | undefined;
}

/** An environment in memory; what became of its files can be looked at. */
export interface MemoryEnvironment extends Environment {
  readonly files: ReadonlyMap<string, string>;
}

/**
 * An environment in memory: for tests, experiments, and browsers.
 *
 * A reset restores its files.
 *
 * @example
 * const world = memoryEnvironment({ files: { 'notes.md': '# Notes' }, commands: { date: () => '2030-01-01' } });
 */
export const memoryEnvironment = (options: MemoryEnvironmentOptions = {}): MemoryEnvironment => {
  const start = Object.entries(options.files ?? {}).map(
    ([path, text]) => [shownPath(pathNames(path)), text] as const,
  );
  const files = new Map(start);
  const { observe, step, isTerminal } = options;
  return {
    name: options.name ?? 'memory',
    spec: { type: 'memory' },
    files,
    ops: {
      files: memoryFiles(files, options.maxBytes ?? 1_000_000),
      processes: memoryProcesses(options.commands ?? {}),
      http: memoryHttp(options.pages ?? {}),
    },
    reset: () => {
      files.clear();
      for (const [path, text] of start) files.set(path, text);
      return observe?.();
    },
    ...(observe === undefined ? {} : { observe }),
    ...(step === undefined ? {} : { step }),
    ...(isTerminal === undefined ? {} : { isTerminal }),
  };
};

const memoryFiles = (files: Map<string, string>, limit: number): FileOps => {
  const isFolder = (path: string): boolean =>
    path === '.' || [...files.keys()].some((each) => each.startsWith(`${path}/`));
  const ops: FileOps = {
    read: async (path, { maxBytes = limit } = {}) => {
      const name = shownPath(pathNames(path));
      const text = files.get(name);
      if (text === undefined) {
        if (isFolder(name)) throw pathDenied(path, 'it is not a regular file');
        throw absentFile(path);
      }
      const whole = new TextEncoder().encode(text);
      const most = Math.min(maxBytes, limit);
      const isCut = whole.length > most;
      return {
        text: isCut ? new TextDecoder().decode(whole.subarray(0, most)) : text,
        bytes: whole.length,
        isCut,
      };
    },
    write: async (path, text) => {
      const names = pathNames(path);
      const name = shownPath(names);
      if (isFolder(name)) throw pathDenied(path, 'it is not a regular file');
      if (names.some((_, index) => index > 0 && files.has(shownPath(names.slice(0, index)))))
        throw pathDenied(path, 'it leads through a file');
      const isNew = !files.has(name);
      const bytes = new TextEncoder().encode(text).length;
      if (bytes > limit) throw pathDenied(path, `the text is longer than ${limit} bytes`);
      files.set(name, text);
      return { bytes, isNew };
    },
    list: async (path) => {
      const folder = shownPath(pathNames(path));
      if (files.has(folder)) throw pathDenied(path, 'it is not a folder');
      if (!isFolder(folder)) throw absentFile(path);
      const start = folder === '.' ? '' : `${folder}/`;
      const found = new Map<string, FileEntry>();
      for (const each of files.keys()) {
        if (!each.startsWith(start)) continue;
        const [name = '', ...below] = each.slice(start.length).split('/');
        found.set(name, { name, kind: below.length > 0 ? 'folder' : 'file' });
      }
      return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    stat: async (path) => {
      const name = shownPath(pathNames(path));
      const text = files.get(name);
      if (text !== undefined)
        return { kind: 'file', bytes: new TextEncoder().encode(text).length, isWritable: true };
      return isFolder(name) ? { kind: 'folder', bytes: 0, isWritable: true } : undefined;
    },
    remove: async (path) => {
      const name = shownPath(pathNames(path));
      if (isFolder(name)) throw pathDenied(path, 'it is not a regular file');
      return files.delete(name);
    },
  };
  return ops;
};

const memoryProcesses = (commands: Readonly<Record<string, MemoryCommand>>): ProcessOps => ({
  commands: Object.keys(commands),
  run: async (command, args, { input = '' } = {}) => {
    const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
    if (found === undefined) throw commandDenied(command, Object.keys(commands));
    const said = await found(args, input);
    const plain = { exitCode: 0, stdout: '', stderr: '', isCut: false, isTimedOut: false };
    return typeof said === 'string' ? { ...plain, stdout: said } : { ...plain, ...said };
  },
});

/** Creates the error for a refused command, which lists the allowed ones. */
export const commandDenied = (command: string, commands: readonly string[]): TroupeError =>
  new TroupeError(
    'tool.denied',
    `Cannot run ${JSON.stringify(command.slice(0, 100))} as it is not among the commands allowed here: ${commands.join(', ') || 'none'}`,
    { retryable: 'no' },
  );

const memoryHttp = (pages: Readonly<Record<string, string>>): HttpOps => ({
  request: async ({ url }) => {
    if (!isOfTheWeb(url))
      throw new TroupeError(
        'tool.denied',
        `Cannot fetch ${JSON.stringify(url.slice(0, 200))} as it is not a plain http or https URL`,
        { retryable: 'no' },
      );
    const text = Object.hasOwn(pages, url) ? pages[url] : undefined;
    return { url, status: text === undefined ? 404 : 200, headers: {}, text: text ?? '', isCut: false };
  },
});

const isOfTheWeb = (given: string): boolean => {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password } = new URL(given);
  return /^https?:$/.test(protocol) && username === '' && password === '';
};
