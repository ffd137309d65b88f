import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Registration } from './registration.ts';

/** The header by which an inspector shows that it is the one that registered. */
export const SIGN_HEADER = 'x-troupe-sign';

/** A question to the inspector of another process. */
export interface ProcessQuestion {
  readonly path: string;
  /** JSON: a command. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time in ms within which the answer has to begin; undefined: as long as it takes. */
  readonly withinMs?: number | undefined;
}

/**
 * Asks the inspector of another process; resolves when its answer begins. It keeps this process alive no longer than others do.
 *
 * @throws (rejects with) {TroupeError} `inspector.failed` where nobody answers, or another server does.
 */
export const askProcess = (
  { port, token, sign, pid }: Registration,
  { path, body, signal, withinMs }: ProcessQuestion,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown): void => {
      asked.destroy();
      reject(new TroupeError('inspector.failed', `Cannot reach process ${pid} as ${reason}`, { cause }));
    };
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal,
      },
      (response) => {
        asked.setTimeout(0);
        response.on('error', () => undefined);
        if (isSigned(response, sign)) resolve(response);
        else fail('another server has its port');
      },
    );
    asked.on('socket', (socket) => socket.unref());
    if (withinMs !== undefined)
      asked.setTimeout(withinMs, () => {
        fail(`it has not answered within ${withinMs} ms`);
      });
    asked.on('error', (cause) => {
      fail('nobody answers', cause);
    });
    asked.end(body);
  });

const isSigned = ({ headers }: IncomingMessage, sign: string): boolean => {
  const [given, known] = [Buffer.from(String(headers[SIGN_HEADER] ?? '')), Buffer.from(sign)];
  return given.length === known.length && timingSafeEqual(given, known);
};

/** The body of an answer. @throws {TroupeError} `inspector.failed` for one that is longer, in bytes. */
export const bodyOf = async (response: IncomingMessage, most: number): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) {
      response.destroy();
      throw new TroupeError('inspector.failed', `Cannot read what another process says as it is too long`);
    }
    parts.push(part);
  }
  if (!response.complete)
    throw new TroupeError('inspector.failed', 'Cannot read what another process says as it was cut off');
  return Buffer.concat(parts);
};
