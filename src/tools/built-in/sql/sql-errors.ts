import { TroupeError } from '../../../contracts/errors/error.ts';

/** The error for a query that takes too long. */
export const lateQuery = (name: string, timeoutMs: number): TroupeError =>
  new TroupeError(
    'tool.timeout',
    `Cannot finish the query of ${name} as it takes longer than ${timeoutMs} ms: have it read less`,
    { retryable: 'no' },
  );

/** The error for a row that is longer than all rows may be. */
export const longRow = (name: string, maxBytes: number): TroupeError =>
  new TroupeError(
    'tool.failed',
    `Cannot give a row of ${name} as it is longer than ${maxBytes} bytes: select fewer columns, or parts of texts by substr()`,
    { retryable: 'no' },
  );

/** The error for a statement that a database refuses, as it would do more than read. */
export const deniedQuery = (name: string, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot query ${name} as ${reason}`, { retryable: 'no' });
