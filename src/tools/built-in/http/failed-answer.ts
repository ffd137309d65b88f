import type { HttpResponse } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { classifyToolError } from '../../calls/classify-tool-error.ts';

/** Characters of a body that an error quotes. */
const MAX_QUOTED = 2_000;

/** The error for an answer whose status is no success, with as much of `text` as a model needs. */
export const failedAnswer = (name: string, { status, headers }: HttpResponse, text: string): TroupeError => {
  const body = text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
  const waitMs = Number(headers['retry-after'] ?? NaN) * 1_000;
  return new TroupeError(
    'tool.failed',
    `Cannot finish '${name}' as the server answered ${status}${body === '' ? '' : `: ${body}`}`,
    {
      status,
      // A redirect that was not followed leads nowhere the next time, either.
      retryable: status < 400 ? 'no' : classifyToolError({ status }),
      details: { status, body },
      ...(waitMs >= 0 && Number.isFinite(waitMs) ? { retryAfterMs: waitMs } : {}),
    },
  );
};
