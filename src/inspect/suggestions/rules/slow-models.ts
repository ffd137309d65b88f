import { callsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally, UNTRIED_MODEL } from '../rule.ts';

/** The average time of an answer, in ms, above which a model counts as slow. */
const SLOW_MS = 1_000;

/** The assumed part of the time that a faster model saves. */
const SAVED = 0.5;

/** Finds models whose answers take an agent more than a second on average. */
export const slowModels = (): Rule => {
  const byModel = new Table(() => new Tally());
  return {
    take: (run) => {
      for (const { agent, model, ms, isCached } of callsIn(run))
        if (!isCached) byModel.of(agent, model).add(run.runId, { latencyMs: ms });
    },
    findings: () =>
      [...byModel.rows].flatMap(({ agent, name: model, value: tally }) => {
        const { count, latencyMs } = tally;
        const averageMs = latencyMs / count;
        if (!(averageMs > SLOW_MS)) return [];
        tally.of = count;
        return [
          {
            type: 'faster-model' as const,
            agent,
            model,
            description: `Answers of ${model} take agent '${agent}' ${Math.round(averageMs)} ms on average: try a faster model`,
            expected: { latencyMs: latencyMs * SAVED },
            evidence: tally.evidence({ averageMs, totalMs: latencyMs }),
            proven: false,
            basis: `assumes that the other model takes half the time; ${UNTRIED_MODEL}`,
          },
        ];
      }),
  };
};
