/** The goals of suggestions. */
export const targets = ['latency', 'cost', 'accuracy'] as const;

/** A goal: the time of runs, their cost, or the share of them that ends well. */
export type Target = (typeof targets)[number];

/** The kinds of suggestions. */
export type SuggestionType =
  | 'cache'
  | 'faster-model'
  | 'smaller-model'
  | 'stronger-model'
  | 'prompt-prefix'
  | 'parallel-tools'
  | 'unused-tool'
  | 'unread-context'
  | 'futile-retry'
  | 'dead-branch';

/**
 * An inefficiency of recorded runs, and what removes it; see {@link suggestions}.
 *
 * @example
 * for (const { type, agent, description, proven } of await suggestions(store, { target: 'cost' }))
 *   console.log(proven ? 'proven' : 'expected', type, agent, description);
 */
export interface Suggestion {
  readonly type: SuggestionType;
  /** The name of the agent or team. */
  readonly agent: string;
  /** The model, as `provider:id`, where it is about one. */
  readonly model?: string | undefined;
  /** One sentence: what was found, and what to do. */
  readonly description: string;
  readonly expected: ExpectedGain;
  readonly evidence: Evidence;
  /** True if it was tried on recorded runs: counted from exact requests, or by forks with another model. */
  readonly proven: boolean;
  /** The trial, with its result; of one that is not proven, the assumption of its gain. */
  readonly basis: string;
}

/** The gain over all recorded runs together; absent where a suggestion does not change it, or it is not known. */
export interface ExpectedGain {
  /** In ms, of model and tool calls one after the other. */
  readonly latencyMs?: number | undefined;
  /** In US dollars. */
  readonly costUsd?: number | undefined;
  /** Input and output of models. */
  readonly tokens?: number | undefined;
  /** Model calls that are not made. */
  readonly modelCalls?: number | undefined;
  /** From 0 to 1: the part of the target's total that it is; for accuracy, the share of runs that are concerned. */
  readonly share: number;
}

/** The recorded facts behind a suggestion. */
export interface Evidence {
  /** Ids of runs that show it: the first ten. */
  readonly runs: readonly string[];
  /** The number of all of them. */
  readonly runCount: number;
  /** The number of times that it occurred, of all times that it might have. */
  readonly count: number;
  readonly of: number;
  /** Measured values by name; times in ms. */
  readonly measured: Readonly<Record<string, number>>;
}
