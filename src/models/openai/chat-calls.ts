import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { JsonObject } from '../../base/json/json.ts';
import { type ChatFields, chatFields } from './chat-fields.ts';

/** Fields of a call that are read; all others are sent back unchanged. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);

type CallPiece = NonNullable<ChatCompletionChunk.Choice.Delta['tool_calls']>[number];

/** A call, as far as it has arrived. */
export interface CallDraft {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Additional fields of the provider. */
  readonly fields?: JsonObject | undefined;
}

/** Assembles parallel calls from pieces. */
export interface ChatCalls {
  /** Adds one piece and returns the index of its call; `name` only with its first piece. */
  take(piece: CallPiece): { readonly index: number; readonly name?: string; readonly text: string };
  list(): readonly CallDraft[];
}

/**
 * Collects the calls of one Chat Completions stream.
 *
 * By the specification a piece identifies its call by `index`. Servers that omit it, or send the same one for every
 * call, start a new call with a new id (or, without ids, a name): this keeps Mistral's and Gemini's parallel calls
 * apart.
 *
 * @example
 * const calls = chatCalls();
 * calls.take({ index: 0, id: 'a', function: { name: 'add', arguments: '{}' } }); // => { index: 0, name: 'add', text: '{}' }
 */
export const chatCalls = (): ChatCalls => {
  const drafts: { id: string; name: string; arguments: string; readonly beside: ChatFields }[] = [];
  const places = new Map<number, number>();

  const placeOf = (piece: CallPiece): number => {
    const index: unknown = piece.index;
    const place = typeof index === 'number' ? places.get(index) : drafts.length - 1;
    const known = place === undefined ? undefined : drafts[place];
    const id = wordOf(piece.id);
    const name = wordOf(piece.function?.name);
    const isOther =
      known === undefined ||
      (id === ''
        ? typeof index !== 'number' && name !== ''
        : known.id !== '' && id !== known.id && name !== '');
    if (!isOther && place !== undefined) return place;
    drafts.push({ id: '', name: '', arguments: '', beside: chatFields(KNOWN_FIELDS) });
    if (typeof index === 'number') places.set(index, drafts.length - 1);
    return drafts.length - 1;
  };

  return {
    list: () => drafts.map(({ beside, ...draft }) => ({ ...draft, fields: beside.all() })),
    take: (piece) => {
      const index = placeOf(piece);
      const draft = drafts[index];
      if (draft === undefined) throw new TypeError('a call without a place');
      const isFirst = draft.name === '';
      draft.id ||= wordOf(piece.id);
      // Some servers repeat the name in every piece, or send an empty one.
      draft.name ||= wordOf(piece.function?.name);
      const text = argumentText(piece.function?.arguments);
      draft.arguments += text;
      draft.beside.take(piece);
      return isFirst && draft.name !== '' ? { index, name: draft.name, text } : { index, text };
    },
  };
};

/** Reads an id or a name, which some servers send as a number; throws a {@link TypeError} for other types. */
const wordOf = (value: unknown): string => {
  if (value == null) return '';
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new TypeError(`an id or a name of a call is ${JSON.stringify(value)}`);
  return String(value);
};

/** Arguments should be text; some servers send them parsed. */
const argumentText = (value: unknown): string => {
  if (value == null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
