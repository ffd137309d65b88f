import { useEffect } from 'preact/hooks';
import { countOf, several } from '../figures.ts';
import { HomeTabs } from '../home/home-tabs.tsx';
import { monitorQuery } from '../state/home.ts';
import { FigureTable } from './figure-table.tsx';
import { FiredAlerts } from './fired-alerts.tsx';
import { figureRows, kindHeads, questions } from './monitor-query.ts';
import { watchReport, workReport } from './report-feed.ts';

const kinds = ['agent', 'tool', 'model', 'tenant'] as const;

const emptyWords = {
  agent: 'No agent has finished yet.',
  tool: 'No tool was called yet.',
  model: 'No model was asked yet.',
  tenant: 'No run has finished whose engine names its tenant.',
} as const;

/** The work of all runs, added up: what is slow, what is dear, what fails. */
export const Monitor = () => {
  useEffect(watchReport, []);
  const report = workReport.value;
  const query = monitorQuery.value;
  const rows = figureRows(report?.rows ?? [], query);
  return (
    <main class="home monitor">
      <div class="runs-filter">
        <HomeTabs />
        <div class="segments" role="group" aria-label="Question">
          {questions.map(([sort, words]) => (
            <button
              key={sort}
              type="button"
              aria-pressed={query.sort === sort && query.isDescending}
              onClick={() => {
                monitorQuery.value = { ...monitorQuery.peek(), sort, isDescending: true };
              }}
            >
              {words}
            </button>
          ))}
        </div>
        <div class="segments" role="group" aria-label="By">
          {kinds.map((by) => (
            <button
              key={by}
              type="button"
              aria-pressed={query.by === by}
              onClick={() => {
                monitorQuery.value = { ...monitorQuery.peek(), by };
              }}
            >
              {kindHeads[by]}
            </button>
          ))}
        </div>
        <span class="count" role="status">
          {report !== undefined &&
            (report.read < report.runs
              ? `${countOf(report.read)} of ${several(report.runs, 'run')} read …`
              : several(report.runs, 'run'))}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Figures of all runs">
        {report?.alerts !== undefined && <FiredAlerts alerts={report.alerts} />}
        {report === undefined ? (
          <p class="empty">Adding up the runs.</p>
        ) : rows.length === 0 ? (
          <p class="empty">{report.read < report.runs ? 'Reading the runs.' : emptyWords[query.by]}</p>
        ) : (
          <FigureTable rows={rows} />
        )}
      </div>
    </main>
  );
};
