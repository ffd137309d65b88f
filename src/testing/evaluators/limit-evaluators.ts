import { TroupeError } from '../../contracts/errors/error.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Evaluator, ExaminedRun } from '../../contracts/tasks/evaluator.ts';
import { assertRun } from './run-calls.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** Passes for a run that cost at most this number of US dollars. */
export const cost = (mostUsd: number): Evaluator =>
  within('cost', mostUsd, ({ totals }) => {
    if (totals.costUsd !== undefined) return totals.costUsd;
    const models = totals.unpriced?.join(', ') ?? 'one of its models';
    throw new TroupeError('input.invalid', `Cannot tell the cost of the run as no price is known: ${models}`);
  });

/** Passes for a run that took at most this number of ms. */
export const time = (mostMs: number): Evaluator => within('time', mostMs, ({ totals }) => totals.durationMs);

/** Passes for a run of at most this number of steps. */
export const steps = (most: number): Evaluator => within('steps', most, ({ totals }) => totals.steps);

/** Passes for a run that ended for one of these reasons. */
export const endsFor = (...reasons: readonly StopReason['kind'][]): Evaluator => {
  const wanted: readonly string[] = reasons.length === 0 ? ['answered'] : reasons;
  return {
    name: 'endsFor',
    evaluate: ({ result: { stopReason, error } }) => ({
      score: wanted.includes(stopReason.kind) ? 1 : 0,
      reason: error === undefined ? stopReason.kind : `${stopReason.kind}: ${error.message}`,
    }),
  };
};

const within = (name: string, most: number, measure: (run: ExaminedRun) => number): Evaluator => {
  if (!(typeof most === 'number' && most >= 0))
    throw new TroupeError(
      'input.invalid',
      `Cannot limit the ${name} of runs as the limit is not a number from 0: found ${foundText(most)}`,
    );
  return {
    name,
    evaluate: (examined) => {
      assertRun(examined);
      const found = measure(examined.result);
      return { score: found <= most ? 1 : 0, reason: `${found} of at most ${most}` };
    },
  };
};
