import * as z from 'zod';
import { messageOf } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { StoredSchedule } from '../../../runtime/schedules/schedule.ts';
import { StoredSchedules } from '../../../runtime/schedules/stored-schedules.ts';
import type { ListedSchedule, ScheduleList } from '../../recording/report/listed-schedule.ts';
import { bodyOf } from '../processes/ask-process.ts';
import type { OtherProcess } from '../processes/other-process.ts';
import type { OtherProcesses } from '../processes/other-processes.ts';

const text = z.string().max(2_000);

const scheduleSchema = z.object({
  name: text,
  store: text,
  agent: text,
  when: z
    .union([
      z.object({ cron: text, zone: text.optional() }),
      z.object({ everyMs: z.number() }),
      z.object({ at: z.number() }),
      z.object({ afterMs: z.number() }),
    ])
    .optional(),
  isPaused: z.boolean(),
  nextAt: z.number().optional(),
  pending: z.array(text).max(10_000),
  last: text.optional(),
  control: z.boolean(),
});

const listSchema = z.object({
  schedules: z.array(scheduleSchema).max(1_000),
  problems: z.array(text).max(100),
});

/** The longest list of another process, in bytes. */
const LONGEST_LIST = 4 * 1024 * 1024;
/** Time in ms within which another process has to answer. */
const WITHIN_MS = 1_000;

/** The schedules of a store. */
export const ownSchedules = async (
  store: JournalStore | undefined,
  control: boolean,
): Promise<ScheduleList> => {
  if (store === undefined) return { schedules: [], problems: [] };
  try {
    const listed = await new StoredSchedules(store).list();
    const schedules = listed.map((schedule) => listedSchedule(schedule, store.name, control));
    return { schedules, problems: [] };
  } catch (thrown) {
    return { schedules: [], problems: [`${store.name}: ${messageOf(thrown)}`.slice(0, 2_000)] };
  }
};

const listedSchedule = (
  { name, agent, when, isPaused, nextAt, pending, last }: StoredSchedule,
  store: string,
  control: boolean,
): ListedSchedule => ({
  name,
  store,
  agent,
  isPaused,
  pending,
  control,
  ...(when === undefined ? {} : { when: 'at' in when ? { at: Number(when.at) } : when }),
  ...(nextAt === undefined ? {} : { nextAt }),
  ...(last === undefined ? {} : { last }),
});

/** The schedules of this process and of all others that are known, each once, however many have its store open: one that may change it, if any. */
export const allSchedules = async (own: ScheduleList, others: OtherProcesses): Promise<ScheduleList> => {
  const lists = [own, ...(await Promise.all(others.living.map(schedulesOf)))];
  const known = new Map<string, ListedSchedule>();
  for (const schedule of lists.flatMap(({ schedules }) => schedules)) {
    const key = JSON.stringify([schedule.store, schedule.name]);
    const before = known.get(key);
    if (before === undefined || (!before.control && schedule.control)) known.set(key, schedule);
  }
  return {
    schedules: [...known.values()].toSorted((one, other) => one.name.localeCompare(other.name)),
    problems: [...new Set(lists.flatMap(({ problems }) => problems))],
  };
};

/** Those of another process; none where it does not answer in time, or has no such list. */
const schedulesOf = async (process: OtherProcess): Promise<ScheduleList> => {
  try {
    const response = await process.ask({ path: '/api/schedules?relay', withinMs: WITHIN_MS });
    const { schedules, problems } = listSchema.parse(
      JSON.parse((await bodyOf(response, LONGEST_LIST)).toString('utf8')),
    );
    const { id } = process.registration;
    return { schedules: schedules.map((schedule) => ({ ...schedule, process: id })), problems };
  } catch {
    return { schedules: [], problems: [] };
  }
};
