import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A WebSocket server on the loopback that only listens. */
export interface Receiver {
  readonly url: string;
  /** Every text message so far, parsed. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** Resolves as soon as `test` holds of the messages. */
  until(test: (messages: Receiver['messages']) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Opens a receiver on a free port: what an inspector's page would see, without a page. */
export const openReceiver = async (): Promise<Receiver> => {
  const messages: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${MAGIC}`)
      .digest('base64');
    socket.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accept}`,
        '',
        '',
      ].join('\r\n'),
    );
    let buffered: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let frame = readFrame(buffered); frame !== undefined; frame = readFrame(buffered)) {
        buffered = buffered.subarray(frame.length);
        if (frame.opcode === TEXT)
          messages.push(JSON.parse(frame.payload.toString()) as Record<string, unknown>);
        if (frame.opcode === CLOSE) socket.end();
      }
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    messages,
    until: (test) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!test(messages)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
};

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 1;
const CLOSE = 8;

/** The first whole frame of what has arrived. Clients mask what they send, and ours does not split messages. */
const readFrame = (
  data: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly length: number } | undefined => {
  if (data.length < 2) return undefined;
  const short = data.readUInt8(1) & 127;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + extra + 4;
  if (data.length < start) return undefined;
  const size = extra === 0 ? short : extra === 2 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  if (data.length < start + size) return undefined;
  const mask = data.subarray(start - 4, start);
  const payload = Buffer.from(data.subarray(start, start + size));
  for (const [index, byte] of payload.entries()) payload.writeUInt8(byte ^ (mask[index % 4] ?? 0), index);
  return { opcode: data.readUInt8(0) & 15, payload, length: start + size };
};
