import { reasonAgainstTurn } from '../../contracts/conversations/check-turn.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** Reports invalid turns in a run's history, which JavaScript callers may pass, before a provider refuses them. */
export const checkHistory = (history: History<Turn>, agent: string): readonly ErrorData[] =>
  history.length === 0 ? [] : historyProblems(new HistoryView<unknown>(history).toArray(), agent);

/** The problem of each invalid entry of a history. */
export const historyProblems = (history: unknown, agent: string): readonly ErrorData[] => {
  if (!Array.isArray(history)) return [problem(`Cannot run '${agent}' as its history is no list of turns`)];
  return history.flatMap((turn: unknown, index) => {
    const reason = reasonAgainstTurn(turn);
    return reason === undefined
      ? []
      : [problem(`Cannot run '${agent}' as turn ${index + 1} of its history ${reason}`)];
  });
};

const problem = (message: string): ErrorData => ({ code: 'input.invalid', message, retryable: 'no' });
