import type { Json } from '../contracts/json.ts';
import type { MemoryBlock } from '../contracts/memory.ts';
import type { Message } from '../contracts/message.ts';
import type { ToolResult } from '../contracts/tool.ts';
import type { Turn, UserTurn } from '../contracts/transcript.ts';
import type { Cycle } from './agent-context.ts';

/** What a step adds to the conversation: the assistant's turn, directly followed by its results in call order, and a note. */
export const turnsOfStep = (
  { turn, note, decision, plan }: Cycle,
  results: readonly ToolResult[],
): readonly Turn[] => {
  const notes = note === null ? [] : [runtimeSays(note)];
  if (turn !== null) return [turn, ...results.map(resultTurn), ...notes];
  if (plan !== null)
    return [{ role: 'assistant', text: '', calls: plan.calls }, ...results.map(resultTurn), ...notes];
  if (decision?.kind === 'answer') return [{ role: 'assistant', text: textOf(decision.answer) }];
  return [];
};

const resultTurn = (result: ToolResult): Turn =>
  result.ok
    ? { role: 'tool', callId: result.callId, tool: result.tool, text: result.text }
    : { role: 'tool', callId: result.callId, tool: result.tool, text: result.text, failed: true };

/** What somebody said, as the model hears it. */
export const messageTurn = ({ from, text, id, wantsReply }: Message): UserTurn => ({
  role: 'user',
  from,
  text: wantsReply === true ? `${text}\n\n(${from} waits for an answer to this: '${id ?? ''}')` : text,
});

/** What was recalled, as the model hears it; nothing where there was nothing. */
export const recalledTurns = (memory: MemoryBlock | undefined): readonly UserTurn[] =>
  memory === undefined || memory.summary === ''
    ? []
    : [{ role: 'user', from: 'memory', text: memory.summary }];

/** What was seen, as the model hears it. */
export const observationTurn = (observation: Json): UserTurn => ({
  role: 'user',
  from: 'observation',
  text: textOf(observation),
});

/** What the runtime has to say to the model. */
export const runtimeSays = (text: string): UserTurn => ({ role: 'user', from: 'runtime', text });

/** An answer in words. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
