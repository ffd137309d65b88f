import { several } from '../../base/text/number-words.ts';
import type { FaultOutcome, ResilienceReport } from '../../testing/resilience/resilience-report.ts';
import type { PageCell } from '../pages/report-page.ts';
import { reportPage } from '../pages/report-page.ts';
import { briefValue } from '../words/brief-value.ts';
import { baselineWords, endOf, outcomeNames, placeOf, varianceLines } from './resilience-words.ts';

/** A resilience report as one page: each fault with its outcome, none left out. */
export const resiliencePage = (report: ResilienceReport): string => {
  const { agent, input, baseline, outcomes, counts, weak, stopped } = report;
  const weakOnes = outcomes.filter(({ weakness }) => weakness !== undefined);
  return reportPage({
    title: `Resilience of ${agent}`,
    verdict:
      weak === 0
        ? { text: `${several(outcomes.length, 'fault')}, no weak point`, tone: 'good' }
        : { text: `${several(outcomes.length, 'fault')}, ${several(weak, 'weak point')}`, tone: 'bad' },
    sections: [
      {
        title: 'The task',
        lines: [
          `Input: ${briefValue(input)}`,
          `Without a fault: ${briefValue(baseline.output)}; ${baselineWords(report)}`,
          ...varianceLines(report),
          ...(stopped === undefined ? [] : [`Stopped early as ${stopped}`]),
        ],
        table: {
          head: ['outcome', 'faults'],
          rows: Object.entries(counts).map(([kind, count]) => [
            { text: Object.entries(outcomeNames).find(([name]) => name === kind)?.[1] ?? kind },
            { text: String(count) },
          ]),
        },
      },
      ...(weakOnes.length === 0 ? [] : [{ title: 'Weak points', table: tableOf(weakOnes) }]),
      { title: 'All faults', table: tableOf(outcomes) },
    ],
  });
};

const tableOf = (outcomes: readonly FaultOutcome[]) => ({
  head: ['place', 'fault', 'outcome', 'weak point', 'remedy'],
  rows: outcomes.map((each): readonly PageCell[] => [
    { text: placeOf(each.fault) },
    { text: `${each.fault.dependency} ${each.fault.words}` },
    { text: endOf(each), tone: TONES[each.outcome] },
    { text: each.weakness ?? '', tone: 'bad' },
    { text: each.remedy ?? '' },
  ]),
});

const TONES: Readonly<Record<FaultOutcome['outcome'], PageCell['tone']>> = {
  same: 'good',
  other: 'uncertain',
  stopped: 'uncertain',
  failed: 'uncertain',
  waiting: 'uncertain',
  hung: 'bad',
  unreached: 'faint',
};
