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
}

/** The content in a file, by the number of its entry: where one was written twice, both. */
export const contentsIn = (text: string): ReadonlyMap<number, readonly FoundContent[]> => {
  const found = new Map<number, readonly FoundContent[]>();
  for (const line of text.split('\n')) {
    const { seq, apart } = parseLine(line);
    if (seq !== undefined) found.set(seq, [...(found.get(seq) ?? []), { apart, digest: digestOf(apart) }]);
  }
  return found;
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
export const withContent = (
  entry: ChainedEntry,
  contents: ReadonlyMap<number, readonly FoundContent[]>,
): AuditEntry => ({
  ...entry,
  ...contents.get(entry.seq)?.find(({ digest }) => digest === entry.digest)?.apart,
});
