import type { TroupeError } from '../../contracts/errors/error.ts';

/**
 * Marks the failure of a run as a failed call in the terms of the AI SDK, which recognizes one by symbols: it retries
 * those that say so. The error stays a TroupeError, and printing it shows nothing of this.
 */
export const asCallError = (error: TroupeError, isRetryable: boolean): TroupeError => {
  const { status, retryAfterMs } = error;
  const facts: Readonly<Record<PropertyKey, unknown>> = {
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    isRetryable,
    url: 'troupe:run',
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) },
  };
  for (const key of Reflect.ownKeys(facts))
    Object.defineProperty(error, key, { value: Reflect.get(facts, key), configurable: true });
  return error;
};
