import type { BudgetSpent } from '../../contracts/runs/budget.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { several, lasting } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';

/** Describes why a run ended without an answer; printable on one line. Of a reason that another release wrote, at least the kind. */
export const stopWords = (
  reason: { readonly kind: StopReason['kind'] },
  error: { readonly message: string } | undefined,
): string => {
  try {
    // Only the kind of a recorded reason is validated.
    return oneLine(wordsOf(reason as StopReason, error), 600);
  } catch {
    return reason.kind;
  }
};

const wordsOf = (reason: StopReason, error: { readonly message: string } | undefined): string => {
  switch (reason.kind) {
    case 'answered':
      return 'it gave no answer';
    case 'handedOff':
      return `it handed the task to '${reason.to}', who is not there`;
    case 'rejected':
      return `its critics rejected ${several(reason.rejections, 'answer')}, the last one as follows: ${reason.note}`;
    case 'criticStopped':
      return `a critic stopped it: ${reason.note}`;
    case 'refused':
      return `the model refused: ${reason.text}`;
    case 'agentCondition':
      return reason.detail;
    case 'maxSteps':
      return `it reached its limit of ${several(reason.limit, 'step')}`;
    case 'budget':
      return reason.neededUsd === undefined || reason.used >= reason.limit
        ? `its budget is spent: ${budgetWords(reason)}`
        : `its budget is too small for the next call: ${budgetWords(reason)}, of which $${reason.used} are used, and the call's input alone costs $${reason.neededUsd}`;
    case 'maxTime':
      return `it reached its time limit of ${lasting(reason.limitMs)}`;
    case 'maxTokens':
      return `it reached its limit of ${several(reason.limit, 'token')}`;
    case 'maxToolCalls':
      return `it reached its limit of ${several(reason.limit, 'tool call')}`;
    case 'maxRounds':
      return `it reached its limit of ${several(reason.limit, 'round')}`;
    case 'loop':
      return `it was in a loop: ${loopWords(reason)}`;
    case 'stagnation':
      return `nothing changed for ${several(reason.steps, 'step')}`;
    case 'softCap':
      return reason.detail;
    case 'unresolved':
      return `its answer was sent back ${several(reason.times, 'time')}, the last time as follows: ${reason.note}`;
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

/** The steps that an agent repeats. */
interface Loop {
  readonly period: number;
  readonly repeats: number;
  readonly tools: readonly string[];
}

/** Describes a loop: `the same step, 3 times in a row (search)`. */
export const loopWords = ({ period, repeats, tools }: Loop): string =>
  `the same ${period === 1 ? 'step' : several(period, 'step')}, ${repeats} times in a row (${tools.join(', ')})`;

const budgetWords = ({ budget, limit }: BudgetSpent): string => {
  switch (budget) {
    case 'steps':
      return several(limit, 'step');
    case 'timeMs':
      return lasting(limit);
    case 'tokens':
      return several(limit, 'token');
    case 'usd':
      return `$${limit}`;
    case 'toolCalls':
      return several(limit, 'tool call');
  }
};
