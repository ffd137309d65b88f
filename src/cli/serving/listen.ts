import type { Server } from 'node:http';
import { TroupeError } from '../../contracts/errors/error.ts';

/** Starts to listen; resolves with the address. @throws {TroupeError} `command.usage` */
export const listen = async (server: Server, host: string, port: number): Promise<string> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new TroupeError(
          'command.usage',
          `Cannot listen as ${host}, port ${port}, is not available: choose another --port`,
          { cause },
        ),
      );
    });
    server.listen({ port, host }, resolve);
  });
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
};

/** Ends a server, and its connections. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
