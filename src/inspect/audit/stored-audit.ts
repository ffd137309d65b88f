import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import { PRIVATE, PRIVATE_FOLDER } from '../../persistence/private-files.ts';
import { traceFileName } from '../traces/trace-file-name.ts';
import type { AuditEntry } from './audit-entry.ts';
import { lineOf, withoutContent } from './audit-entry.ts';
import { AuditFold } from './audit-fold.ts';
import { contentFile, contentLine } from './chain-content.ts';
import { genesisOf, headLine } from './read-chain.ts';

/** The entries of a stored run, as the hook writes them while it runs. Pure. */
export const storedAudit = (
  runId: string,
  records: readonly JournalRecord[],
  onBehalfOf?: string,
): readonly AuditEntry[] => {
  const fold = new AuditFold(genesisOf(headOf(runId)));
  const [first] = records;
  // The beginning of a fork is of another run, and was resumed in that one.
  const shared = first?.kind === 'began' ? (first.fork?.seq ?? 0) : 0;
  let isResumed = false;
  return records.flatMap((record) => {
    if (record.kind === 'arrived') isResumed ||= record.arrival.type === 'resumed';
    if (record.kind !== 'event') return [];
    if (isResumed && record.event.seq > shared) fold.leave(runId);
    isResumed = false;
    return fold.take({ v: EVENT_VERSION, runId, ...record.event }, onBehalfOf);
  });
};

const headOf = (runId: string) => ({ chain: traceFileName(runId), run: runId });

/**
 * Writes the entries of a run to a file of its own in a folder, with their content; returns the file.
 *
 * @throws {TroupeError} `input.invalid` where it is there already, or the file system refuses.
 */
export const writeAudit = (folder: string, runId: string, entries: readonly AuditEntry[]): string => {
  const head = headOf(runId);
  const file = join(resolve(folder), head.chain);
  const apart = contentFile(file);
  const flags = { flag: 'wx', mode: PRIVATE } as const;
  try {
    mkdirSync(dirname(apart), PRIVATE_FOLDER);
    writeFileSync(
      file,
      [headLine(head), ...entries.map((entry) => lineOf(withoutContent(entry))), ''].join('\n'),
      flags,
    );
    // Content without a chain is a rest of one that was removed.
    rmSync(apart, { force: true });
    writeFileSync(apart, entries.map(contentLine).join(''), flags);
  } catch (thrown) {
    const message = `Cannot export the audit log of run '${runId}' to ${folder} as the file system refuses: ${messageOf(thrown)}. Name another folder`;
    throw new TroupeError('input.invalid', message, { runId, cause: thrown });
  }
  return file;
};
