import type { JsonObject } from '../../base/json/json.ts';

/**
 * A language model of the AI SDK, as much of its specification (version 2, 3 or 4) as is used here.
 *
 * Structural, so that no package of the AI SDK is needed: whatever `@ai-sdk/openai`, `@ai-sdk/google` and their like
 * make is one.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** The vendor, and often its API: `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCall): PromiseLike<object>;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** The options of one call, as loosely as all versions of the specification have in common. */
export interface AiSdkCall {
  readonly prompt: readonly object[];
  readonly abortSignal?: AbortSignal;
}

/** An embedding model of the AI SDK, as much of its specification (version 2, 3 or 4) as is used here. Structural. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** The number of texts that it takes at once. */
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>;
  doEmbed(options: {
    values: string[];
    abortSignal?: AbortSignal;
    providerOptions?: VendorOptions;
    headers?: Readonly<Record<string, string>>;
  }): PromiseLike<{ readonly embeddings: readonly (readonly number[])[] }>;
}

/** A reranking model of the AI SDK, as much of its specification (version 3 or 4) as is used here. Structural. */
export interface AiSdkRerankingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: {
    query: string;
    documents: { readonly type: string; readonly values: readonly unknown[] };
    topN?: number;
    abortSignal?: AbortSignal;
    providerOptions?: VendorOptions;
    headers?: Record<string, string>;
  }): PromiseLike<{ readonly ranking: readonly { readonly index: number }[] }>;
}

/** A stream of parts: the reader's half of a `ReadableStream`. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Options, or facts, of vendors: an object for each, by the name that the vendor has in the AI SDK. */
export type VendorOptions = Record<string, JsonObject>;

/** Any part of a prompt may carry these. */
interface Tagged {
  providerOptions?: VendorOptions;
}

export type TextPart = Tagged & { type: 'text'; text: string };

/** A medium; its data are tagged from version 4 on. */
export type FilePart = Tagged & {
  type: 'file';
  mediaType: string;
  filename?: string;
  data: string | URL | { type: 'data'; data: string } | { type: 'url'; url: URL };
};

export type ToolCallPart = Tagged & {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: JsonObject;
};

export type ToolResultPart = Tagged & {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
};

/** The answer to a vendor's request for approval of a call that it would run. */
export interface ApprovalResponsePart {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** A part that the model made and gets back as it was: reasoning, files, and calls that its provider ran. */
export type ReplayedPart = Tagged & { type: string };

/** A message of the prompt. */
export type PromptMessage = Tagged &
  (
    | { role: 'system'; content: string }
    | { role: 'user'; content: (TextPart | FilePart)[] }
    | { role: 'assistant'; content: (TextPart | ToolCallPart | ReplayedPart)[] }
    | { role: 'tool'; content: (ToolResultPart | ApprovalResponsePart)[] }
  );

export type FunctionTool = Tagged & {
  type: 'function';
  name: string;
  description: string;
  inputSchema: JsonObject;
};

/** A tool that the vendor runs; version 2 calls its kind `provider-defined`. */
export interface ProviderTool {
  type: 'provider' | 'provider-defined';
  id: `${string}.${string}`;
  name: string;
  args: JsonObject;
}

export type AiSdkToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; toolName: string };

/** The options that are sent with one call. */
export interface CallOptions extends Tagged {
  prompt: PromptMessage[];
  abortSignal: AbortSignal;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stopSequences?: string[];
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseFormat?: { type: 'json'; schema: JsonObject; name: string };
  tools?: (FunctionTool | ProviderTool)[];
  toolChoice?: AiSdkToolChoice;
  headers?: Record<string, string>;
  /** Known to version 4 alone. */
  reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
}
