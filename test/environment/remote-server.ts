import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { serveEnvironment } from '../../src/tools/environments/serve-environment.ts';

/** Serves environments on the loopback interface, with a token. */
export const serveRemotely = async (
  make: () => Environment,
  options: Partial<Parameters<typeof serveEnvironment>[1]> = {},
): Promise<Served> => {
  const handler = serveEnvironment(make, {
    authorize: (request) => request.headers.get('authorization') === TOKEN,
    ...options,
  });
  const { origin, close } = await listening((request, response) => {
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    void buffer(request).then(async (body) => {
      const { method = '', url = '' } = request;
      const headers = { authorization: request.headers.authorization ?? '' };
      const answer = await handler(
        new Request(new URL(url, origin), {
          method,
          headers,
          signal: abort.signal,
          ...(method === 'POST' ? { body } : {}),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  });
  return { url: `${origin}/env/`, close };
};

export const TOKEN = 'Bearer open sesame';

/** Serves one page on the loopback interface, and says of all others that they are not there. */
export const servePage = async (page: string): Promise<Served> => {
  const { origin, close } = await listening((request, response) => {
    response.statusCode = request.url === '/notes' ? 200 : 404;
    response.end(request.url === '/notes' ? page : 'nothing');
  });
  return { url: `${origin}/notes`, close };
};

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Listens on the loopback interface. */
export const listening = async (
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
