import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { StoredSchedules } from '../../../runtime/schedules/stored-schedules.ts';

const name = z.string().min(1).max(2_000);

/** Parses a command for a schedule. */
export const scheduleSchema = z.strictObject({
  do: z.enum(['schedule-pause', 'schedule-resume', 'schedule-remove']),
  schedule: name,
  /** The name of its store, as it was listed: another may have one of the same name. */
  store: name,
});

/** A command for a schedule. */
export type ScheduleCommand = z.infer<typeof scheduleSchema>;

const verbs = {
  'schedule-pause': 'pause',
  'schedule-resume': 'resume',
  'schedule-remove': 'remove',
} as const;

/**
 * Pauses, resumes or removes a schedule, as `troupe schedules` does.
 *
 * @throws {TroupeError} `schedule.unknown` for one that is not in the store, or for another store.
 */
export const changeSchedule = async (
  { do: what, schedule, store: named }: ScheduleCommand,
  store: JournalStore | undefined,
): Promise<void> => {
  if (store?.name === named) return new StoredSchedules(store)[verbs[what]](schedule);
  const found = store === undefined ? 'there is no store' : `its store is ${store.name}`;
  throw new TroupeError(
    'schedule.unknown',
    `Cannot ${verbs[what]} the schedule '${schedule}' of ${named} in this process as ${found}`,
  );
};
