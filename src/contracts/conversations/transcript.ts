import type { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import type { MediaPart, Part } from '../content/part.ts';
import type { ToolCall } from '../tools/tool-call.ts';

/** A message to the model from a user, another agent or the runtime itself. */
export interface UserTurn {
  readonly role: 'user';
  readonly text: string;
  /** All of its content, in order, if it is more than text; `text` then stands for it where only text fits. */
  readonly parts?: readonly Part[] | undefined;
  /** The speaker, if it was not the user of the run: an agent's name, `'critic'`, `'runtime'`. */
  readonly from?: string | undefined;
}

/** A message of the model. */
export interface AssistantTurn {
  readonly role: 'assistant';
  readonly text: string;
  /** The media that the model made, if any; `text` stands for them, too. */
  readonly parts?: readonly Part[] | undefined;
  /** All of a text that was too long for the conversation, in the run's blob store. */
  readonly whole?: MediaPart | undefined;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly ToolCall[] | undefined;
  /** Blocks that the provider needs back verbatim (thinking with its signature …); opaque to all others. */
  readonly replay?: Replay | undefined;
}

/** Provider-made content that only that provider reads back. */
export interface Replay {
  readonly provider: string;
  readonly content: Json;
}

/** A tool's result; it directly follows the assistant turn that called it, in call order. */
export interface ToolTurn {
  readonly role: 'tool';
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  /** All of its content, in order, if it is more than text; `text` then stands for it where only text fits. */
  readonly parts?: readonly Part[] | undefined;
  /** All of a text that was too long for the conversation, in the run's blob store; `read_result` reads it by its name. */
  readonly whole?: MediaPart | undefined;
  readonly failed?: boolean | undefined;
}

/** One entry of the conversation that a model is shown. */
export type Turn = UserTurn | AssistantTurn | ToolTurn;

/** The conversation so far, read without copying. */
export type Transcript = HistoryView<Turn>;
