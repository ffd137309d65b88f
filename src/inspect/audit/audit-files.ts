import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { messageOf } from '../../contracts/errors/error.ts';
import { codeOf } from '../traces/trace-disk.ts';
import type { AuditEntry } from './audit-entry.ts';
import { contentFile, contentsIn, withContent } from './chain-content.ts';
import type { ReadChain } from './read-chain.ts';
import { readChain, unreadable } from './read-chain.ts';

/** A chain with what is left of its content. */
export interface OpenedChain extends Omit<ReadChain, 'entries'> {
  readonly file: string;
  readonly entries: readonly AuditEntry[];
  /** Entries whose content is there, as it was written or not, with the line of its file that has it, from 1. */
  readonly held: ReadonlyMap<number, number>;
  /** Lines of that file that are no content. */
  readonly unread: readonly number[];
}

/**
 * The files of an audit log: one, or all of a folder, by name.
 *
 * @throws {TroupeError} `trace.unreadable` if there is no such file or folder.
 */
export const auditFilesIn = (place: string): readonly string[] => {
  const root = resolve(place);
  try {
    if (!statSync(root).isDirectory()) return [root];
    const names = readdirSync(root).filter((name) => name.endsWith('.jsonl'));
    return names.toSorted().map((name) => join(root, name));
  } catch (thrown) {
    const isNowhere = codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR';
    throw unreadable(place, isNowhere ? 'there is no such file or folder' : messageOf(thrown), thrown);
  }
};

/**
 * Reads the chain of a file with its content.
 *
 * @throws {TroupeError} `trace.unreadable` for a file that is no audit log.
 */
export const openChain = (file: string): OpenedChain => {
  const text = textOf(file);
  const { entries, ...chain } = readChain(text, basename(file));
  const apart = contentFile(file);
  const { found, unread } = contentsIn(existsSync(apart) ? textOf(apart) : '');
  return {
    ...chain,
    file,
    entries: entries.map((entry) => withContent(entry, found)),
    held: new Map([...found].map(([seq, all]) => [seq, all.at(-1)?.line ?? 1])),
    unread,
  };
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw unreadable(file, `the file system refuses: ${messageOf(thrown)}`, thrown);
  }
};
