import type { ListedSchedule } from '../../recording/report/listed-schedule.ts';
import { spanOf } from '../figures.ts';
import { dayOf } from '../home/day-of.ts';

/** The times of a schedule, for people. */
export const whenWords = ({ when }: Pick<ListedSchedule, 'when'>): string => {
  if (when === undefined) return 'on messages';
  if ('cron' in when) return `${when.cron} ${when.zone ?? 'UTC'}`;
  if ('everyMs' in when) return `every ${spanOf(when.everyMs)}`;
  return 'at' in when ? `at ${dayOf(when.at)}` : `after ${spanOf(when.afterMs)}`;
};
