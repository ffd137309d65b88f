import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/contracts/environment.ts';
import { answerRemote } from '../../src/tools/environments/answer-remote.ts';

/** Serves an environment on the loopback interface. */
export const serveEnvironment = async (
  environment: Environment,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const answer = await answerRemote(environment, request.url?.split('/').at(-1) ?? '', JSON.parse(body));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/env/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
