import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, openInspector, portOf } from './local-kit.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const connectTo = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

describe('the server of the inspector', () => {
  test('[FIND-56] idle connections without the token lock out nobody who has it', async () => {
    const inspector = await openInspector();
    const port = portOf(inspector);
    const idle: Socket[] = [];
    for (let count = 0; count < 300; count += 1) {
      const socket = await connectTo(port);
      // Half of them begin a request that never ends.
      if (count % 2 === 0) socket.write('GET / HTTP/1.1\r\nX-Slow: ');
      idle.push(socket);
    }
    const first = idle[0];
    // The oldest made room, without the time that a request may take being over.
    if (first?.closed === false) await once(first, 'close');
    const { status } = await ask(port, `/?token=${inspector.token}`);
    expect(status).toBe(200);
  });

  test('[FIND-56] a connection that has shown the token is not given up for those that have not', async () => {
    const inspector = await openInspector();
    const port = portOf(inspector);
    const known = await connectTo(port);
    known.write(
      `GET /api/recording HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${inspector.token}\r\n\r\n`,
    );
    await once(known, 'data');
    for (let count = 0; count < 200; count += 1) await connectTo(port);
    expect((await ask(port, `/?token=${inspector.token}`)).status).toBe(200);
    expect(known.closed).toBe(false);
  });

  test.each([
    ['a list', (deep: number) => '['.repeat(deep) + ']'.repeat(deep)],
    ['an object', (deep: number) => '{"a":'.repeat(deep) + '1' + '}'.repeat(deep)],
    [
      'the input of a command',
      (deep: number) => `{"do":"approve","run":"r","id":"x","input":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    ],
    ['a list that never closes', (deep: number) => '['.repeat(deep)],
  ])('[FIND-56] a body that is too deep is the fault of who sends it: %s', async (_, body) => {
    const inspector = await openInspector({ control: true });
    for (const deep of [101, 3_000, 20_000]) {
      const { status, text } = await ask(portOf(inspector), '/api/control', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${inspector.token}` },
        body: body(deep),
      });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'input.invalid' } });
    }
  });
});
