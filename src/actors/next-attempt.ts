import type { ErrorData } from '../contracts/error.ts';
import type { ModelFailure } from '../contracts/model-failure.ts';
import type { Model } from '../contracts/model.ts';
import { decideModelRetry } from '../models/retry/retry-policy.ts';
import type { Desk } from './desk.ts';

/** Which attempt of which model this is, and what has gone before. */
export interface ModelAttempt {
  readonly model: number;
  readonly attempt: number;
  readonly waitedMs: number;
  readonly hasTriedMaybe: boolean;
  readonly nudge: string | null;
  /** The text to go on from. */
  readonly partial?: string | undefined;
  /** What went wrong before, where retries adapt to it; default what the agent remembers. */
  readonly failures?: readonly ModelFailure[] | undefined;
}

/** An attempt that came to nothing. */
export interface FailedAttempt {
  readonly error: ErrorData;
  /** The conversation was too long for it, and can be cut. */
  readonly isCut: boolean;
  readonly attempt: Pick<ModelAttempt, 'model' | 'attempt' | 'waitedMs' | 'hasTriedMaybe' | 'failures'>;
  readonly model: Model;
  readonly step: number;
  readonly key: string;
}

/** How it goes on. */
export interface NextAttempt {
  /** In ms; null where this model is not asked again. */
  readonly waitMs: number | null;
  readonly canFallBack: boolean;
  /** What an adaptive retry is to remember. */
  readonly remembered?: ModelFailure | undefined;
}

/** Decides whether the same model is asked again, and when, or the next one, and publishes what is given up. */
export const nextAttempt = (
  { error, isCut, attempt: made, model, step, key }: FailedAttempt,
  desk: Desk,
): NextAttempt => {
  const { attempt, waitedMs, hasTriedMaybe } = made;
  const canFallBack = made.model + 1 < desk.models.length;
  if (isCut) return { waitMs: 0, canFallBack };
  const isTooLong = error.code === 'model.context-overflow';
  // A provider that nobody may call now is waited for only where nobody else can answer.
  const isShut = error.code === 'resource.open' && canFallBack;
  const isSpent = isShut || (error.retryable === 'maybe' && (hasTriedMaybe || isTooLong));
  const remembered = isAdaptive(desk) ? { code: error.code, model: made.model, step } : undefined;
  const recent = remembered && { failure: remembered, failures: made.failures ?? [] };
  const progress = { attempt, waitedMs, random: desk.random(), recent };
  const retry = isSpent ? NO_RETRY : decideModelRetry(error, progress, desk.definition.retry);
  if (retry.retry) return { waitMs: retry.waitMs, canFallBack, remembered };
  if (desk.abort.isAborted) return { waitMs: null, canFallBack, remembered };
  desk.emit({ type: 'model.failed', model: nameOf(model), key, error });
  if (canFallBack) {
    const to = nameOf(desk.models[made.model + 1] ?? model);
    desk.emit({ type: 'model.fellBack', from: nameOf(model), to, error });
  }
  return { waitMs: null, canFallBack, remembered };
};

const isAdaptive = ({ definition: { retry } }: Desk): boolean => (retry?.adaptive ?? false) !== false;

const NO_RETRY = { retry: false } as const;

const nameOf = ({ provider, id }: Model): string => `${provider}:${id}`;
