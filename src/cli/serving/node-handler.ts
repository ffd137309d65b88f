import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** A handler of web standards. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Adapts a handler of web standards to Node's `http`: bodies are streamed both ways, and a client that hangs up aborts the request's
 * `signal`, and releases the response.
 */
export const nodeHandler =
  (handler: FetchHandler): RequestListener =>
  (incoming, outgoing) => {
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    // A client that hangs up breaks the pipeline.
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy());
  };

const answer = async (
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const left = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const request = requestOf(incoming, left.signal);
  if (request === undefined) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const response = await handler(request);
  // The rest of a body that was refused is not read.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, [...response.headers].flat());
  // Types of the platform and of Node name the same class twice.
  const body = response.body as NodeReadableStream<Uint8Array> | null;
  if (body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  incoming.socket.setNoDelay(true);
  await pipeline(Readable.fromWeb(body), outgoing);
};

/** The request as the web has it; undefined for one that it cannot have, as one without a valid host. */
const requestOf = (incoming: IncomingMessage, signal: AbortSignal): Request | undefined => {
  const { method = 'GET', headers, url = '/' } = incoming;
  const isEmpty = method === 'GET' || method === 'HEAD';
  try {
    const init: RequestInit = {
      method,
      signal,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] => {
        if (value === undefined || name.startsWith(':')) return [];
        return [[name, Array.isArray(value) ? value.join(', ') : value]];
      }),
    };
    const address = new URL(url, `http://${headers.host ?? ''}`);
    if (isEmpty) return new Request(address, init);
    // A body that is streamed is read while it is sent.
    const streamed = { ...init, body: bodyOf(incoming), duplex: 'half' as const };
    return new Request(address, streamed);
  } catch {
    return undefined;
  }
};

/**
 * The body of a request, read as fast as it is asked for. Not `Readable.toWeb`: cancelled, that closes the connection, and the refusal of a
 * body that is too long would never arrive.
 */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const end = (how: () => void): void => {
        if (isOver) return;
        isOver = true;
        how();
      };
      incoming.on('data', (chunk: Buffer) => {
        if (isOver) return;
        controller.enqueue(Uint8Array.from(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on('end', () => {
        end(() => {
          controller.close();
        });
      });
      incoming.on('close', () => {
        end(() => {
          controller.error(new Error('The connection closed before the body was whole'));
        });
      });
      incoming.pause();
    },
    pull: () => {
      incoming.resume();
    },
    cancel: () => {
      isOver = true;
      // The rest is dropped while the response is sent.
      incoming.resume();
    },
  });
};
