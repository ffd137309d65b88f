import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import { classifyError, type ErrorContext } from '../retry/classify-error.ts';
import { UnsureSubmission } from './batch-service.ts';

/** Converts what a service of batches threw. */
export const typedError = (thrown: unknown, who: ErrorContext): TroupeError => {
  if (isTroupeError(thrown)) return thrown;
  const { code, message, cause: _cause, ...where } = classifyError(thrown, who);
  return new TroupeError(code, message, { ...where, cause: thrown });
};

/** Submits a batch, and says of a failure whether the batch may exist all the same: a refusal is certain, a broken connection is not. */
export const surely = async <Value>(submission: PromiseLike<Value>, who: ErrorContext): Promise<Value> => {
  try {
    return await submission;
  } catch (thrown) {
    const error = typedError(thrown, who);
    throw UNSURE.has(error.code) ? new UnsureSubmission(error.message, { cause: error }) : error;
  }
};

/** Failures after which the provider may have taken the request. */
const UNSURE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'model.network',
  'model.timeout',
  'model.unavailable',
  'model.malformed',
  'run.aborted',
]);

/** The error of a request that the batch's provider did not get to in its time. */
export const expiredError = (who: ErrorContext, batch: string): TroupeError =>
  new TroupeError('model.timeout', `Cannot get an answer from ${nameOf(who)} as its batch ${batch} expired`, {
    retryable: 'yes',
  });

/** The error of a request whose batch was cancelled by somebody else. */
export const cancelledError = (who: ErrorContext, batch: string): TroupeError =>
  new TroupeError(
    'model.failed',
    `Cannot get an answer from ${nameOf(who)} as its batch ${batch} was cancelled`,
  );

/** The error of a request that has waited too long. */
export const lateError = (who: ErrorContext, ms: number): TroupeError =>
  new TroupeError(
    'model.timeout',
    `Cannot wait longer for the batch of ${nameOf(who)} as it did not end in ${ms} ms`,
    {
      retryable: 'yes',
    },
  );

/** The error of a request that is in a batch whose other requests were refused. */
export const neighbourError = (who: ErrorContext, batch: string): TroupeError =>
  new TroupeError(
    'model.unavailable',
    `Cannot get an answer from ${nameOf(who)} as its batch ${batch} was refused for another request in it`,
    { retryable: 'yes' },
  );

/** The error of a store that does not put on record what is about to be submitted. */
export const unnotedError = (who: ErrorContext): TroupeError =>
  new TroupeError(
    'model.timeout',
    `Cannot submit a request to ${nameOf(who)} as the run's store does not answer`,
    {
      retryable: 'yes',
    },
  );

export const nameOf = ({ provider, model }: ErrorContext): string => `${provider}:${model}`;
