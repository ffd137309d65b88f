import type { CallFact } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally, UNTRIED_MODEL } from '../rule.ts';

/** The most output tokens of an easy step. */
const SHORT = 100;
/** The part of the calls that has to be easy, and their least number. */
const MOST_EASY = 0.8;
const LEAST = 5;

/** The assumed part of the cost that a smaller model saves. */
const SAVED = 0.8;

/** Calls of a model, and the easy ones among them. */
class Steps extends Tally {
  easy = 0;
}

/** Finds agents whose steps ask little of their model: short answers without reasoning. */
export const easySteps = (): Rule => {
  const byModel = new Table(() => new Steps());
  return {
    take: (run) => {
      for (const call of callsIn(run)) {
        if (call.isCached || call.costUsd === 0) continue;
        const { agent, model, usage, costUsd, ms } = call;
        const steps = byModel.of(agent, model);
        steps.add(run.runId, { costUsd, tokens: usage.input + usage.output, latencyMs: ms });
        if (isEasy(call)) steps.easy += 1;
      }
    },
    findings: () =>
      [...byModel.rows].flatMap(({ agent, name: model, value: steps }) => {
        const { count, easy, costUsd, tokens, latencyMs } = steps;
        if (count < LEAST || easy / count < MOST_EASY) return [];
        const evidence = steps.evidence({
          easyShare: easy / count,
          averageMs: latencyMs / count,
          tokens,
          ...(costUsd === undefined ? {} : { totalUsd: costUsd }),
        });
        return [
          {
            type: 'smaller-model' as const,
            agent,
            model,
            description: `Of agent '${agent}', ${easy} of ${count} answers of ${model} are short and without reasoning: try a smaller model`,
            // Where prices are not known, as many tokens stand for the cost.
            expected: costUsd === undefined ? { tokens: tokens * SAVED } : { costUsd: costUsd * SAVED },
            evidence: { ...evidence, count: easy, of: count },
            proven: false,
            basis: `assumes that the other model costs a fifth; ${UNTRIED_MODEL}`,
          },
        ];
      }),
  };
};

const isEasy = ({ usage, calls }: CallFact): boolean =>
  usage.output <= SHORT && (usage.reasoning ?? 0) === 0 && calls <= 1;
