import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { answerRemote } from '../../src/tools/environments/answer-remote.ts';

/** Serves an environment on the loopback interface. */
export const serveEnvironment = async (environment: Environment): Promise<Served> => {
  const { origin, close } = await listening((request, response) => {
    void text(request).then(async (body) => {
      const answer = await answerRemote(environment, request.url?.split('/').at(-1) ?? '', JSON.parse(body));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  return { url: `${origin}/env/`, close };
};

/** Serves one page on the loopback interface, and says of all others that they are not there. */
export const servePage = async (page: string): Promise<Served> => {
  const { origin, close } = await listening((request, response) => {
    response.statusCode = request.url === '/notes' ? 200 : 404;
    response.end(request.url === '/notes' ? page : 'nothing');
  });
  return { url: `${origin}/notes`, close };
};

interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const listening = async (
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
