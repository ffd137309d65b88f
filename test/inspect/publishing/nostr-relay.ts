import Module, { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { RawData } from 'ws';
import { WebSocketServer } from 'ws';

/** The relay uses a package that it forgot to declare: the version of it that another of its packages brings is the one it means. */
const FORGOTTEN = '@noble/hashes/sha256';

const loadRelay = async () => {
  const loader = Module as unknown as {
    _resolveFilename(request: string, ...rest: readonly unknown[]): string;
  };
  const resolve = loader._resolveFilename.bind(loader);
  const brought = createRequire(createRequire(import.meta.url).resolve('@noble/curves/secp256k1')).resolve(
    FORGOTTEN,
  );
  loader._resolveFilename = (request, ...rest) => resolve(request === FORGOTTEN ? brought : request, ...rest);
  try {
    const [common, core, validator] = await Promise.all([
      import('@nostr-relay/common'),
      import('@nostr-relay/core'),
      import('@nostr-relay/validator'),
    ]);
    return { common, core, validator };
  } finally {
    loader._resolveFilename = resolve;
  }
};

/** Frames of text come in one piece. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString() : '');

/** Somebody else's relay on a free port of the loopback: it checks ids and signatures, and passes on to whoever subscribed. */
export const openRelay = async (
  port = 0,
): Promise<{ readonly url: string; readonly port: number; close(): Promise<void> }> => {
  const { common, core, validator } = await loadRelay();
  /** Keeps nothing: what is ephemeral is passed on and forgotten. */
  class Nothing extends common.EventRepository {
    isSearchSupported() {
      return false;
    }
    upsert() {
      return Promise.resolve({ isDuplicate: false });
    }
    find() {
      return Promise.resolve([]);
    }
    destroy() {
      return Promise.resolve();
    }
  }
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.on('listening', resolve));
  const relay = new core.NostrRelay(new Nothing());
  const checks = new validator.Validator();
  server.on('connection', (socket) => {
    relay.handleConnection(socket);
    socket.on('message', (data) => {
      void (async () => {
        try {
          await relay.handleMessage(socket, await checks.validateIncomingMessage(textOf(data)));
        } catch (error) {
          socket.send(JSON.stringify(['NOTICE', String(error)]));
        }
      })();
    });
    socket.on('close', () => {
      relay.handleDisconnect(socket);
    });
  });
  const { port: found } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${found}`,
    port: found,
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => {
          resolve();
        });
      }),
  };
};
