import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import type { JournalCopy } from './run-log.ts';
import { PRIVATE } from './private-files.ts';
import { journalText, readJournalText } from './run-log.ts';

/**
 * Exports the journal of a run to a text file.
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
  try {
    writeFileSync(file, journalText({ entry, rows }), { mode: PRIVATE });
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
export const readJournalFile = (file: string): JournalCopy => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new TroupeError('journal.failed', `Cannot read the journal '${file}': ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  return readJournalText(text, `'${file}'`);
};
