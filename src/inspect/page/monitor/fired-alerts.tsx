import { oneLine, plain } from '../../drawing/plain-text.ts';
import type { ReportedAlert } from '../../recording/report/work-report.ts';
import { several } from '../figures.ts';
import { dayOf } from '../home/day-of.ts';
import { hashOf, openingRoute } from '../state/route.ts';

/** Alerts that are shown at once; older ones are opened by a click. */
const MOST_SHOWN = 5;

/** The alerts that were sent, the newest first. */
export const FiredAlerts = ({ alerts }: { readonly alerts: readonly ReportedAlert[] }) => {
  const firing = alerts.filter(({ isFiring }) => isFiring).length;
  const [newest, older] = [alerts.slice(0, MOST_SHOWN), alerts.slice(MOST_SHOWN)];
  return (
    <section class="alerts" aria-label="Alerts">
      <h2>
        {alerts.length === 0
          ? 'No alert was sent'
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
    {alerts.map(({ id, text, severity, isFiring, at, runs }) => (
      <li key={id} class={`${severity} ${isFiring ? 'firing' : 'over'}`}>
        <span class="pill">{isFiring ? severity : 'sent'}</span>
        <span class="text">
          <bdi>{oneLine(text, 300)}</bdi>
        </span>
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
