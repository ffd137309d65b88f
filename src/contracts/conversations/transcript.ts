import type { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import type { GivenPart, MediaPart, Part } from '../content/part.ts';
import type { ToolCall } from '../tools/tool-call.ts';

/** A message to the model from a user, another agent or the runtime itself. */
export interface UserTurn<Shown extends GivenPart = Part> {
  readonly role: 'user';
  readonly text: string;
  /** All of its content, in order, if it is more than text; `text` then stands for it where only text fits. */
  readonly parts?: readonly Shown[] | undefined;
  /** The speaker, if it was not the user of the run: an agent's name, `'critic'`, `'runtime'`. */
  readonly from?: string | undefined;
  /** Origins of what it was written from, for `after` of policies; beside the results of tools in the conversation. Default: none. */
  readonly origins?: readonly string[] | undefined;
}

/** A message of the model. */
export interface AssistantTurn<Shown extends GivenPart = Part> {
  readonly role: 'assistant';
  readonly text: string;
  /** The media that the model made, if any; `text` stands for them, too. */
  readonly parts?: readonly Shown[] | undefined;
  /** All of a text that was too long for the conversation, in the run's blob store. */
  readonly whole?: MediaPart | undefined;
  /** Its thoughts, if the provider shows them. */
  readonly reasoning?: string | undefined;
  /** The calls of tools that it asks for. */
  readonly calls?: readonly ToolCall[] | undefined;
  /** Blocks that the provider needs back verbatim (thinking with its signature …); opaque to all others. */
  readonly replay?: Replay | undefined;
  /** Origins of what it was written from, for `after` of policies; beside the results of tools in the conversation. Default: none. */
  readonly origins?: readonly string[] | undefined;
}

/** Provider-made content that only that provider reads back. */
export interface Replay {
  readonly provider: string;
  readonly content: Json;
}

/** A tool's result; it directly follows the assistant turn that called it, in call order. */
export interface ToolTurn<Shown extends GivenPart = Part> {
  readonly role: 'tool';
  /** The call that it answers. */
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  /** All of its content, in order, if it is more than text; `text` then stands for it where only text fits. */
  readonly parts?: readonly Shown[] | undefined;
  /** All of a text that was too long for the conversation, in the run's blob store; `read_result` reads it by its name. */
  readonly whole?: MediaPart | undefined;
  /** True for a call that failed. */
  readonly failed?: boolean | undefined;
}

/** One entry of the conversation that a model is shown; of `GivenPart` it may have the bytes of its media in it. */
export type Turn<Shown extends GivenPart = Part> = UserTurn<Shown> | AssistantTurn<Shown> | ToolTurn<Shown>;

/** The conversation so far, read without copying. */
export type Transcript = HistoryView<Turn>;
