import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { Message } from '../wire/conversation.ts';

/** Demands of a provider on the ids that calls and results carry. */
export interface CallIdForm {
  /** Calls that this provider has made get the ids back that it gave them. */
  readonly provider: string;
  /** Required number of letters and digits of an id. Default: any id is accepted. */
  readonly length?: number | undefined;
}

/**
 * Assigns call ids for a provider: its own where it made the call, else ours, made unique within the conversation and
 * valid for the required form. The same conversation always gets the same ids, so that prompt caches hold.
 *
 * @example
 * withCallIds(conversation(messages), { provider: 'mistral', length: 9 })
 */
export const withCallIds = (messages: readonly Message[], ids: CallIdForm): readonly Message[] => {
  const used = new Set<string>();
  let open: ReadonlyMap<string, string> = new Map();
  return messages.map((message) => {
    if (message.role === 'user') {
      const results = message.results.map((result) => ({
        ...result,
        callId: open.get(result.callId) ?? result.callId,
      }));
      return { ...message, results };
    }
    const found = new Map<string, string>();
    const turns = message.turns.map((turn) => {
      if (turn.calls === undefined || turn.calls.length === 0) return turn;
      const calls = turn.calls.map((call) => {
        const id = callId(call, ids, used);
        used.add(id);
        found.set(call.id, id);
        return { ...call, id };
      });
      return { ...turn, calls };
    });
    open = found;
    return { ...message, turns };
  });
};

const callId = ({ id, origin }: ToolCall, ids: CallIdForm, used: ReadonlySet<string>): string => {
  const theirs = origin?.provider === ids.provider ? origin.id : undefined;
  const { length } = ids;
  const fits = (each: string): boolean =>
    !used.has(each) && (length === undefined || (each.length === length && /^[a-zA-Z0-9]+$/.test(each)));
  // A history may come from anywhere: an invalid id counts as missing.
  if (typeof theirs === 'string' && fits(theirs)) return theirs;
  if (length === undefined) return id;
  let made = digits(id, length);
  for (let salt = 1; used.has(made); salt += 1) made = digits(`${id}#${salt}`, length);
  return made;
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Derives letters and digits of a given length from a text: FNV-1a for each of them, stable across processes. */
const digits = (text: string, length: number): string => {
  let found = '';
  let value = 0x811c9dc5;
  while (found.length < length) {
    for (let index = 0; index < text.length; index += 1) {
      value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
    }
    value = Math.imul(value ^ found.length, 0x01000193);
    // The upper bits are the well mixed ones.
    found += ALPHABET[(value >>> 12) % ALPHABET.length];
  }
  return found;
};
