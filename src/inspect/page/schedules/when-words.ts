import type { ListedSchedule } from '../../recording/report/listed-schedule.ts';
import { lasting } from '../../../base/text/number-words.ts';
import { dayOf } from '../home/day-of.ts';

/** The times of a schedule, for people. */
export const whenWords = ({ when }: Pick<ListedSchedule, 'when'>): string => {
  if (when === undefined) return 'on messages';
  if ('cron' in when) return `${when.cron} ${when.zone ?? 'UTC'}`;
  if ('everyMs' in when) return `every ${roundSpan(when.everyMs)}`;
  return 'at' in when ? `at ${dayOf(when.at)}` : `after ${roundSpan(when.afterMs)}`;
};

const roundSpan = (ms: number): string => lasting(ms).replace(/ 0 (?:s|min)$/, '');
