import { useEffect, useState } from 'preact/hooks';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import type { ListedSchedule } from '../../recording/report/listed-schedule.ts';
import { countOf, several } from '../figures.ts';
import { dayOf } from '../home/day-of.ts';
import { HomeTabs } from '../home/home-tabs.tsx';
import { hashOf, openingRoute } from '../state/route.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { changeSchedule, scheduleList, scheduleProblem, watchSchedules } from './schedule-feed.ts';
import { whenWords } from './when-words.ts';

/** The schedules of all stores that are open: when each is due, and what is pending. */
export const SchedulesView = () => {
  useEffect(watchSchedules, []);
  const [removed, remove] = useState<ListedSchedule | undefined>(undefined);
  const list = scheduleList.value;
  const problems = [
    ...(scheduleProblem.value === undefined ? [] : [scheduleProblem.value]),
    ...(list?.problems ?? []),
  ];
  return (
    <main class="home monitor">
      <div class="runs-filter">
        <HomeTabs />
        <span class="count" role="status">
          {list !== undefined && several(list.schedules.length, 'schedule')}
        </span>
      </div>
      {problems.map((problem) => (
        <p key={problem} class="notice bad" role="alert">
          <bdi>{oneLine(problem, 600)}</bdi>
        </p>
      ))}
      <div class="scroll" tabIndex={0} role="region" aria-label="Schedules">
        {list === undefined ? (
          <p class="empty">Loading the schedules.</p>
        ) : list.schedules.length === 0 ? (
          <p class="empty">No store that is open here has a schedule.</p>
        ) : (
          <ScheduleTable schedules={list.schedules} remove={remove} />
        )}
      </div>
      <RemoveDialog
        schedule={removed}
        close={() => {
          remove(undefined);
        }}
      />
    </main>
  );
};

interface ScheduleTableProps {
  readonly schedules: readonly ListedSchedule[];
  readonly remove: (schedule: ListedSchedule) => void;
}

const heads = [
  ['name', 'Schedule'],
  ['state', 'State'],
  ['next', 'Next'],
  ['pending', 'Pending'],
  ['last', 'Last run'],
] as const;

const ScheduleTable = ({ schedules, remove }: ScheduleTableProps) => {
  const stores = new Set(schedules.map(({ store }) => store));
  const isControlled = schedules.some(({ control }) => control);
  return (
    <table class="figures schedules">
      <thead>
        <tr>
          {heads.map(([column, head]) => (
            <th key={column} scope="col" data-column={column}>
              {head}
            </th>
          ))}
          {isControlled && (
            <th scope="col">
              <span class="unseen">Change</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {schedules.map((schedule) => (
          <tr key={`${schedule.store} ${schedule.name}`}>
            <th scope="row" data-column="name">
              <bdi>{oneLine(schedule.name, 100)}</bdi>
              <span class="of" title={plain(whenWords(schedule))}>
                <bdi>{oneLine(whenWords(schedule), 80)}</bdi>
                {' · '}
                <bdi>{oneLine(schedule.agent, 60)}</bdi>
                {stores.size > 1 && (
                  <>
                    {' · '}
                    <bdi>{oneLine(schedule.store, 80)}</bdi>
                  </>
                )}
              </span>
            </th>
            <td class={schedule.isPaused ? 'paused' : ''}>{schedule.isPaused ? 'paused' : 'active'}</td>
            <td>{schedule.nextAt === undefined ? '–' : dayOf(schedule.nextAt)}</td>
            <td data-column="pending">
              <RunLink run={schedule.pending[0]} />
              {schedule.pending.length > 1 && ` and ${countOf(schedule.pending.length - 1)} more`}
            </td>
            <td data-column="last">
              <RunLink run={schedule.last} />
            </td>
            {isControlled && (
              <td>
                <Changes schedule={schedule} remove={remove} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Its time, or the id of its message: the name of the schedule is in the same row. */
const RunLink = ({ run }: { readonly run: string | undefined }) =>
  run === undefined ? (
    <>–</>
  ) : (
    <a href={hashOf({ ...openingRoute, run })} title={plain(run)}>
      <bdi>{oneLine(run.slice(run.indexOf('@') + 1), 40)}</bdi>
    </a>
  );

interface ChangesProps {
  readonly schedule: ListedSchedule;
  readonly remove: (schedule: ListedSchedule) => void;
}

/** Each button says which schedule it changes to readers who do not see the row. */
const Changes = ({ schedule, remove }: ChangesProps) => {
  if (!schedule.control) return null;
  const verb = schedule.isPaused ? 'resume' : 'pause';
  const words = schedule.isPaused ? 'Resume' : 'Pause';
  return (
    <span class="changes">
      <button
        type="button"
        aria-label={`${words} ${oneLine(schedule.name, 100)}`}
        onClick={() => void changeSchedule(verb, schedule)}
      >
        {words}
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`Remove ${oneLine(schedule.name, 100)}`}
        onClick={() => {
          remove(schedule);
        }}
      >
        Remove…
      </button>
    </span>
  );
};
