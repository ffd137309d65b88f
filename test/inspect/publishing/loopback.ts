import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** Serves web responses on a free port of the loopback, over real HTTP. */
export const serveLoopback = async (
  answer: (request: Request) => Response | Promise<Response>,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body: Buffer[] = [];
      for await (const chunk of incoming) body.push(chunk as Buffer);
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const init = { method: incoming.method ?? 'GET', headers };
      const request = new Request(
        `http://127.0.0.1${incoming.url ?? '/'}`,
        body.length === 0 ? init : { ...init, body: Buffer.concat(body) },
      );
      const response = await answer(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      // Types of the platform and of Node name the same class twice.
      const web = response.body as NodeReadableStream<Uint8Array> | null;
      if (web === null) outgoing.end();
      else await pipeline(Readable.fromWeb(web), outgoing);
      // Whoever hangs up breaks the pipeline: that is what the tests are about.
    })().catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

/** What a stream of bytes says, as it comes. */
export const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  let text = '';
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read())
    text += decoder.decode(next.value, { stream: true });
  return text;
};
