import type { Json } from '../../base/json/json.ts';
import type { MemoryBlock } from '../../contracts/conversations/memory.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Turn, UserTurn } from '../../contracts/conversations/transcript.ts';
import type { Cycle } from './agent-context.ts';

/** The turns that a step adds: the assistant's, directly followed by its results in call order, and a note. */
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

const resultTurn = ({ callId, tool, text, parts, whole, ok }: ToolResult): Turn => {
  const said = { role: 'tool', callId, tool, text } as const;
  const turn = ok ? said : { ...said, failed: true };
  const shown = parts === undefined ? turn : { ...turn, parts };
  return whole === undefined ? shown : { ...shown, whole };
};

/** A message as a turn. */
export const messageTurn = ({ from, text, parts, id, wantsReply }: Message): UserTurn => {
  const waits = wantsReply === true ? `(${from} waits for an answer to this: '${id ?? ''}')` : undefined;
  const turn = { role: 'user', from, text: waits === undefined ? text : `${text}\n\n${waits}` } as const;
  if (parts === undefined) return turn;
  return { ...turn, parts: waits === undefined ? parts : [...parts, { type: 'text', text: waits }] };
};

/** Recalled memories as turns; empty if there are none. */
export const recalledTurns = (memory: MemoryBlock | undefined): readonly UserTurn[] =>
  memory === undefined || memory.summary === ''
    ? []
    : [{ role: 'user', from: 'memory', text: memory.summary }];

/** An observation as a turn. */
export const observationTurn = (observation: Json): UserTurn => ({
  role: 'user',
  from: 'observation',
  text: textOf(observation),
});

/** A note of the runtime as a turn. */
export const runtimeSays = (text: string): UserTurn => ({ role: 'user', from: 'runtime', text });

/** A value as text. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
