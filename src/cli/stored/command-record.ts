import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';

const shared = {
  v: z.literal(1),
  model: z.string().optional(),
  /** True if it came with an imported journal: its code is run only after a person here has agreed. */
  imported: z.literal(true).optional(),
};

const recordSchema = z.discriminatedUnion('command', [
  z.object({
    ...shared,
    command: z.literal('ask'),
    /** Whole paths, as all here. */
    folders: z.union([z.string(), z.array(z.string())]),
    ignored: z.array(z.string()).optional(),
    budget: z.number().optional(),
    memory: z.string().optional(),
  }),
  z.object({
    ...shared,
    command: z.literal('run'),
    file: z.string(),
    exportName: z.string().optional(),
  }),
]);

/** The command that started a run: enough to find its agent again in another process. Plain JSON. */
export type CommandRecord = z.infer<typeof recordSchema>;

/** The room of a store in which the commands are, by run. */
export const COMMANDS_ROOM = 'commands';

/** Stores the command of a run before it starts. */
export const keepCommand = (store: JournalStore, runId: string, record: CommandRecord): Promise<void> =>
  store.files(COMMANDS_ROOM).write(runId, JSON.stringify(record));

/** Returns the command that started a run; undefined if it was not started by a command. */
export const commandOf = async (store: JournalStore, runId: string): Promise<CommandRecord | undefined> => {
  const text = await store.files(COMMANDS_ROOM).read(runId);
  return text === undefined ? undefined : commandIn(text, runId);
};

/** Forgets the commands of runs that are gone. */
export const dropCommands = async (store: JournalStore, runIds: readonly string[]): Promise<void> => {
  const files = store.files(COMMANDS_ROOM);
  for (const runId of runIds) await files.remove(runId);
};

/** Parses a record. @throws `journal.corrupt` */
export const commandIn = (text: string, runId: string): CommandRecord => {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new TroupeError(
      'journal.corrupt',
      `Cannot find the command that started run '${runId}' as its record is unreadable: ${text.slice(0, 80)}`,
      { runId, cause },
    );
  }
};
