import { signal } from '@preact/signals';
import type { ListedSchedule, ScheduleList } from '../../recording/report/listed-schedule.ts';
import { post } from '../control.ts';
import type { WatchedAnswer } from '../home/watch-answer.ts';
import { watchAnswer } from '../home/watch-answer.ts';

/** The schedules of all stores that are open; undefined before they are loaded. */
export const scheduleList = signal<ScheduleList | undefined>(undefined);

/** The reason why the last command was refused. */
export const scheduleProblem = signal<string | undefined>(undefined);

let watched: WatchedAnswer | undefined;

/** Keeps the list up to date while it is shown; returns the end of it. */
export const watchSchedules = (): (() => void) => {
  watched = watchAnswer('/api/schedules', scheduleList);
  scheduleProblem.value = undefined;
  return watched.stop;
};

/** Pauses, resumes or removes a schedule, in the process that has its store open; true if that was done. */
export const changeSchedule = async (
  verb: 'pause' | 'resume' | 'remove',
  { name, store, process }: ListedSchedule,
): Promise<boolean> => {
  const { problem } = await post({ do: `schedule-${verb}`, schedule: name, store }, { process });
  scheduleProblem.value = problem;
  watched?.renew();
  return problem === undefined;
};
