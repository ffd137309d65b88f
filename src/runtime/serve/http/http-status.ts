import type { ErrorCode } from '../../../contracts/errors/error-data.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';

/** The HTTP status of each code that a caller can do something about; all others are failures of the server, 500. */
const byCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  'input.invalid': 400,
  'content.invalid': 400,
  'content.refused': 400,
  'message.invalid': 400,
  'thread.invalid': 400,
  'stream.invalid': 400,
  'task.invalid': 400,
  'request.forbidden': 403,
  'agent.unknown': 404,
  'content.missing': 404,
  'journal.unknown': 404,
  'journal.point-unknown': 404,
  'request.unknown': 404,
  'thread.unknown': 404,
  'journal.diverged': 409,
  'journal.exists': 409,
  'journal.held': 409,
  'message.refused': 409,
  'message.undelivered': 409,
  'request.answered': 409,
  'run.duplicate': 409,
  'run.ended': 409,
  'tool.missing': 409,
  'journal.moved': 410,
  'request.expired': 410,
  'content.too-large': 413,
  'engine.full': 429,
  'resource.busy': 429,
  'engine.invalid': 501,
  'engine.closed': 503,
  'journal.busy': 503,
  'journal.failed': 503,
  'journal.full': 503,
  'run.suspended': 503,
};

/** The HTTP status of an error: its own where the server refuses, else that of its code. */
export const statusOf = ({ code, status }: Pick<TroupeError, 'code' | 'status'>): number =>
  (code === 'server.refused' ? status : undefined) ?? byCode[code] ?? 500;
