import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a provider does with one request. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  /** Default: an event stream for 200, JSON otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after another; each is a write of its own, with a turn of the event loop after it. */
  readonly pieces?: readonly (string | Uint8Array)[];
  /** After the last piece: a clean end (default), a destroyed socket, or nothing at all, with comments on and on, as many as asked for. */
  readonly ending?: 'end' | 'reset' | 'stall' | 'comments';
}

/** One request as the provider saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // The tests look into it as they please: what a body may hold is what they check.
  readonly body: Readonly<Record<string, unknown>>;
}

export interface MockProvider extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Connections that the client has closed before the answer was complete. */
  readonly hungUp: () => number;
}

/**
 * A provider on loopback that gives out `replies` in order; past the last, everything is 418. With control over every
 * write, so that a stream can break anywhere.
 */
export const mockProvider = (...replies: readonly Reply[]): Promise<MockProvider> =>
  judgingProvider(
    (_, index) => replies[index] ?? { status: 418, pieces: ['{"error":{"message":"no reply left"}}'] },
  );

/** A provider on loopback that looks at each request before it replies. */
export const judgingProvider = async (
  replyTo: (request: SeenRequest, index: number) => Reply,
): Promise<MockProvider> => {
  const requests: SeenRequest[] = [];
  let hungUp = 0;
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (piece: Buffer) => body.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(body).toString();
      const seen: SeenRequest = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
      const reply = replyTo(seen, requests.length);
      requests.push(seen);
      response.on('close', () => {
        if (!response.writableFinished) hungUp += 1;
      });
      void send(response, reply);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hungUp: () => hungUp,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

const send = async (response: ServerResponse, reply: Reply): Promise<void> => {
  const { status = 200, pieces = [], ending = 'end' } = reply;
  response.socket?.setNoDelay(true);
  response.writeHead(status, {
    'content-type': status === 200 ? 'text/event-stream' : 'application/json',
    ...reply.headers,
  });
  response.flushHeaders();
  for (const piece of pieces) {
    response.write(piece);
    await turn();
  }
  if (ending === 'end') response.end();
  // What was written has to be on its way before the socket dies, or the client sees no stream at all.
  if (ending === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 2);
  if (ending === 'comments') {
    const timer = setInterval(() => response.write(': ping\n\n'), 1);
    response.on('close', () => clearInterval(timer));
  }
};

/** One server-sent event, as both vendors write them. */
export const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
