import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { Reply } from './round.ts';
import type { TeamEnd } from './team-context.ts';

/** The end of a team that has its answer. */
export const answeredWith = (output: Json): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
});

/** The end of a team that fails with an error. */
export const failedWith = (error: ErrorData): TeamEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error,
});

/** The end of a team that a rule of its own stopped, with what there is so far as the candidate. */
export const stoppedBy = (rule: string, detail: string, candidate?: Json): TeamEnd => ({
  status: 'stopped',
  stopReason: { kind: 'rule', rule, detail },
  ...(candidate === undefined ? {} : { candidate }),
});

/** The end of a team that ends as one of its members did, without what that one had. */
export const endedAs = ({
  status,
  stopReason,
  error,
}: Pick<Reply, 'status' | 'stopReason' | 'error'>): TeamEnd => ({
  status,
  stopReason,
  ...(error === null ? {} : { error }),
});
