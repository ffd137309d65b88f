import { oneLine } from '../../base/text/printable.ts';
import type { StoredSchedule, When } from '../../runtime/schedules/schedule.ts';
import { StoredSchedules } from '../../runtime/schedules/stored-schedules.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { screenOf } from '../terminal/screen.ts';
import type { Cell } from '../terminal/table.ts';
import { tableLines } from '../terminal/table.ts';
import type { SchedulesCommand } from '../usage/commands.ts';
import { withStore } from '../stored/open-store.ts';
import { agentWidth, jsonLine, timeWords, WIDEST_ID } from '../stored/run-words.ts';

const done: Readonly<Record<Exclude<SchedulesCommand['verb'], 'list'>, string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  remove: 'Removed',
};

/** `troupe schedules`: the schedules of a store, listed, paused, resumed and removed. */
export const keepSchedules = (wanted: SchedulesCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const kept = new StoredSchedules(store);
    if (wanted.verb !== 'list') {
      await kept[wanted.verb](wanted.schedule);
      if (settings.json) terminal.stdout.write(jsonLine({ schedule: wanted.schedule, verb: wanted.verb }));
      else if (!settings.quiet) terminal.stdout.write(`${done[wanted.verb]} ${oneLine(wanted.schedule)}\n`);
      return exitCode.answered;
    }
    const listed = await kept.list();
    if (settings.json) for (const schedule of listed) terminal.stdout.write(jsonLine(schedule));
    else {
      const screen = screenOf(session);
      const rows = listed.map((schedule) => cellsOfSchedule(schedule, screen.columns));
      for (const line of tableLines(rows, screen.columns)) terminal.stdout.write(`${line}\n`);
      if (listed.length === 0 && !settings.quiet) terminal.stderr.write(`No schedules in ${store.name}\n`);
    }
    return exitCode.answered;
  });

const cellsOfSchedule = (
  { name, agent, when, isPaused, pending, nextAt }: StoredSchedule,
  columns: number,
): readonly Cell[] => [
  { text: oneLine(name), most: WIDEST_ID },
  { text: isPaused ? 'paused' : 'active' },
  { text: oneLine(whenWords(when)), most: WIDEST_ID },
  { text: oneLine(agent), most: agentWidth(columns) },
  { text: pending.length === 0 ? '' : `${pending.length} pending` },
  { text: nextAt === undefined || isPaused ? '' : `next ${timeWords(nextAt)}` },
];

const whenWords = (when: When | undefined): string => {
  if (when === undefined) return 'messages';
  if ('cron' in when) return `${when.cron} ${when.zone ?? ''}`.trimEnd();
  if ('everyMs' in when) return `every ${when.everyMs} ms`;
  return 'at' in when ? `at ${timeWords(Number(when.at))}` : `after ${when.afterMs} ms`;
};
