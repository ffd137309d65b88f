/** A border of a model that a guard watches: what it is sent, what it answers, and what goes into its tools and comes back. */
export type GuardPlace = 'input' | 'output' | 'tool.input' | 'tool.output';

/** The places, in the order in which a step passes them. */
export const guardPlaces: readonly GuardPlace[] = ['input', 'output', 'tool.input', 'tool.output'];

/** The verdict on a text: `redact` and `replace` put `text` in its place, which `redact` may leave out. */
export interface GuardVerdict {
  readonly action: 'block' | 'redact' | 'replace' | 'ask';
  /** On record, and what a person reads: it must not quote the text. Up to 200 characters. */
  readonly reason: string;
  /** The text to use. Default of `redact`: `[redacted NAME]` as a whole. */
  readonly text?: string | undefined;
}

/** The place of a text. */
export interface GuardUse {
  readonly place: GuardPlace;
  /** The tool, of a text that goes into one or comes back. */
  readonly tool?: string | undefined;
  /** The name of the agent; absent outside a run. */
  readonly agent?: string | undefined;
  readonly runId?: string | undefined;
  /** The key of the effect that the text is a part of: equal for the same call after a crash. */
  readonly key: string;
  /** Aborted when the verdict is no longer needed, or past its time. */
  readonly signal: AbortSignal;
}

/**
 * Judges the texts that pass a border of a model; see `guardrails`.
 *
 * It fails closed: one that throws, takes longer than its time, or returns anything but a verdict or undefined, blocks the text.
 *
 * @example
 * const polite: Guard = {
 *   name: 'polite',
 *   on: ['output'],
 *   check: (text) => (/\bdamn\b/i.test(text) ? { action: 'block', reason: 'a swear word' } : undefined),
 * };
 */
export interface Guard {
  /** Stands in events and errors. */
  readonly name: string;
  readonly on: readonly GuardPlace[];
  /** Returns undefined for a text that may pass. The text of a value is its texts and numbers, a line for each. */
  check(
    text: string,
    use: GuardUse,
  ): GuardVerdict | undefined | void | Promise<GuardVerdict | undefined | void>;
  /**
   * The time of its verdict on an input. `before` the model is asked, or in `parallel`: then the answer is held until it has passed, and a
   * verdict that would change the input blocks it. Default `before`.
   */
  readonly timing?: 'before' | 'parallel' | undefined;
  /** In ms. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * True if its verdict on a text is that on each sentence of it: answers are then shown sentence by sentence, if all guards of the output
   * say so. Default false: an answer is held until it is whole.
   */
  readonly bySentence?: boolean | undefined;
}
