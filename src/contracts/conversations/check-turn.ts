import { messageOf } from '../errors/error.ts';
import { isPartList } from '../content/part.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import { areOrigins } from '../tools/origins.ts';

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool'];

/**
 * Returns the reason why a value is not a valid conversation turn; undefined if it is one.
 *
 * The one definition of a valid turn: the option `history`, the first record of a journal and the lines of a thread are
 * checked by it alike, so that what a run accepts can be read back. Unknown fields belong to a provider and are kept.
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
  const { role, text, parts, whole, calls, tool, callId, origins = [] } = isRecord(turn) ? turn : {};
  if (role === 'system' || role === 'developer')
    return `has the role '${role}': text for the whole conversation belongs in the agent's \`instructions\``;
  if (!ROLES.includes(role)) return `has an unknown role: ${messageOf(role)}`;
  if (typeof text !== 'string')
    return `has no text: ${messageOf(text)}${'content' in Object(turn) ? ', write `text` in place of `content`' : ''}`;
  if (parts !== undefined && !isPartList(parts)) return `has parts that are none: ${messageOf(parts)}`;
  if (whole !== undefined && !isPartList([whole]))
    return `has a whole text that is no reference: ${messageOf(whole)}`;
  if (role === 'tool' && [tool, callId].some((name) => typeof name !== 'string' || name === ''))
    return `is a tool result without a name or a call: ${messageOf(tool)}`;
  if (!areOrigins(origins)) return `has origins that are none: ${messageOf(origins)}`;
  return (calls === undefined ? undefined : reasonAgainstCalls(calls)) ?? oddIn(turn);
};

const reasonAgainstCalls = (calls: unknown): string | undefined => {
  if (!Array.isArray(calls)) return `has calls that are not a list: ${messageOf(calls)}`;
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
  return odd === undefined ? undefined : `is not plain JSON: ${odd.found} at ${odd.at}`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
