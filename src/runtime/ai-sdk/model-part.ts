/** Facts for an app that knows troupe, under its name, as the AI SDK has them of all providers. */
export type AgentFacts = { troupe: Record<string, string | number | boolean> };

/** A call that the agent made and answered itself. */
interface CallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** The arguments, as JSON text. */
  input: string;
  providerExecuted: true;
  dynamic: true;
}

interface ResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  result: string;
  isError: boolean;
  dynamic: true;
}

/** A part of a whole answer. */
export type AnswerPart = CallPart | ResultPart | { type: 'text' | 'reasoning'; text: string };

/** The run behind an answer: its id, the agent, and its start. */
export interface AnswerFacts {
  id: string;
  modelId: string;
  timestamp: Date;
}

/** A part of an answer that streams. */
export type StreamedPart =
  | CallPart
  | ResultPart
  | { type: 'stream-start'; warnings: ModelWarning[] }
  | ({ type: 'response-metadata' } & AnswerFacts)
  | { type: 'text-start' | 'reasoning-start'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'text-end' | 'reasoning-end'; id: string; providerMetadata?: AgentFacts }
  | { type: 'error'; error: unknown }
  | ({ type: 'finish' } & ModelFinish);

/** The end of a run, in the words of the AI SDK. */
export interface ModelFinish {
  finishReason: {
    unified: 'stop' | 'length' | 'content-filter' | 'error' | 'other';
    /** The kind of the run's stop reason. */
    raw: string;
  };
  usage: {
    inputTokens: {
      total: number | undefined;
      noCache: number | undefined;
      cacheRead: number | undefined;
      cacheWrite: undefined;
    };
    outputTokens: { total: number | undefined; text: undefined; reasoning: undefined };
  };
  providerMetadata: AgentFacts;
}

/** A whole answer. */
export interface ModelResult extends ModelFinish {
  content: AnswerPart[];
  warnings: ModelWarning[];
  response: Partial<AnswerFacts>;
}

/** A feature of a call that an agent does not take, and what to do instead. */
export interface ModelWarning {
  type: 'unsupported';
  feature: string;
  details: string;
}
