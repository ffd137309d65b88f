import { pipeline } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { settled } from '../runs.ts';
import type { Situation } from './situation.ts';
import { clockAtNine, pacedModel } from './situation.ts';

/** A team of three may use ten cents: its second member is dear, so nothing is left for the third. */
export const spentBudget = (): Situation => {
  const clock = clockAtNine();
  const stage = (name: string, instructions: string, says: string, billedUsd: number) =>
    agent({
      name,
      instructions,
      model: pacedModel(clock, billedUsd > 0.01 ? 'large' : 'small', [says], { billedUsd, tookMs: 2_500 }),
    });
  const report = pipeline({
    name: 'report',
    stages: [
      stage('collector', 'Collect the figures.', 'Sales were 12 in May and 31 in June.', 0.006),
      stage('analyst', 'Say what they mean.', 'June was the best month in two years.', 0.097),
      stage('editor', 'Write it for the board.', 'We had a fine June.', 0.006),
    ],
  });
  return {
    name: 'spent-budget',
    agent: report,
    runId: 'report-1',
    play: async (where) => {
      const run = report.stream('How was the second quarter?', {
        ...where,
        clock,
        runId: 'report-1',
        limits: { budget: { usd: 0.1 } },
      });
      await settled(run);
      return run;
    },
  };
};
