import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { AuditHead } from './anchor.ts';
import { readAnchor } from './anchor.ts';
import type { AuditEntry } from './audit-entry.ts';
import { digestOf } from './audit-entry.ts';
import type { OpenedChain } from './audit-files.ts';
import { auditFilesIn, openChain } from './audit-files.ts';
import type { AuditProblem } from './audit-problem.ts';
import { inRanges, rangesOf } from './seq-ranges.ts';

/** The verdict on an audit log. */
export interface AuditVerdict {
  /** The number of chains, and of their entries. */
  readonly chains: number;
  readonly entries: number;
  /** The number of entries whose content was erased, as their logs say. */
  readonly erased: number;
  /** All that is wrong, by file, the first bad entry first. */
  readonly problems: readonly FoundProblem[];
}

/** A problem, and its file. */
export interface FoundProblem extends AuditProblem {
  readonly file: string;
}

/**
 * Verifies the audit log in a file, or all logs in a folder: an entry that was changed, removed, inserted or moved, a file that stands in for another, and
 * content that was changed or removed without an erasure are named by the first bad entry.
 *
 * A removed end, a removed file and a log that was written again as a whole are found by anchored heads alone.
 *
 * @example
 * const { problems } = verifyAudit('./audit', { anchor: './anchors/audit.jsonl' });
 * for (const { file, seq, message } of problems) console.error(file, seq, message);
 *
 * @throws {TroupeError} `trace.unreadable` if the log or the anchor is not there.
 */
export const verifyAudit = (
  place: string,
  { anchor }: { readonly anchor?: string | readonly AuditHead[] | undefined } = {},
): AuditVerdict => {
  const heads = typeof anchor === 'string' ? readAnchor(anchor) : (anchor ?? []);
  const files = auditFilesIn(place);
  const found = files.map((file) => examine(file, heads));
  const chains = new Set(found.map(({ chain }) => chain));
  const gone = statSync(place).isDirectory() ? heads.filter(({ chain }) => !chains.has(chain)) : [];
  return {
    chains: found.length,
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
    erased: found.reduce((sum, { erased }) => sum + erased, 0),
    problems: [...found.flatMap(({ problems }) => problems), ...goneFiles(gone)],
  };
};

interface Examined extends Pick<AuditVerdict, 'entries' | 'erased' | 'problems'> {
  readonly chain: string;
}

/** Verifies one file; one that is no log is a problem, as others may be verified with it. */
const examine = (file: string, heads: readonly AuditHead[]): Examined => {
  try {
    const opened = openChain(file);
    const { chain } = opened.head;
    const isErased = findErased(opened.entries);
    const problems = [
      ...foreignFile(opened),
      ...opened.problems,
      ...contentProblems(opened, isErased),
      ...anchorProblems(
        opened,
        heads.filter((head) => head.chain === chain),
      ),
    ];
    return {
      chain,
      entries: opened.entries.length,
      erased: opened.entries.filter(({ seq, digest }) => digest !== undefined && isErased(seq)).length,
      problems: problems.map((problem) => ({ file, ...problem })).toSorted((a, b) => a.seq - b.seq),
    };
  } catch (thrown) {
    if (!isTroupeError(thrown, 'trace.unreadable')) throw thrown;
    const problem = { file, kind: 'unreadable', seq: 0, message: thrown.message } as const;
    return { chain: basename(file), entries: 0, erased: 0, problems: [problem] };
  }
};

/** The file of a run is named after it. */
const foreignFile = ({ file, head, entries }: OpenedChain): readonly AuditProblem[] => {
  const { chain, run } = head;
  if (run === undefined) return [];
  const stranger = entries.find(({ runId }) => runId !== run);
  return [
    ...(basename(file) === chain
      ? []
      : [
          problem('foreign', 0, `The file is ${basename(file)}, and its first line says that it is ${chain}`),
        ]),
    ...(stranger === undefined
      ? []
      : [problem('foreign', stranger.seq, `Entry ${stranger.seq} is of another run: ${stranger.runId}`)]),
  ];
};

/** Makes the check for entries whose content was erased. */
export const findErased = (entries: readonly AuditEntry[]): ((seq: number) => boolean) => {
  const checks = entries.flatMap(({ action, details }) =>
    action === 'audit.erase' ? [inRanges(details['erased'])] : [],
  );
  return (seq) => checks.some((isErased) => isErased(seq));
};

const contentProblems = (
  { file, entries, held, unread }: OpenedChain,
  isErased: (seq: number) => boolean,
): readonly AuditProblem[] => {
  const place = `content/${basename(file)}`;
  const missing: number[] = [];
  const problems = entries.flatMap((entry) => {
    const { seq, digest } = entry;
    if (digest === undefined) return [];
    const line = held.get(seq);
    const isThere = digestOf(entry) === digest;
    if (isErased(seq)) return line === undefined ? [] : [restoredContent(seq, place, line)];
    if (!isThere && line === undefined) missing.push(seq);
    return isThere || line === undefined ? [] : [changedContent(seq, place, line)];
  });
  return [...problems, ...missingContent(missing, place, unread)];
};

const changedContent = (seq: number, place: string, line: number): AuditProblem =>
  problem(
    'content',
    seq,
    `The content of entry ${seq} was changed, in ${place} line ${line}: put that line back from a copy, as the log has only its digest`,
  );

const restoredContent = (seq: number, place: string, line: number): AuditProblem =>
  problem(
    'content',
    seq,
    `Entry ${seq} was erased, and has content in ${place} line ${line}: the next erasure removes it`,
  );

/** One problem, as one act leaves it: an erasure whose entry is gone takes all of its content along. */
const missingContent = (
  missing: readonly number[],
  place: string,
  unread: readonly number[],
): readonly AuditProblem[] => {
  const [first] = missing;
  if (first === undefined) return [];
  const whose = missing.length === 1 ? `entry ${first}` : `${missing.length} entries (${rangesOf(missing)})`;
  const lines = `line${unread.length === 1 ? '' : 's'} ${rangesOf(unread)}`;
  const why =
    unread.length > 0
      ? `where ${lines} cannot be read`
      : 'and no entry says that it was erased: it was removed, or the end of the log was, which said so';
  const message = `The content of ${whose} is missing in ${place}, ${why}. Put it back from a copy`;
  return [problem('content', first, message)];
};

const anchorProblems = ({ entries }: OpenedChain, heads: readonly AuditHead[]): readonly AuditProblem[] => {
  const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash]));
  const bad = heads
    .filter(({ count, head }) => hashes.get(count - 1) !== head)
    .toSorted((a, b) => a.count - b.count);
  const [first, last] = [bad[0], bad.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { count } = first;
  if (entries.length >= count)
    return [problem('anchor', count - 1, `Entry ${count - 1} is not the one that was anchored`)];
  const message = `The end is missing: ${last.count} entries were anchored, found ${entries.length}`;
  return [problem('anchor', entries.length, message)];
};

const goneFiles = (heads: readonly AuditHead[]): readonly FoundProblem[] =>
  [...new Set(heads.map(({ chain }) => chain))].map((chain) => ({
    file: chain,
    ...problem('anchor', 0, `The file is missing: its head was anchored`),
  }));

const problem = (kind: AuditProblem['kind'], seq: number, message: string): AuditProblem => ({
  kind,
  seq,
  message,
});
