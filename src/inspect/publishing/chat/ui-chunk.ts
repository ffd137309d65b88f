import { callKeyOf } from '../../../events/progress/open-work.ts';
import type { Json, JsonObject } from '../../../base/json/json.ts';

/** The speaker of a text or the caller of a tool, where it is not the root of the run. */
interface OfMember {
  readonly providerMetadata?: { readonly troupe: JsonObject } | undefined;
}

interface OfBlock<Type extends string> extends OfMember {
  readonly type: Type;
  readonly id: string;
}

interface OfCall<Type extends string> {
  readonly type: Type;
  readonly toolCallId: string;
}

interface OfNamedCall<Type extends string> extends OfCall<Type> {
  readonly toolName: string;
  readonly providerExecuted?: boolean | undefined;
  /** The agent that calls, where it is not the root of the run. */
  readonly toolMetadata?: JsonObject | undefined;
}

/** The reason why a message ends, in the words of the protocol. */
export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/**
 * A part of the UI message stream of the AI SDK, version 1, of the types that a run produces. Valid by the schemas of the
 * package `ai`, which is not needed here; `reset-step` and `tool-approval-response` are those of its major version 7.
 */
export type UiChunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata: JsonObject;
    }
  | { readonly type: 'start-step' }
  | { readonly type: 'reset-step' }
  | { readonly type: 'finish-step' }
  | OfBlock<'text-start'>
  | (OfBlock<'text-delta'> & { readonly delta: string })
  | OfBlock<'text-end'>
  | OfBlock<'reasoning-start'>
  | (OfBlock<'reasoning-delta'> & { readonly delta: string })
  | OfBlock<'reasoning-end'>
  | OfNamedCall<'tool-input-start'>
  | (OfCall<'tool-input-delta'> & { readonly inputTextDelta: string })
  | (OfNamedCall<'tool-input-available'> & { readonly input: Json })
  | (OfNamedCall<'tool-input-error'> & { readonly input: Json; readonly errorText: string })
  | (OfCall<'tool-approval-request'> & {
      readonly approvalId: string;
      readonly approvalDescriptor: JsonObject;
    })
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string | undefined;
    }
  | (OfCall<'tool-output-available'> & {
      readonly output: Json;
      readonly providerExecuted?: boolean | undefined;
    })
  | (OfCall<'tool-output-error'> & {
      readonly errorText: string;
      readonly providerExecuted?: boolean | undefined;
    })
  | OfCall<'tool-output-denied'>
  | {
      readonly type: `data-${string}`;
      readonly id?: string | undefined;
      readonly data: Json;
      /** True for what is shown once and not kept in the message. */
      readonly transient?: true | undefined;
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: JsonObject }
  | {
      readonly type: 'finish';
      readonly finishReason: UiFinishReason;
      readonly messageMetadata: JsonObject;
    }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string };

/** The id of a call in a chat: those of the runtime are unique within one agent of one run. */
export const uiCallId = (runId: string, path: string, callId: string): string =>
  callKeyOf({ runId, path, callId });
