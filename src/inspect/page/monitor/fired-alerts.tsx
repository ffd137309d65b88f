import { oneLine, plain } from '../../drawing/plain-text.ts';
import type { ReportedAlert } from '../../recording/report/work-report.ts';
import { several } from '../figures.ts';
import { dayOf } from '../home/day-of.ts';
import { hashOf, openingRoute } from '../state/route.ts';

/** Alerts that are shown at once; older ones are opened by a click. */
const MOST_SHOWN = 5;

/** The alerts that were raised, the newest first, with how severe they are and which channels failed to deliver them. */
export const FiredAlerts = ({ alerts }: { readonly alerts: readonly ReportedAlert[] }) => {
  const firing = alerts.filter(({ isFiring }) => isFiring).length;
  const [newest, older] = [alerts.slice(0, MOST_SHOWN), alerts.slice(MOST_SHOWN)];
  return (
    <section class="alerts" aria-label="Alerts">
      <h2>
        {alerts.length === 0
          ? 'No alert was raised'
          : firing === 0
            ? 'Alerts'
            : `${several(firing, 'alert')} ${firing === 1 ? 'fires' : 'fire'}`}
      </h2>
      <AlertList alerts={newest} />
      {older.length > 0 && (
        <details>
          <summary>{several(older.length, 'older alert')}</summary>
          <AlertList alerts={older} />
        </details>
      )}
    </section>
  );
};

const AlertList = ({ alerts }: { readonly alerts: readonly ReportedAlert[] }) => (
  <ul>
    {alerts.map(({ id, text, severity, isFiring, isResolved, failures, at, runs }) => (
      <li key={id} class={`${severity} ${isFiring ? 'firing' : 'over'}`}>
        <span class="pill">{severity}</span>
        <span class="state">{isFiring ? 'fires' : isResolved ? 'resolved' : 'over'}</span>
        <span class="text">
          <bdi>{oneLine(text, 300)}</bdi>
        </span>
        {failures.map(({ channel, error }) => (
          <span key={channel} class="undelivered" title={plain(error)}>
            not delivered by <bdi>{oneLine(channel, 40)}</bdi>: <bdi>{oneLine(error, 120)}</bdi>
          </span>
        ))}
        <span class="at">{dayOf(at)}</span>
        {runs.map((run) => (
          <a key={run} href={hashOf({ ...openingRoute, run, view: 'time' })} title={plain(run)}>
            <bdi>{oneLine(run, 24)}</bdi>
          </a>
        ))}
      </li>
    ))}
  </ul>
);
