/** The goals of suggestions. */
export const targets = ['latency', 'cost', 'accuracy'] as const;

/** A goal: the time of runs, their cost, or the share of them that ends well. */
export type Target = (typeof targets)[number];

/** The kinds of suggestions. */
export type SuggestionType =
  | 'cache'
  | 'cacheable-tool'
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
 * for (const { type, agent, description, proven } of await suggestions(store, { target: 'cost', unproven: true }))
 *   console.log(proven ? `proven by ${proven.by}` : 'not proven', type, agent, description);
 */
export interface Suggestion {
  readonly type: SuggestionType;
  /** The name of the agent or team. */
  readonly agent: string;
  /** The model, as `provider:id`, where it is about one. */
  readonly model?: string | undefined;
  /** The tool, where it is about one. */
  readonly tool?: string | undefined;
  /** One sentence: what was found, and what to do. */
  readonly description: string;
  readonly expected: ExpectedGain;
  readonly evidence: Evidence;
  /** False where it is not proven. */
  readonly proven: Proof | false;
  /** The proof in words; of a suggestion that is not proven, the assumption of its gain, and the reason why it is not. */
  readonly basis: string;
}

/** The proof of a suggestion on recorded runs. */
export interface Proof {
  /**
   * `recount`: the inefficiency is counted from complete records; what a model does after the change is not proven. `replay`: counted, too, and
   * the runs with the change are these runs, as nothing would be asked that is not on record. `forks`: the change was tried on forks of recorded
   * runs, of which each ended as it should, and all together took less.
   */
  readonly by: 'recount' | 'replay' | 'forks';
  /** The number of runs that were counted, or forked. */
  readonly runs: number;
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
