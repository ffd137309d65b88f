import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

type Answer = (request: Request) => Promise<Response>;

/** A server of this machine, until it is disposed of. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves what answers requests of the web's kind on a port of this machine, as an adapter of Node's own server does. */
export const serveOverHttp = async (answer: Answer): Promise<LocalServer> => {
  const server = createServer((incoming, outgoing) => {
    void respond(answer, incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const respond = async (
  answer: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  outgoing.once('close', () => {
    gone.abort();
  });
  const { status, headers, body } = await answer(await requestOf(incoming, gone.signal));
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) {
    outgoing.end();
    return;
  }
  const reader = body.getReader();
  gone.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) outgoing.write(piece.value);
  outgoing.end();
};

const requestOf = async (incoming: IncomingMessage, signal: AbortSignal): Promise<Request> => {
  const { method = 'GET', url = '/', headers } = incoming;
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const body = method === 'POST' ? await bodyOf(incoming) : null;
  return new Request(`http://${headers.host ?? '127.0.0.1'}${url}`, { method, headers: given, body, signal });
};

const bodyOf = async (incoming: Readable): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};
