import type { Caller } from '../serve-options.ts';
import { pastEvents } from '../watching.ts';
import { findOr } from './continue-answer.ts';
import { answerSoFar, findResponse } from './kept-response.ts';
import type { ResponseServing } from './response-serving.ts';
import type { ItemReference } from './responses-request.ts';
import type { ToldItem } from './wire-conversation.ts';
import { paramError } from './wire-error.ts';
import { readCallId, readMessageId, responseIdOf } from './wire-ids.ts';

/** Replaces references to items by what they are: clients that keep ids alone refer to what earlier responses said and called. */
export const resolveItems = async (
  serving: ResponseServing,
  caller: Caller,
  items: readonly (ToldItem | ItemReference)[],
): Promise<readonly ToldItem[]> => {
  const resolved: ToldItem[] = [];
  for (const item of items)
    resolved.push(...(item.kind === 'reference' ? await itemsAt(serving, caller, item.id) : [item]));
  return resolved;
};

const itemsAt = async (
  serving: ResponseServing,
  caller: Caller,
  id: string,
): Promise<readonly ToldItem[]> => {
  // The answer is an item of its own.
  if (id.startsWith('mcpr_')) return [];
  const callId = id.replace(/^fc/, 'call');
  const call = readCallId(callId);
  if (call !== undefined) {
    const found = await findOr(serving, call.runId, caller, () => unknownItem(id));
    for (const event of await pastEvents(serving, found))
      if (event.type === 'tool.requested' && event.callId === call.callId)
        return [
          { kind: 'assistant', text: '', calls: [{ id: callId, name: event.tool, input: event.input }] },
        ];
    throw unknownItem(id);
  }
  const message = readMessageId(id);
  if (message === undefined) throw unknownItem(id);
  const { answering } = await findResponse(serving, responseIdOf(message), caller, 'input');
  const { pieces } = await answerSoFar(serving, answering);
  const text = pieces.flatMap((piece) =>
    piece.type === 'said' && piece.block === message.block ? [piece.text] : [],
  );
  return text.map((said) => ({ kind: 'assistant', text: said, calls: [] }));
};

const unknownItem = (id: string) =>
  paramError('input', `there is no item of that id: send the item itself in place of the reference '${id}'`);
