import { callsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally, UNTRIED_MODEL } from '../rule.ts';

const LEAST_RUNS = 5;
/** The part of the runs from which it is no exception. */
const OFTEN = 0.2;

/** Finds models whose answers are sent back by critics, or whose runs end without an answer, in a fifth of the runs. */
export const reworkedAnswers = (): Rule => {
  const byModel = new Table(() => new Tally());
  return {
    take: (run) => {
      const { runId, agent: root, status, revised } = run;
      const models = new Map(callsIn(run).map(({ agent, model }) => [agent, model]));
      for (const [agent, model] of models) {
        const tally = byModel.of(agent, model);
        tally.of += 1;
        const isUnanswered = agent === root && (status === 'failed' || status === 'stopped');
        if (isUnanswered || revised.includes(agent)) tally.add(runId);
      }
    },
    findings: () =>
      [...byModel.rows].flatMap(({ agent, name: model, value: tally }) => {
        const { count, of } = tally;
        if (of < LEAST_RUNS || !(count / of > OFTEN)) return [];
        return [
          {
            type: 'stronger-model' as const,
            agent,
            model,
            description: `In ${count} of ${of} runs, answers of ${model} for agent '${agent}' were sent back or led to none: try a stronger model`,
            expected: {},
            evidence: tally.evidence({ reworkedShare: count / of }),
            proven: false,
            basis: `assumes that the other model answers better; ${UNTRIED_MODEL}`,
          },
        ];
      }),
  };
};
