import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { timeLimit } from '../../base/promises/time-limit.ts';
import { readText } from '../../base/text/read-text.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';

/** Asks a method of a remote environment, and returns its value as the schema has it. */
export type RemoteCall = <T>(
  method: string,
  params: { readonly [key: string]: Json | undefined },
  schema: z.ZodType<T>,
  limits?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number },
) => Promise<T>;

/** The server that is asked. */
export interface RemotePlace {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Larger answers are refused, in bytes. */
const MAX_ANSWER = 10_000_000;

/** Characters of an error of the server. */
const MAX_MESSAGE = 2_000;

/** Errors that a server may answer with: all others are about what is not its own. */
const codes = z
  .enum(['tool.failed', 'tool.denied', 'tool.timeout', 'tool.cancelled', 'environment.unfit'])
  .catch('tool.failed');

const replySchema = z.union([
  z.object({ ok: z.literal(true), value: z.unknown().optional() }),
  z.object({ ok: z.literal(false), error: z.object({ code: codes, message: z.string() }) }),
]);

/**
 * Makes the function that asks a remote environment. Everything that can go wrong with the server is an error of ours.
 *
 * It rejects with `tool.timeout` for an answer that is late, `tool.cancelled` after an abort, and `tool.failed` for a server that cannot be
 * reached, that redirects, or whose answer is too long or invalid.
 */
export const remoteCaller = ({ name, url, headers, fetch = globalThis.fetch }: RemotePlace): RemoteCall => {
  const base = url.replace(/\/$/, '');
  return async (method, params, schema, { signal, timeoutMs = 60_000 } = {}) => {
    const error = (
      code: 'tool.failed' | 'tool.timeout' | 'tool.cancelled',
      reason: string,
      status?: number,
    ) =>
      new TroupeError(code, `Cannot ask the environment '${name}' for '${method}' as ${reason}`, { status });
    const timeout = timeLimit(timeoutMs);
    const post = async (): Promise<{ readonly status: number; readonly text: string }> => {
      const response = await fetch(`${base}/${method}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(params),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        // The headers are meant for this server alone.
        redirect: 'error',
      });
      return { status: response.status, text: await readText(response.body, MAX_ANSWER) };
    };
    const { status, text } = await post().catch((thrown: unknown) => {
      if (signal?.aborted === true) throw error('tool.cancelled', 'it was cancelled');
      if (timeout.aborted) throw error('tool.timeout', `it did not answer within ${timeoutMs} ms`);
      throw error('tool.failed', `its answer cannot be had: ${reasonOf(thrown)}`);
    });
    try {
      const reply = replySchema.parse(JSON.parse(text));
      if (reply.ok) return schema.parse(reply.value ?? null);
      throw new TroupeError(reply.error.code, reply.error.message.slice(0, MAX_MESSAGE));
    } catch (thrown) {
      if (isTroupeError(thrown)) throw thrown;
      throw error(
        'tool.failed',
        `its response is invalid: status ${status}, ${text.length} characters`,
        status,
      );
    }
  };
};

/** A failed request says little; its cause says why. */
const reasonOf = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? `: ${messageOf(thrown.cause)}` : '';
  return `${messageOf(thrown)}${cause}`.slice(0, MAX_MESSAGE);
};
