import type { ErrorData } from '../contracts/error.ts';
import { messageOf } from '../contracts/error.ts';
import type { History } from '../contracts/history.ts';
import { HistoryView } from '../contracts/history.ts';
import type { Turn } from '../contracts/transcript.ts';

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool'];

/** In JavaScript anything may stand in the history of a run: what is no turn is found before a provider refuses it. */
export const checkHistory = (history: History<Turn>, agent: string): readonly ErrorData[] => {
  if (history.length === 0) return [];
  const reasons = new HistoryView<unknown>(history).toArray().map(reasonAgainst);
  return reasons.flatMap((reason, index) =>
    reason === undefined
      ? []
      : [
          {
            code: 'input.invalid',
            message: `Cannot run '${agent}' as turn ${index + 1} of its history ${reason}`,
            retryable: 'no',
          },
        ],
  );
};

const reasonAgainst = (turn: unknown): string | undefined => {
  const { role, text, tool, callId } = isRecord(turn) ? turn : {};
  if (!ROLES.includes(role)) return `is of no role that there is: ${messageOf(role)}`;
  if (typeof text !== 'string') return `has no text: ${messageOf(text)}`;
  if (role === 'tool' && [tool, callId].some((name) => typeof name !== 'string' || name === ''))
    return `is of a tool without a name or a call: ${messageOf(tool)}`;
  return undefined;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
