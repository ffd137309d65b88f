import { messageOf } from './error.ts';
import { oddValueIn } from './odd-value.ts';

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool'];

/**
 * Says why something is no turn of a conversation; undefined where it is one.
 *
 * This is the one definition of what a turn may be: the option `history`, the first record of a journal and the lines of a thread are
 * held to it alike, so that what a run accepts can be read back. Fields that nobody knows are a provider's own, and kept as they are.
 *
 * @example
 * reasonAgainstTurn({ role: 'user', text: 'Hello' }) // => undefined
 * reasonAgainstTurn({ role: 'user' }) // => 'has no text: undefined'
 */
export const reasonAgainstTurn = (turn: unknown): string | undefined => {
  try {
    return reasonAgainst(turn);
  } catch (thrown) {
    return `cannot be read: ${messageOf(thrown)}`;
  }
};

const reasonAgainst = (turn: unknown): string | undefined => {
  const { role, text, calls, tool, callId } = isRecord(turn) ? turn : {};
  if (role === 'system' || role === 'developer')
    return `is of the role '${role}': what holds for the whole conversation goes into the agent's \`instructions\``;
  if (!ROLES.includes(role)) return `is of no role that there is: ${messageOf(role)}`;
  if (typeof text !== 'string') return `has no text: ${messageOf(text)}`;
  if (role === 'tool' && [tool, callId].some((name) => typeof name !== 'string' || name === ''))
    return `is of a tool without a name or a call: ${messageOf(tool)}`;
  return (calls === undefined ? undefined : reasonAgainstCalls(calls)) ?? oddIn(turn);
};

const reasonAgainstCalls = (calls: unknown): string | undefined => {
  if (!Array.isArray(calls)) return `has calls that are no list: ${messageOf(calls)}`;
  const index = calls.findIndex((call: unknown) => !isCall(call));
  return index < 0 ? undefined : `has a call without an id, a name or an input: ${messageOf(calls[index])}`;
};

const isCall = (call: unknown): boolean => {
  if (!isRecord(call)) return false;
  const { id, name, input } = call;
  return typeof id === 'string' && id !== '' && typeof name === 'string' && input !== undefined;
};

const oddIn = (turn: unknown): string | undefined => {
  const odd = oddValueIn(turn, 'turn');
  return odd === undefined ? undefined : `is no plain JSON: ${odd.found} at ${odd.at}`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
