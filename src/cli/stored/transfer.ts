import { readBlobs, writeBlobs } from '../../persistence/journal-blobs.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { openJournal } from '../../persistence/journal-codec.ts';
import { journalText, readJournalText } from '../../persistence/run-log.ts';
import { exitCode } from '../exit-code.ts';
import { several } from '../../base/text/number-words.ts';
import type { Session } from '../session.ts';
import type { Code, ImportCommand } from '../usage/commands.ts';
import { recordOf } from './agent-of-run.ts';
import type { CommandRecord } from './command-record.ts';
import { commandIn, commandOf, keepCommand } from './command-record.ts';
import { findRun } from './find-run.ts';
import { briefWish } from './lease.ts';
import { withStore, withStoreMade } from './open-store.ts';
import { jsonLine } from './run-words.ts';

/** Denotes standard input and output. */
const STANDARD = '-';

/** `troupe export`: writes the journal of a run as lines of text, once it is found sound. */
export const exportRun = (
  { runId: named, to }: { readonly runId: string; readonly to: string | undefined },
  session: Session,
): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal } = session;
    const entry = await findRun(store, named);
    const { runId } = entry;
    const rows = await store.read(runId);
    const { damage } = openJournal(runId, rows);
    if (damage !== undefined) throw damage;
    const command = await commandOf(store, runId);
    const text = journalText({
      entry,
      // The mark of an import is local to this store.
      command: command === undefined ? undefined : JSON.stringify({ ...command, imported: undefined }),
      rows,
      blobs: await readBlobs(store, rows),
    });
    const file = to ?? `${runId}.journal`;
    if (file === STANDARD) {
      // Raw rows may contain control characters, which a terminal would obey.
      if (terminal.stdout.isTTY === true)
        throw new TroupeError(
          'command.usage',
          'Cannot export to a terminal: name a file, or pipe it somewhere',
        );
      await new Promise<void>((written) => {
        terminal.stdout.write(text, written);
      });
      return exitCode.answered;
    }
    // An existing file is not overwritten.
    await writeFile(resolve(terminal.folder, file), text, { flag: 'wx', mode: 0o600 }).catch(
      (thrown: unknown) => {
        throw fileError('export to', file, thrown);
      },
    );
    report({ runId, file, rows: rows.length }, `Exported run ${runId} to ${file}`, session);
    return exitCode.answered;
  });

/**
 * `troupe import`: imports an exported run. A damaged or existing one is refused. The code that it names is only run
 * after a person here has agreed, unless the command line names other code.
 */
export const importRun = ({ from, file, exportName }: ImportCommand, session: Session): Promise<number> =>
  withStoreMade(session, async ({ store }) => {
    const { terminal } = session;
    const text =
      from === STANDARD
        ? await textOf(terminal.stdin)
        : await readFile(resolve(terminal.folder, from), 'utf8').catch((thrown: unknown) => {
            throw fileError('import', from, thrown);
          });
    const { entry, command, rows, blobs } = readJournalText(
      text,
      from === STANDARD ? 'standard input' : from,
    );
    const { runId, status, updatedAt, dueAt } = entry;
    const { damage } = openJournal(runId, rows);
    if (damage !== undefined) throw damage;
    const record = importedRecord(command, { file, exportName }, runId, session);
    const lease = await store.create(entry, briefWish(store));
    await store.hold?.({ runId }, Object.keys(blobs ?? {}));
    await writeBlobs(store, blobs);
    await store.commit(lease, {
      rows,
      change: { status, updatedAt, ...(dueAt === undefined ? {} : { dueAt }) },
    });
    await store.release(lease);
    if (record !== undefined) await keepCommand(store, runId, record);
    report(
      { runId, store: store.name, rows: rows.length },
      `Imported run ${runId} into ${store.name}`,
      session,
    );
    return exitCode.answered;
  });

const importedRecord = (
  command: string | undefined,
  { file, exportName }: Code,
  runId: string,
  session: Session,
): CommandRecord | undefined => {
  if (file !== undefined) return recordOf(file, exportName, session);
  return command === undefined ? undefined : { ...commandIn(command, runId), imported: true };
};

/** A run that went from one place to another. */
interface Moved {
  readonly runId: string;
  readonly file?: string;
  readonly store?: string;
  /** Their number. */
  readonly rows: number;
}

const report = (done: Moved, line: string, { terminal, settings }: Session): void => {
  if (settings.json) terminal.stdout.write(jsonLine(done));
  else if (!settings.quiet) terminal.stderr.write(`${line}: ${several(done.rows, 'row')}\n`);
};

const fileError = (work: string, file: string, thrown: unknown): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot ${work} ${file} as the file system refuses: ${messageOf(thrown)}`,
    {
      cause: thrown,
    },
  );
