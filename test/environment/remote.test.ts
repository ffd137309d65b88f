import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';
import { remoteEnvironment } from '../../src/tools/environments/remote-environment.ts';
import { serveEnvironment } from './remote-server.ts';

const scope = { runId: 'r', path: 'a' };
const result = { callId: 'c', tool: 't', ok: true, text: 'x', value: 1, durationMs: 0, attempts: 1 } as const;

describe('[QITOS-37] an environment far away', () => {
  test('goes through the whole life as one that is here', async () => {
    const seen: unknown[] = [];
    const near: Environment = {
      name: 'near',
      ops: {},
      reset: (task) => ({ for: task?.objective ?? null }),
      observe: () => 'again',
      step: (action) => {
        seen.push(action);
        return { observation: 'moved', done: true, reward: 1 };
      },
      isTerminal: () => 'the end',
      close: () => void seen.push('close'),
      teardown: () => void seen.push('teardown'),
    };
    const server = await serveEnvironment(near);
    const session = new EnvironmentSession(remoteEnvironment({ url: server.url }), scope);
    expect(await session.open()).toEqual([]);
    expect(await session.observe()).toEqual({ for: null });
    const action = { callId: 'c', tool: 't', input: { a: 1 }, result };
    expect(await session.step(action)).toEqual({ observation: 'moved', done: true, reward: 1 });
    expect(await session.observe()).toBe('moved');
    expect(await session.observe()).toBe('again');
    expect(await session.end()).toEqual({ environment: 'remote', detail: 'the end' });
    await session.close();
    expect(seen).toEqual([action, 'close', 'teardown']);
    await server.close();
  });

  test.each(['', 'not json', '{"ok":true,"value":{"groups":7}}', '{"ok":"maybe"}', '[]'])(
    'that answers %j is a problem found before the first step',
    async (body) => {
      const server = createServer((_, response) => response.end(body));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const issues = await new EnvironmentSession(remoteEnvironment({ url }), scope).open();
      expect(issues).toMatchObject([{ code: 'environment.threw' }]);
      server.closeAllConnections();
      server.close();
    },
  );

  test('that is not there is a problem, not a crash', async () => {
    const issues = await new EnvironmentSession(
      remoteEnvironment({ url: 'http://127.0.0.1:9' }),
      scope,
    ).open();
    expect(issues).toMatchObject([{ code: 'environment.threw' }]);
  });
});
