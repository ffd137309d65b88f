import type { Json } from '../../base/json/json.ts';

/** The identity of a run for an AG-UI client. */
export interface AgUiNames {
  /** Default: the id of the run. */
  readonly threadId?: string | undefined;
  /** Default: the id of the run. */
  readonly runId?: string | undefined;
}

interface AgUiBase<Type extends string> {
  readonly type: Type;
  /** ms since 1970. */
  readonly timestamp: number;
}

interface OfMessage<Type extends string> extends AgUiBase<Type> {
  readonly messageId: string;
}

interface OfCall<Type extends string> extends AgUiBase<Type> {
  readonly toolCallId: string;
}

/**
 * An event of the AG-UI protocol, of the types that a run produces. Valid by the schemas of `@ag-ui/core`, which is not
 * needed here.
 */
export type AgUiEvent =
  | (AgUiBase<'RUN_STARTED'> & { readonly threadId: string; readonly runId: string })
  | (AgUiBase<'RUN_FINISHED'> & {
      readonly threadId: string;
      readonly runId: string;
      readonly result: Json;
      /** An interrupt, with what the run waits for. Default: it has ended. */
      readonly outcome?: Json | undefined;
    })
  | (AgUiBase<'RUN_ERROR'> & { readonly message: string; readonly code: string })
  | (AgUiBase<'STEP_STARTED'> & { readonly stepName: string })
  | (AgUiBase<'STEP_FINISHED'> & { readonly stepName: string })
  | (OfMessage<'TEXT_MESSAGE_START'> & { readonly role: 'assistant'; readonly name: string })
  | (OfMessage<'TEXT_MESSAGE_CONTENT'> & { readonly delta: string })
  | OfMessage<'TEXT_MESSAGE_END'>
  | OfMessage<'REASONING_START'>
  | (OfMessage<'REASONING_MESSAGE_START'> & { readonly role: 'reasoning' })
  | (OfMessage<'REASONING_MESSAGE_CONTENT'> & { readonly delta: string })
  | OfMessage<'REASONING_MESSAGE_END'>
  | OfMessage<'REASONING_END'>
  | (OfCall<'TOOL_CALL_START'> & { readonly toolCallName: string })
  | (OfCall<'TOOL_CALL_ARGS'> & { readonly delta: string })
  | OfCall<'TOOL_CALL_END'>
  | (OfMessage<'TOOL_CALL_RESULT'> & {
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
    })
  | (AgUiBase<'CUSTOM'> & { readonly name: string; readonly value: Json });

type WithoutTime<E> = E extends AgUiEvent ? Omit<E, 'timestamp'> : never;

/** An event before its time is set. */
export type AgUiDraft = WithoutTime<AgUiEvent>;
