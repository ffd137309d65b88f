/** A call of a language model by the AI SDK, as much of its specification (version 3) as is read here. Structural. */
export interface ModelCall {
  readonly prompt: readonly PromptMessage[];
  readonly responseFormat?: { readonly type: 'text' | 'json' } | undefined;
  readonly tools?: readonly { readonly name: string }[] | undefined;
  readonly toolChoice?: { readonly type: string } | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly includeRawChunks?: boolean | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly seed?: number | undefined;
}

/** A message of the prompt. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | UserMessage
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly content: readonly (ResultPart | ApprovalPart)[] };

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly (TextPart | FilePart)[];
}

export type AssistantPart = TextPart | FilePart | ReasoningPart | CallPart | ResultPart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface FilePart {
  readonly type: 'file';
  /** Bytes, base64, or an address. */
  readonly data: Uint8Array | string | URL;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

interface CallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

export interface ResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: {
    readonly type: string;
    readonly value?: unknown;
    readonly reason?: string | undefined;
  };
}

/** A person's answer to what an app's tool asked. */
interface ApprovalPart {
  readonly type: 'tool-approval-response';
}
