import type { FileOps } from '../../contracts/environments/operations.ts';

/** A line that contains the searched text. */
export interface FileHit {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** The result of a search, and whether it stopped early. */
export interface FileSearch {
  readonly hits: readonly FileHit[];
  readonly files: number;
  readonly isCut: boolean;
}

/** Limits on a search. */
export interface SearchLimits {
  /** Folder to start from. Default: the root. */
  readonly path?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Default 100. */
  readonly maxHits?: number | undefined;
  /** Files looked into. Default 2,000. */
  readonly maxFiles?: number | undefined;
  /** Folders that are passed over, by name. Default `.git` and `node_modules`. */
  readonly ignoredFolders?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A longer line is cut, in characters. */
const MAX_LINE = 300;

/**
 * Searches files for a literal text: no pattern, so no model input can take for ever.
 *
 * Works on any environment's files. Unreadable files and links are skipped.
 *
 * @example
 * await searchFiles(files, 'TODO', { path: 'src' }) // => { hits: [{ path: 'src/a.ts', line: 3, text: '// TODO' }], … }
 */
export const searchFiles = async (
  files: FileOps,
  text: string,
  limits: SearchLimits = {},
): Promise<FileSearch> => {
  const { path = '.', maxHits = 100, maxFiles = 2_000, signal } = limits;
  const ignored = new Set(limits.ignoredFolders ?? ['.git', 'node_modules']);
  const fold = (line: string): string => (limits.ignoreCase === true ? line.toLowerCase() : line);
  const wanted = fold(text);
  const hits: FileHit[] = [];
  const start = await files.stat(path);
  const waiting = start?.kind === 'file' ? [] : [path];
  const found = start?.kind === 'file' ? [path] : [];
  let read = 0;

  for (;;) {
    signal?.throwIfAborted();
    const file = found.shift();
    if (file === undefined) {
      const folder = waiting.shift();
      if (folder === undefined) return { hits, files: read, isCut: false };
      // The start of the search must exist; below it, entries that vanish or are closed are ignored.
      const entries = folder === path ? await files.list(folder) : await files.list(folder).catch(() => []);
      const below: string[] = [];
      for (const { name, kind } of entries) {
        const full = folder === '.' ? name : `${folder}/${name}`;
        if (kind === 'file') found.push(full);
        else if (kind === 'folder' && !ignored.has(name)) below.push(full);
      }
      waiting.unshift(...below);
      continue;
    }
    if (read >= maxFiles) return { hits, files: read, isCut: true };
    read += 1;
    const content = await files.read(file).catch(() => undefined);
    if (content === undefined || content.text.includes('\0')) continue;
    for (const [index, line] of content.text.split('\n').entries()) {
      if (!fold(line).includes(wanted)) continue;
      if (hits.length >= maxHits) return { hits, files: read, isCut: true };
      hits.push({ path: file, line: index + 1, text: line.slice(0, MAX_LINE) });
    }
  }
};
