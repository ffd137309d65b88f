/** A handler of web standards. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** The part of a request of Node's `http`, or of Express, that is used here: without Node's types it fits in pages and workers, too. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The whole address, where Express has cut `url`. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly complete: boolean;
  readonly readableEnded: boolean;
  /** A body that was read before, as `express.json()` leaves it. */
  readonly body?: unknown;
  readonly socket: { readonly encrypted?: boolean | undefined; setNoDelay(isOn: boolean): unknown };
  on(event: string, listener: (given: Uint8Array) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The part of a response of Node's `http` that is used here. */
export interface NodeResponse {
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: string[]): unknown;
  flushHeaders(): void;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: string, listener: () => void): unknown;
}

/** A listener of Node's `http`, and middleware of Express. */
export type NodeListener = (incoming: NodeRequest, outgoing: NodeResponse) => void;

/**
 * Adapts a handler of web standards to Node's `http` and Express: bodies are streamed both ways, each as fast as it is taken, and a client
 * that hangs up aborts the request's `signal` and releases the response. A body that is refused is not read to its end, and the refusal
 * arrives.
 */
export const nodeListener =
  (handler: FetchHandler): NodeListener =>
  (incoming, outgoing) => {
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy());
  };

const answer = async (
  handler: FetchHandler,
  incoming: NodeRequest,
  outgoing: NodeResponse,
): Promise<void> => {
  const left = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const request = requestOf(incoming, left.signal);
  if (request === undefined) {
    outgoing.writeHead(400, ['connection', 'close']);
    outgoing.end();
    return;
  }
  const response = await handler(request);
  // The rest of a body that was refused is not read.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body !== null) {
    outgoing.flushHeaders();
    incoming.socket.setNoDelay(true);
    await send(response.body, outgoing, left.signal);
  }
  outgoing.end();
};

/** Sends a body as fast as the client reads it; one that is left is cancelled. */
const send = async (
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  left: AbortSignal,
): Promise<void> => {
  const reader = body.getReader();
  let drained: () => void = () => undefined;
  outgoing.on('drain', () => {
    drained();
  });
  left.addEventListener('abort', () => {
    drained();
    // It is not waited for, whatever its source says.
    reader.cancel().catch(() => undefined);
  });
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (left.aborted) return;
    const canTakeMore = outgoing.write(piece.value);
    if (canTakeMore) continue;
    await new Promise<void>((resolve) => {
      drained = resolve;
      if (left.aborted) resolve();
    });
  }
};

/** The request as the web has it; undefined for one that it cannot have, as one without a valid host. */
const requestOf = (incoming: NodeRequest, signal: AbortSignal): Request | undefined => {
  const { method = 'GET', headers, url = '/', originalUrl = url, socket } = incoming;
  const isEmpty = method === 'GET' || method === 'HEAD';
  try {
    const init: RequestInit = {
      method,
      signal,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] => {
        if (value === undefined || name.startsWith(':')) return [];
        return [[name, typeof value === 'string' ? value : value.join(', ')]];
      }),
    };
    const { host } = headers;
    const origin = `${socket.encrypted === true ? 'https' : 'http'}://${typeof host === 'string' ? host : ''}`;
    const address = new URL(originalUrl, origin);
    if (isEmpty) return new Request(address, init);
    const body = incoming.readableEnded ? readBody(incoming.body) : bodyOf(incoming);
    // A body that is streamed is read while it is sent.
    const streamed = { ...init, body, duplex: 'half' as const };
    return new Request(address, streamed);
  } catch {
    return undefined;
  }
};

/** A body that middleware has read: as it stands, or JSON. */
const readBody = (body: unknown): string => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));

/**
 * The body of a request, read as fast as it is asked for. Not Node's own conversion: cancelled, that closes the connection, and the refusal
 * of a body that is too long would never arrive.
 */
const bodyOf = (incoming: NodeRequest): ReadableStream<Uint8Array> => {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const end = (how: () => void): void => {
        if (isOver) return;
        isOver = true;
        how();
      };
      incoming.on('data', (chunk) => {
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
