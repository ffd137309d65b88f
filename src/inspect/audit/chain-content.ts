import { basename, dirname, join } from 'node:path';
import type { AuditContent, AuditEntry, ChainedEntry } from './audit-entry.ts';
import { contentIn, digestOf } from './audit-entry.ts';

/** The file with the content of a chain: it can be erased, and the chain cannot. */
export const contentFile = (chain: string): string => join(dirname(chain), 'content', basename(chain));

/** The line of an entry's content, its line feed included; empty without content. */
export const contentLine = ({ seq, person, onBehalfOf, content, digest }: AuditEntry): string =>
  digest === undefined ? '' : `${JSON.stringify({ seq, person, onBehalfOf, content })}\n`;

/** Content that was read, with its digest. */
interface FoundContent {
  readonly apart: AuditContent;
  readonly digest: string;
  /** Of its file, from 1. */
  readonly line: number;
}

/** The content in a file, by the number of its entry: where one was written twice, both. */
type FoundContents = ReadonlyMap<number, readonly FoundContent[]>;

/** Reads the content in a file; `unread` are its lines, from 1, that are no content of an entry. */
export const contentsIn = (
  text: string,
): { readonly found: FoundContents; readonly unread: readonly number[] } => {
  const found = new Map<number, readonly FoundContent[]>();
  const unread: number[] = [];
  for (const [index, each] of text.split('\n').entries()) {
    const { seq, apart } = parseLine(each);
    const line = index + 1;
    if (seq !== undefined)
      found.set(seq, [...(found.get(seq) ?? []), { apart, digest: digestOf(apart), line }]);
    else if (each !== '') unread.push(line);
  }
  return { found, unread };
};

const parseLine = (line: string): { readonly seq?: number; readonly apart: AuditContent } => {
  try {
    const value: unknown = JSON.parse(line);
    const seq: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'seq') : undefined;
    return typeof seq === 'number' ? { seq, apart: contentIn(value) } : { apart: {} };
  } catch {
    return { apart: {} };
  }
};

/** An entry with its content, where that is there and as it was written. */
export const withContent = (entry: ChainedEntry, contents: FoundContents): AuditEntry => ({
  ...entry,
  ...contents.get(entry.seq)?.find(({ digest }) => digest === entry.digest)?.apart,
});
