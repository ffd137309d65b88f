import { trimEndOf } from '../../../base/text/trim-end.ts';
import { absentFile } from '../../../contracts/environments/absent-file.ts';
import type { FileEntry, FileOps, ProcessResult } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';

/** Runs one command in there, without a shell; `most` is the number of bytes kept of each output. */
export type CommandRun = (
  args: readonly string[],
  options?: {
    readonly input?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly most?: number;
  },
) => Promise<ProcessResult>;

/** More entries of a folder than these are left out. */
const MAX_ENTRIES = 10_000;

/** Paths that one command is given, which keeps its arguments far below what systems take. */
const AT_ONCE = 200;

/**
 * Files below a folder that only commands reach (`realpath`, `stat`, `head`, `tee`, `mkdir`, `ls`, `rm`, `test`), as GNU and BusyBox have them.
 *
 * A path is looked at before it is used, so a program that changes it meanwhile leads out of the folder: it is kept from mistakes,
 * and the environment that the commands run in is the confinement.
 */
export const commandFiles = (run: CommandRun, root: string, most: number): FileOps => {
  /** Runs an internal command; its error output is the reason of a failure. */
  const done = async (path: string, args: readonly string[], input?: string): Promise<ProcessResult> => {
    // Twice the limit, as half of the kept output is its end.
    const result = await run(args, { input, most: 2 * most + 1_000 });
    if (result.exitCode === 0 && !result.isTimedOut) return result;
    throw failed(path, result.isTimedOut ? 'the command for it was stopped: out of time' : result.stderr);
  };
  /** The path in there, once the folder above it is known to be really below the root. */
  const placed = async (path: string, names: readonly string[]): Promise<string | undefined> => {
    const above = names.slice(0, -1);
    const { exitCode, stdout, stderr } = await run(['realpath', root, [root, ...above].join('/')]);
    const [start = '', ...rest] = trimEndOf(stdout, '\n').split('\n');
    if (start === '') throw failed(path, stderr);
    if (exitCode !== 0) return undefined;
    if (rest.join('\n') !== [start, ...above].join('/')) throw pathDenied(path, 'it leads through a link');
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
  return {
    read: async (path, { maxBytes = most } = {}) => {
      const { place, bytes } = await plainFile(path);
      if (place === undefined) throw absentFile(path);
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
      if (target === undefined) throw absentFile(path);
      await done(path, ['tee', '--', target], text);
      return { bytes, isNew: place === undefined };
    },
    list: async (path) => {
      const names = pathNames(path);
      const place = await placed(path, [...names, '.']);
      if (place === undefined) throw absentFile(path);
      const { stdout } = await done(path, ['ls', '-1A', '--', place]);
      const listed = stdout.split('\n').filter((name) => name !== '');
      return (await kindsOf(run, place, listed.slice(0, MAX_ENTRIES))).toSorted((a, b) =>
        a.name < b.name ? -1 : 1,
      );
    },
    stat: async (path) => {
      const names = pathNames(path);
      // By its entry `.`, as the root itself may be a link.
      const place = names.length === 0 ? `${root}/.` : await placed(path, names);
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
  if (said.startsWith('directory')) return 'folder';
  return said.startsWith('symbolic link') ? 'link' : 'other';
};

const failed = (path: string, reason: string): TroupeError =>
  new TroupeError(
    'tool.failed',
    `Cannot use ${JSON.stringify(path.slice(0, 200))}: ${reason.trim().slice(0, 300) || 'it failed'}`,
  );

/** The kinds of listed names; a part of a name with a line break in it, and what is gone meanwhile, are left out. */
const kindsOf = async (
  run: CommandRun,
  folder: string,
  names: readonly string[],
): Promise<readonly FileEntry[]> => {
  const found: FileEntry[] = [];
  for (let first = 0; first < names.length; first += AT_ONCE) {
    const some = names.slice(first, first + AT_ONCE);
    const most = 2 * some.join('').length + some.length * (2 * folder.length + 200);
    const { stdout } = await run(['stat', '-c', '%F|%n', '--', ...some.map((name) => `${folder}/${name}`)], {
      most: 2 * most,
    });
    const kinds = new Map(
      stdout.split('\n').map((line) => [line.slice(line.indexOf('|') + 1), kindOf(line)]),
    );
    for (const name of some) {
      const kind = kinds.get(`${folder}/${name}`);
      if (kind !== undefined) found.push({ name, kind });
    }
  }
  return found;
};
