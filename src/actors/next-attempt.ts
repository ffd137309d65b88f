import type { ErrorData } from '../contracts/error.ts';
import type { Model } from '../contracts/model.ts';
import { decideModelRetry } from '../models/retry-policy.ts';
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
}

/** An attempt that came to nothing. */
export interface FailedAttempt {
  readonly error: ErrorData;
  /** The conversation was too long for it, and can be cut. */
  readonly isCut: boolean;
  readonly attempt: Pick<ModelAttempt, 'model' | 'attempt' | 'waitedMs' | 'hasTriedMaybe'>;
  readonly model: Model;
  readonly key: string;
}

/** Whether the same model is asked again, and when, or the next one; tells of what is given up. `waitMs` in ms, null for never. */
export const nextAttempt = (
  { error, isCut, attempt: made, model, key }: FailedAttempt,
  desk: Desk,
): { readonly waitMs: number | null; readonly canFallBack: boolean } => {
  const { attempt, waitedMs, hasTriedMaybe } = made;
  const canFallBack = made.model + 1 < desk.models.length;
  if (isCut) return { waitMs: 0, canFallBack };
  const isTooLong = error.code === 'model.context-overflow';
  const isSpent = error.retryable === 'maybe' && (hasTriedMaybe || isTooLong);
  const progress = { attempt, waitedMs, random: desk.random() };
  const retry = isSpent ? NO_RETRY : decideModelRetry(error, progress, desk.definition.retry);
  if (retry.retry) return { waitMs: retry.waitMs, canFallBack };
  if (desk.abort.isAborted) return { waitMs: null, canFallBack };
  desk.emit({ type: 'model.failed', model: nameOf(model), key, error });
  if (canFallBack) {
    const to = nameOf(desk.models[made.model + 1] ?? model);
    desk.emit({ type: 'model.fellBack', from: nameOf(model), to, error });
  }
  return { waitMs: null, canFallBack };
};

const NO_RETRY = { retry: false } as const;

const nameOf = ({ provider, id }: Model): string => `${provider}:${id}`;
