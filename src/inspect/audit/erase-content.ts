import { basename } from 'node:path';
import { isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import { replaceFile } from '../../persistence/replace-file.ts';
import type { Anchor } from './anchor.ts';
import { AuditChain } from './audit-chain.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { OpenedChain } from './audit-files.ts';
import { auditFilesIn, openChain } from './audit-files.ts';
import { contentFile, contentLine } from './chain-content.ts';
import { unreadable } from './read-chain.ts';
import { rangesOf } from './seq-ranges.ts';
import { findErased } from './verify-audit.ts';

/** The content that is to go: all that one of these names. */
export interface ErasureWish {
  /** The person who answered, or for whom the run acted. */
  readonly person?: string | undefined;
  readonly run?: string | undefined;
  /** Entries before that time, in ms since 1970. */
  readonly before?: number | undefined;
}

/** The content that was erased in one file. */
export interface Erasure {
  readonly file: string;
  /** The number of entries without content now. */
  readonly entries: number;
}

/**
 * Erases content: its entries stay, and a further one in each chain names them, without the person.
 *
 * The entry is written first, and its head anchored: an erasure that was interrupted is found by `verifyAudit`, and the next one completes it.
 *
 * @throws {TroupeError} `trace.unreadable` for a log that is damaged, or that a process is writing, and for an anchor that fails.
 */
export const eraseContent = async (
  place: string,
  wish: ErasureWish,
  now: number,
  anchor: Anchor = () => undefined,
): Promise<readonly Erasure[]> => {
  const done: Erasure[] = [];
  for (const file of auditFilesIn(place)) {
    const erased = toErase(openChain(file), wish);
    if (erased.length === 0) continue;
    await eraseIn(file, wish, now, anchor);
    done.push({ file, entries: erased.length });
  }
  return done;
};

/** Entries whose content is to go, and those of an erasure that was interrupted. */
const toErase = (
  { entries, held }: OpenedChain,
  { person, run, before }: ErasureWish,
): readonly AuditEntry[] => {
  const isErased = findErased(entries);
  return entries.filter(
    (entry) =>
      held.has(entry.seq) &&
      (isErased(entry.seq) ||
        (person !== undefined && (entry.person === person || entry.onBehalfOf === person)) ||
        (run !== undefined && entry.runId === run) ||
        (before !== undefined && entry.at < before)),
  );
};

const eraseIn = async (file: string, wish: ErasureWish, now: number, anchor: Anchor): Promise<void> => {
  const { head } = openChain(file);
  const chain = openForErasure(file, head, anchoring(file, anchor));
  try {
    // Read again, as nobody else writes it now.
    const found = openChain(file);
    const [damage] = found.problems.filter(({ kind }) => kind !== 'torn');
    if (damage !== undefined) throw unreadable(basename(file), `it is damaged: ${damage.message}`);
    const gone = new Set(toErase(found, wish).map(({ seq }) => seq));
    const because = wish.person !== undefined ? 'person' : wish.run !== undefined ? 'run' : 'age';
    const details = { erased: rangesOf([...gone]), entries: gone.size, because };
    chain.note({ action: 'audit.erase', outcome: 'success', details }, now);
    // Of what is left, only what entries refer to.
    const left = found.entries.filter(({ seq }) => !gone.has(seq) && found.held.has(seq));
    await replaceFile(contentFile(file), left.map(contentLine).join(''));
  } finally {
    chain.close();
  }
};

/** An anchor whose failure says what was not done. */
const anchoring =
  (file: string, anchor: Anchor): Anchor =>
  (head) => {
    try {
      anchor(head);
    } catch (thrown) {
      throw unreadable(basename(file), `its head cannot be anchored: ${messageOf(thrown)}`, thrown);
    }
  };

const openForErasure = (file: string, head: OpenedChain['head'], anchor: Anchor): AuditChain => {
  try {
    const chain = AuditChain.open({ file, head, anchor, anchorEvery: Infinity });
    if (chain !== undefined) return chain;
  } catch (thrown) {
    if (isTroupeError(thrown)) throw thrown;
    throw unreadable(basename(file), `the file system refuses: ${messageOf(thrown)}`, thrown);
  }
  throw unreadable(
    basename(file),
    'a process is writing it: erase when its run has ended, or the process has',
  );
};
