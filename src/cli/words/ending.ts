import type { BudgetSpent } from '../../contracts/runs/budget.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { oneLine } from '../../base/text/printable.ts';
import { countOf, withThousands, lasting } from './number-words.ts';

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

/** Describes why a run ended without an answer; printable on one line. */
export const stopWords = (reason: StopReason, error: ErrorData | undefined): string =>
  oneLine(wordsOf(reason, error), 600);

const wordsOf = (reason: StopReason, error: ErrorData | undefined): string => {
  switch (reason.kind) {
    case 'answered':
      return 'it gave no answer';
    case 'handedOff':
      return `it handed the task to '${reason.to}', who is not there`;
    case 'rejected':
      return `its critics rejected ${countOf(reason.rejections, 'answer')}, the last one as follows: ${reason.note}`;
    case 'criticStopped':
      return `a critic stopped it: ${reason.note}`;
    case 'refused':
      return `the model refused: ${reason.text}`;
    case 'agentCondition':
      return reason.detail;
    case 'maxSteps':
      return `it reached its limit of ${countOf(reason.limit, 'step')}`;
    case 'budget':
      return `its budget is spent: ${budgetWords(reason)}`;
    case 'maxTime':
      return `it reached its time limit of ${lasting(reason.limitMs)}`;
    case 'maxTokens':
      return `it reached its limit of ${countOf(reason.limit, 'token')}`;
    case 'maxToolCalls':
      return `it reached its limit of ${countOf(reason.limit, 'tool call')}`;
    case 'maxRounds':
      return `it reached its limit of ${countOf(reason.limit, 'round')}`;
    case 'loop':
      return `it was in a loop: the same ${reason.period === 1 ? 'step' : countOf(reason.period, 'step')}, ${reason.repeats} times in a row (${reason.tools.join(', ')})`;
    case 'stagnation':
      return `nothing changed for ${countOf(reason.steps, 'step')}`;
    case 'softCap':
      return reason.detail;
    case 'unresolved':
      return `its answer was sent back ${countOf(reason.times, 'time')}, the last time as follows: ${reason.note}`;
    case 'rule':
      return reason.detail;
    case 'aborted':
      return reason.reason;
    case 'failed':
      return error?.message ?? 'it failed';
    default:
      return 'it stopped for an unknown reason';
  }
};

const budgetWords = ({ budget, limit }: BudgetSpent): string => {
  switch (budget) {
    case 'steps':
      return countOf(limit, 'step');
    case 'timeMs':
      return lasting(limit);
    case 'tokens':
      return countOf(limit, 'token');
    case 'usd':
      return `$${limit}`;
    case 'toolCalls':
      return countOf(limit, 'tool call');
  }
};
