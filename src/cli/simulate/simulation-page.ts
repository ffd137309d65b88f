import { several, withThousands } from '../../base/text/number-words.ts';
import type { SimulationReport } from '../../testing/simulate/simulation-report.ts';
import type { PageSection } from '../pages/report-page.ts';
import { reportPage } from '../pages/report-page.ts';
import { briefValue } from '../words/brief-value.ts';
import { orderWords, runWords, storyLines } from './simulate-words.ts';

/** A simulation as one page: each failure with its story and its script, and all that happened. */
export const simulationPage = (report: SimulationReport): string => {
  const { agent, failures, happened, orders, verdict, daysPerHour } = report;
  const found = several(failures.length, 'failure');
  return reportPage({
    title: `Simulation of ${agent}`,
    verdict: { text: `${verdict}: ${runWords(report)}`, tone: verdict === 'holds' ? 'good' : 'bad' },
    sections: [
      ...failures.map(({ rule, reason, story, script, seeds }): PageSection => ({
        title: rule,
        lines: [reason, ...storyLines(story), `Seeds: ${seeds.join(', ')}`, JSON.stringify(script)],
      })),
      ...(orders === undefined
        ? []
        : [
            {
              title: `${several(orders.tried, 'order')}${orders.isComplete ? '' : ', of more'}`,
              lines:
                orders.dependsOn.length === 0
                  ? ['The result depends on none.']
                  : [orderWords(orders.dependsOn)],
              table: {
                head: ['orders', 'end', 'output'],
                rows: orders.outcomes.map(({ orders: count, status, output = null }) => [
                  { text: String(count) },
                  { text: status },
                  { text: briefValue(output) },
                ]),
              },
            },
          ]),
      {
        title: 'What happened',
        lines: [`${found}; ${withThousands(daysPerHour)} simulated days per hour`],
        table: {
          head: ['otherwise than in a calm run', 'times'],
          rows: Object.entries(happened).map(([kind, count]) => [{ text: kind }, { text: String(count) }]),
        },
      },
    ],
  });
};
