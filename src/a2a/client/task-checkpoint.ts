import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** The facts that a call needs to be executed again: the message that is under way, and its task. */
export interface TaskCheckpoint {
  /** The agent that the call is of. */
  readonly agent: string;
  /** The message that was sent last, or was about to be: sent again, it is the same. */
  readonly messageId: string;
  /** Number of answers of people before it. */
  readonly turn: number;
  /** The task; absent until the other party has named it. */
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
  /** The answer of a person, until the other party has it, and the request that it is for, where that has an id. */
  readonly answer?: string | undefined;
  readonly request?: string | undefined;
}

/** A checkpoint as JSON. */
export const checkpointJson = (checkpoint: TaskCheckpoint): Json =>
  Object.fromEntries(
    Object.entries(checkpoint).filter((field): field is [string, string | number] => field[1] !== undefined),
  );

/** The checkpoint of a call to an agent; undefined for any other value. */
export const checkpointIn = (value: Json | undefined, name: string): TaskCheckpoint | undefined => {
  if (!isJsonObject(value) || value['agent'] !== name) return undefined;
  const { messageId, turn } = value;
  if (typeof messageId !== 'string' || typeof turn !== 'number') return undefined;
  const text = (field: string): string | undefined => {
    const found = value[field];
    return typeof found === 'string' ? found : undefined;
  };
  return {
    agent: name,
    messageId,
    turn,
    taskId: text('taskId'),
    contextId: text('contextId'),
    answer: text('answer'),
    request: text('request'),
  };
};
