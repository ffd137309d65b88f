import { TroupeError } from '../../../contracts/errors/error.ts';

/** The error of a request that the server refuses, whatever it asks for. */
export const refusal = (status: number, why: string, retryAfterMs?: number): TroupeError =>
  new TroupeError('server.refused', `Cannot answer the request as ${why}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs, retryable: 'yes' as const }),
  });
