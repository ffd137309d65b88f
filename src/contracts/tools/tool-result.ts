import type { GivenPart, MediaPart, Part } from '../content/part.ts';
import type { EnvironmentOutcome } from '../environments/environment-step.ts';
import type { BeforeEnd, ChildTerms } from './delegation.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { Turn } from '../conversations/transcript.ts';

/** A result in two languages: `text` and `parts` for the model, `value` and `artifacts` for the program. */
export interface DualResult {
  readonly text: string;
  /** Images, audio, files and data for the model, after the text. */
  readonly parts?: readonly GivenPart[] | undefined;
  readonly value?: unknown;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly control?: Control | undefined;
}

/** A tool's product that is too large, or unsuitable, for the model to see. */
export interface Artifact {
  readonly name: string;
  readonly mediaType: string;
  /** Text, or base64 if `encoding` says so. */
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64' | undefined;
}

/** A control tool's effect on the run, applied once its whole batch is done and only if it succeeded. */
export type Control =
  | { readonly type: 'complete'; readonly answer: Json; readonly summary?: string | undefined }
  | { readonly type: 'handoff'; readonly to: string; readonly message?: string | undefined }
  /** Delegates work: the run continues, and the result comes back as a message. */
  | ({
      readonly type: 'delegate';
      readonly id: string;
      readonly to: string;
      readonly task: string;
      /** Id of earlier work to be continued. */
      readonly follows?: string | undefined;
      readonly beforeEnd: BeforeEnd;
      /** Time that a waiting agent waits for further results after the first, in ms. */
      readonly gatherMs: number;
    } & Omit<ChildTerms, 'history'>)
  /** Delegated work is done, and can be continued. */
  | {
      readonly type: 'delegated';
      readonly id: string;
      readonly to: string;
      readonly conversation: readonly Turn[];
    }
  | { readonly type: 'callOff'; readonly id: string }
  /** Waits until a result comes back. */
  | { readonly type: 'await' };

/** The level that refused or failed. */
export type ToolErrorKind =
  | 'validation'
  | 'execution'
  | 'system'
  | 'timeout'
  | 'denied'
  | 'unknown'
  | 'cancelled';

interface ToolResultBase {
  readonly callId: string;
  readonly tool: string;
  /** Shown to the model; never empty. */
  readonly text: string;
  /** All that the model is shown, in order, if it is more than text. */
  readonly parts?: readonly Part[] | undefined;
  /** All of a text that was too long for the conversation, in the run's blob store; `text` is its beginning and its end. */
  readonly whole?: MediaPart | undefined;
  /** In ms, by the run's clock. */
  readonly durationMs: number;
  readonly attempts: number;
  /** The effective input, if a person changed it on approval. */
  readonly input?: Json | undefined;
  /** Answered from an equal call of this run: the tool did not run. */
  readonly cached?: boolean | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
  /** The environment's reaction to the call. */
  readonly environment?: EnvironmentOutcome | undefined;
}

/** The result of a call; failures are data for the next decision, they never end a run by themselves. */
export type ToolResult = ToolSuccess | ToolFailure;

/** A call that worked. */
export interface ToolSuccess extends ToolResultBase {
  readonly ok: true;
  readonly value: Json;
  readonly control?: Control | undefined;
}

/** A call that did not. */
export interface ToolFailure extends ToolResultBase {
  readonly ok: false;
  readonly kind: ToolErrorKind;
  readonly error: ErrorData;
}
