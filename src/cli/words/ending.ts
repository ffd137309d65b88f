import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import { countOf, withThousands, lasting } from '../../base/text/number-words.ts';

/** Formats the totals of a run on one line. */
export const totalsLine = (totals: RunTotals): string =>
  [
    countOf(totals.steps, 'step'),
    countOf(totals.modelCalls, 'model call'),
    countOf(totals.toolCalls, 'tool call'),
    `${withThousands(totals.inputTokens + totals.outputTokens)} tokens`,
    ...(totals.retries > 0
      ? [totals.retries === 1 ? '1 retry' : `${withThousands(totals.retries)} retries`]
      : []),
    ...costOf(totals),
    lasting(totals.durationMs),
  ].join(' · ');

/** Empty if no paid model was asked. */
const costOf = ({ costUsd, billedUsd, modelCalls }: RunTotals): readonly string[] => {
  if (modelCalls === 0 || costUsd === 0) return [];
  const cost = costUsd === undefined ? 'cost unknown' : dollars(costUsd);
  if (billedUsd === undefined) return [cost];
  return [billedUsd === costUsd ? `${cost} billed` : `${cost}, of it ${dollars(billedUsd)} billed`];
};

const dollars = (usd: number): string => (usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`);
