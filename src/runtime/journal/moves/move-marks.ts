import * as z from 'zod';
import { onDemand } from '../../../base/on-demand.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';

const schema = onDemand(() =>
  z.object({
    /** Tells moves of a run apart. */
    id: z.string(),
    /** The name of the other store. */
    to: z.string(),
    /** In ms since 1970. */
    at: z.number(),
    /** The number of its rows, and their digest. */
    rows: z.number(),
    digest: z.string(),
    /** Of its entry, before it was closed. */
    status: z.enum(['running', 'waiting', 'completed', 'stopped', 'aborted', 'failed']),
    updatedAt: z.number(),
    dueAt: z.number().optional(),
  }),
);

/** The move of a run, as the store has it that the run was moved from. */
export type MoveMark = z.infer<ReturnType<typeof schema>>;

/** The room of a store in which the marks are, by run. */
const ROOM = 'moved-runs';

/** Puts on record where a run is about to go. It says nothing as long as the run is not `moved`. */
export const markMove = (store: Pick<JournalStore, 'files'>, runId: string, mark: MoveMark): Promise<void> =>
  store.files(ROOM).write(runId, JSON.stringify(mark));

/** The move of a run; undefined where none is known. */
export const moveMark = async (
  store: Pick<JournalStore, 'files'>,
  runId: string,
): Promise<MoveMark | undefined> => {
  const text = await store.files(ROOM).read(runId);
  return text === undefined ? undefined : schema().parse(JSON.parse(text));
};
