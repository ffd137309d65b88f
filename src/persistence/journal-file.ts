import { readBlobs } from './journal-blobs.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import type { JournalCopy, OpenedLog } from './run-log.ts';
import { PRIVATE } from './private-files.ts';
import { journalText, openLog, readJournalText } from './run-log.ts';

/**
 * Exports the journal of a run to a text file, with the bytes of its media as far as the store has them.
 *
 * @example
 * await exportJournal(store, 'run-17', 'run-17.journal');
 *
 * @throws {TroupeError} `journal.unknown`; `journal.failed` where the file cannot be written.
 */
export const exportJournal = async (store: JournalStore, runId: string, file: string): Promise<void> => {
  const entry = await store.entry(runId);
  const rows = await store.read(runId);
  if (entry === undefined)
    throw new TroupeError(
      'journal.unknown',
      `Cannot export run '${runId}' as ${store.name} has none of that id`,
      {
        runId,
      },
    );
  const blobs = await readBlobs(store, rows);
  try {
    writeFileSync(file, journalText({ entry, rows, blobs }), { mode: PRIVATE });
  } catch (thrown) {
    const message = `Cannot write the journal of '${runId}' as the file system refuses: ${messageOf(thrown)}`;
    throw new TroupeError('journal.failed', message, { runId, cause: thrown });
  }
};

/**
 * Reads an exported journal.
 *
 * @example
 * const { entry, rows } = readJournalFile('run-17.journal');
 *
 * @throws {TroupeError} `journal.failed` where the file cannot be read; `journal.corrupt` for one that is no journal.
 */
export const readJournalFile = (file: string): JournalCopy => readJournalText(textIn(file), `'${file}'`);

/**
 * Reads the log of a run that is whole: an exported journal, or a trace.
 *
 * @throws {TroupeError} `journal.failed` where the file cannot be read; `journal.corrupt`, `journal.version`.
 */
export const readLogFile = (file: string): Pick<OpenedLog, 'head' | 'records'> => {
  const text = textIn(file);
  const name = `'${file}'`;
  const { head, records, damage } = openLog(text, name, 'journal.corrupt');
  if (head.kind === 'journal') readJournalText(text, name);
  const [first] = damage;
  if (first !== undefined)
    throw new TroupeError('journal.corrupt', `Cannot read ${name} past line ${first.line}: ${first.message}`);
  return { head, records };
};

const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new TroupeError('journal.failed', `Cannot read the journal '${file}': ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
};
