import { TroupeError } from '../../../contracts/errors/error.ts';
import type { KeyValueFiles } from '../../../contracts/conversations/memory.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import { DEFAULT_SCOPE, ThreadFiles } from '../../../memory/threads/thread-files.ts';
import { readBlobs, writeBlobs } from '../../../persistence/journal-blobs.ts';
import { THREADS_ROOM } from '../../thread/run-thread.ts';
import { VERSIONS_ROOM } from '../versions/version-marks.ts';

/** The texts of a run beside its journal, and the stores that they are copied between. */
export interface TextsToCopy {
  readonly from: JournalStore;
  readonly to: JournalStore;
  readonly entry: Pick<RunEntry, 'runId' | 'thread'>;
  /** Rooms with a text by the id of each run. */
  readonly rooms: readonly string[];
}

/** The rooms of servers: idempotency keys have the run in their texts, responses of OpenAI's face in their names. */
const KEYS_ROOM = 'serve-keys';
const RESPONSES_ROOM = 'serve-responses';

/**
 * Copies the named texts of a run: by which command it began, under which versions it went on, the idempotency keys and responses of its
 * callers, and the turns of its thread.
 *
 * @throws (rejects with) {TroupeError} `journal.conflict` where the other store has other turns of the thread
 */
export const copyTexts = async ({ from, to, entry, rooms }: TextsToCopy): Promise<void> => {
  const { runId, thread } = entry;
  for (const room of [...rooms, VERSIONS_ROOM]) await copyText([from.files(room), to.files(room)], runId);
  const responses = [from.files(RESPONSES_ROOM), to.files(RESPONSES_ROOM)] as const;
  for (const name of await responses[0].names())
    if (name === `resp_${runId}` || name.startsWith(`resp_${runId}_`)) await copyText(responses, name);
  const keys = [from.files(KEYS_ROOM), to.files(KEYS_ROOM)] as const;
  for (const name of await keys[0].names())
    if ((await keys[0].read(name))?.split('\n')[0]?.endsWith(` ${runId}`) === true)
      await copyText(keys, name);
  if (thread !== undefined) await copyThread({ from, to, entry, rooms }, thread);
};

type BothFiles = readonly [from: KeyValueFiles, to: KeyValueFiles];

const copyText = async ([from, to]: BothFiles, name: string): Promise<void> => {
  const text = await from.read(name);
  if (text !== undefined && (await to.read(name)) !== text) await to.write(name, text);
};

/** Copies a conversation that the other store does not have, or of which it has the beginning. */
const copyThread = async ({ from, to, entry }: TextsToCopy, thread: string): Promise<void> => {
  const files: BothFiles = [from.files(THREADS_ROOM), to.files(THREADS_ROOM)];
  const turns = await new ThreadFiles(files[0], DEFAULT_SCOPE).turnsOf(thread);
  const [here = '', there = ''] = [await files[0].read(turns), await files[1].read(turns)];
  // The other store may be ahead: it had this conversation before, and continued it.
  if (there.startsWith(here)) return;
  if (!here.startsWith(there))
    throw new TroupeError(
      'journal.conflict',
      `Cannot move run '${entry.runId}' as its thread '${thread}' has other turns in ${to.name}: move it to another store, or remove that thread`,
      { runId: entry.runId },
    );
  const blobs = await readBlobs(from, [{ n: 0, text: here }]);
  await to.hold?.({ room: THREADS_ROOM, name: turns }, Object.keys(blobs));
  await writeBlobs(to, blobs);
  await files[1].write(turns, here);
  await copyText(files, turns.replace(/turns\.jsonl$/, 'thread.json'));
};
