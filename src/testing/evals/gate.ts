import type { Estimate } from '../statistics/intervals.ts';
import type { EvalSummary } from './summary.ts';

/** Everything that a gate can be about. */
export const measures = [
  'passRate',
  'score',
  'passPower',
  'kappa',
  'costUsd',
  'durationMs',
  'steps',
] as const;

/**
 * A condition on the whole of an eval.
 *
 * - `passRate`: the share of runs that pass, or that pass `evaluator`.
 * - `score`: the mean score of `evaluator`, or of all.
 * - `passPower`: pass^k, the chance that `k` runs of a case in a row all pass.
 * - `kappa`: the agreement of `evaluator` with the labels of people, beyond chance.
 * - `costUsd`, `durationMs`, `steps`: the mean of a run.
 */
export interface Gate {
  readonly measure: (typeof measures)[number];
  readonly evaluator?: string | undefined;
  readonly k?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  /** True if the interval of 95 % has to hold, not only the estimate: few cases then seldom pass. Default false. */
  readonly surely?: boolean | undefined;
}

/** The outcome of a gate. */
export interface GateResult {
  readonly gate: Gate;
  /** The condition in words: `passRate of exact ≥ 0.9`. */
  readonly name: string;
  readonly passed: boolean;
  /** Undefined if it could not be measured; the gate has then failed. */
  readonly measured: Estimate | undefined;
  readonly reason?: string | undefined;
}

/** Judges a gate by what was measured. What could not be measured does not pass. */
export const judgeGate = (gate: Gate, summary: EvalSummary): GateResult => {
  const name = gateWords(gate);
  const measured = measureOf(gate, summary);
  if (typeof measured === 'string')
    return { gate, name, passed: false, measured: undefined, reason: measured };
  const { atLeast = -Infinity, atMost = Infinity, surely = false } = gate;
  const passed = surely
    ? measured.low >= atLeast && measured.high <= atMost
    : measured.value >= atLeast && measured.value <= atMost;
  return { gate, name, passed, measured };
};

const gateWords = ({ measure, evaluator, k, atLeast, atMost, surely = false }: Gate): string =>
  [
    measure === 'passPower' ? `pass^${k ?? 1}` : measure,
    ...(evaluator === undefined ? [] : [`of ${evaluator}`]),
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}`]),
    ...(atMost === undefined ? [] : [`≤ ${atMost}`]),
    ...(surely ? ['surely'] : []),
  ].join(' ');

/** The estimate that a gate is about, or the reason why there is none. */
const measureOf = (
  { measure, evaluator, k = 1 }: Gate,
  { passRate, score, passPower, evaluators, costUsd, durationMs, steps, skipped }: EvalSummary,
): Estimate | string => {
  const left = skipped.find((each) => each.evaluator === evaluator);
  if (left !== undefined) return `'${left.evaluator}' was not asked: ${left.reason}`;
  const of = evaluators.find(({ name }) => name === evaluator);
  if (evaluator !== undefined && of === undefined)
    return `there is no evaluator '${evaluator}': there are ${evaluators.map(({ name }) => name).join(', ') || 'none'}`;
  switch (measure) {
    case 'passRate':
      return (of?.passRate ?? passRate) || 'there is no run';
    case 'score':
      return (of === undefined ? score : of.score) ?? 'there is no run';
    case 'passPower':
      return passPower[k - 1] ?? `cases have fewer than ${k} runs: give \`tries: ${k}\``;
    case 'kappa':
      return (
        of?.agreement?.kappa ??
        (of?.agreement === undefined
          ? 'there are no labels of people'
          : 'it is unknown, as all verdicts of both are the same')
      );
    case 'costUsd':
      return costUsd ?? 'the price of a run is not known';
    case 'durationMs':
      return durationMs ?? 'there is no run';
    case 'steps':
      return steps ?? 'there is no run';
  }
};
