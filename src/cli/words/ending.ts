import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import { several, withThousands, lasting } from '../../base/text/number-words.ts';

/** Formats the totals of a run, each for itself. */
export const totalsParts = (totals: RunTotals): readonly string[] => [
  several(totals.steps, 'step'),
  several(totals.modelCalls, 'model call'),
  several(totals.toolCalls, 'tool call'),
  `${withThousands(totals.inputTokens + totals.outputTokens)} tokens`,
  ...(totals.retries > 0
    ? [totals.retries === 1 ? '1 retry' : `${withThousands(totals.retries)} retries`]
    : []),
  ...costOf(totals),
  lasting(totals.durationMs),
];

/** The totals of a run with its own duration: that of a fork counts from its fork, and on record from the start of the run that it was forked from. */
export const ownTotals = (totals: RunTotals, forkedAt: number | undefined, until: number): RunTotals =>
  forkedAt === undefined ? totals : { ...totals, durationMs: Math.max(0, until - forkedAt) };

/** Empty if no paid model was asked. */
const costOf = ({ costUsd, billedUsd, modelCalls }: RunTotals): readonly string[] => {
  if (modelCalls === 0 || costUsd === 0) return [];
  const cost = costUsd === undefined ? 'cost unknown' : dollars(costUsd);
  if (billedUsd === undefined) return [cost];
  return [billedUsd === costUsd ? `${cost} billed` : `${cost}, of it ${dollars(billedUsd)} billed`];
};

/** A sum as people read it: two digits of what is less than a cent, with the cents otherwise. */
export const dollars = (usd: number): string => {
  if (usd < 0.000_01) return usd === 0 ? '$0' : '< $0.00001';
  if (usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
};
