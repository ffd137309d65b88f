import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';
import { remoteEnvironment } from '../../src/tools/environments/remote-environment.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { serveEnvironment } from '../../src/tools/environments/serve-environment.ts';
import { callUntyped } from '../support/call-untyped.ts';
import { codeOf } from './contract.ts';
import { listening, serveRemotely, TOKEN } from './remote-server.ts';

const headers = { authorization: TOKEN };
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
    const server = await serveRemotely(() => near);
    const session = new EnvironmentSession(remoteEnvironment({ url: server.url, headers }), scope);
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
      const server = await listening((_, response) => response.end(body));
      const environment = remoteEnvironment({ url: server.origin });
      const issues = await new EnvironmentSession(environment, scope).open();
      expect(issues).toMatchObject([{ code: 'environment.threw' }]);
      await server.close();
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

/** Answers a setup as a server does, and everything else as `rest` does. */
const hostile = (rest: RequestListener) =>
  listening((request, response) => {
    if (request.url !== '/setup') rest(request, response);
    else response.end('{"ok":true,"value":{"session":"s","groups":["files","processes","http"]}}');
  });

/** How reading a file of a server ends that does as it likes. */
const readFrom = async (rest: RequestListener, timeoutMs = 30_000): Promise<unknown> => {
  const server = await hostile(rest);
  const environment = remoteEnvironment({ url: server.origin, timeoutMs });
  await environment.setup?.(scope);
  const found = await environment.ops.files?.read('x').catch((thrown: unknown) => thrown);
  await server.close();
  return found;
};

describe('[QITOS-37] the server of an environment is not trusted', () => {
  test('an answer without end is broken off', async () => {
    let isBroken: unknown;
    const found = await readFrom((_, response) => {
      isBroken = once(response, 'close');
      const more = (): void => {
        while (response.write(' '.repeat(100_000)));
      };
      response.on('drain', more);
      more();
    });
    expect(String(found)).toContain('longer than 10000000 bytes');
    expect(codeOf(found)).toBe('tool.failed');
    await isBroken;
  });

  test('an answer that never comes is late', async () => {
    expect(codeOf(await readFrom(() => undefined, 100))).toBe('tool.timeout');
    const begun: RequestListener = (_, response) => void response.write('{');
    expect(codeOf(await readFrom(begun, 100))).toBe('tool.timeout');
  });

  test('a redirect is refused, and gets no headers', async () => {
    const asked: unknown[] = [];
    const other = await listening((request, response) => {
      asked.push(request.headers);
      response.end('{"ok":true}');
    });
    const found = await readFrom((_, response) => response.writeHead(307, { location: other.origin }).end());
    expect(codeOf(found)).toBe('tool.failed');
    expect(asked).toEqual([]);
    await other.close();
  });

  test.each([
    '{"ok":true,"value":{"text":7,"bytes":1,"isCut":false}}',
    '{"ok":true,"value":{"text":"x","bytes":-1,"isCut":false}}',
    '{"ok":true}',
    '{"ok":false}',
    `${'['.repeat(100_000)}`,
  ])('an answer that is none is an error of ours: %#', async (body) => {
    const found = await readFrom((_, response) => response.end(body));
    expect(codeOf(found)).toBe('tool.failed');
    expect(String(found)).toContain(
      "Cannot ask the environment 'remote' for 'files.read' as its response is invalid",
    );
  });

  test('an error that it has no part in becomes one of a tool, and is not long', async () => {
    const error = { code: 'run.aborted', message: 'x'.repeat(1_000_000) };
    const found = await readFrom((_, response) => response.end(JSON.stringify({ ok: false, error })));
    expect(codeOf(found)).toBe('tool.failed');
    expect(String(found).length).toBeLessThan(3_000);
  });
});

const withProcesses = (run: NonNullable<Environment['ops']['processes']>['run']): Environment => ({
  name: 'near',
  ops: { processes: { commands: ['wait'], run } },
});

const nothing = { exitCode: 0, stdout: '', stderr: '', isCut: false, isTimedOut: false };

describe('[QITOS-37] a served environment', () => {
  test('an abort ends the command over there', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let end: unknown;
    const server = await serveRemotely(() =>
      withProcesses(async (_, __, options) => {
        begin();
        const { signal } = options ?? {};
        end = new Promise((resolve) => signal?.addEventListener('abort', resolve));
        await end;
        return nothing;
      }),
    );
    const environment = remoteEnvironment({ url: server.url, headers });
    await environment.setup?.(scope);
    const abort = new AbortController();
    const running = environment.ops.processes?.run('wait', [], { signal: abort.signal }).catch(codeOf);
    await begun;
    abort.abort();
    expect(await running).toBe('tool.cancelled');
    await end;
    await server.close();
  });

  test('the time limit of a command is kept over there, and is never longer than that of the environment', async () => {
    const limits: unknown[] = [];
    const server = await serveRemotely(() =>
      withProcesses(async (_, __, options) => {
        limits.push(options?.timeoutMs);
        return nothing;
      }),
    );
    const environment = remoteEnvironment({ url: server.url, headers, timeoutMs: 5_000 });
    await environment.setup?.(scope);
    const { processes } = environment.ops;
    for (const timeoutMs of [undefined, 100, 9_000]) await processes?.run('wait', [], { timeoutMs });
    expect(limits).toEqual([5_000, 100, 5_000]);
    expect(processes?.commands).toEqual(['wait']);
    await server.close();
  });

  test('bytes and texts are the same over there', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const text = '\0\u2028\ud800 \ufeff\r\n';
    const server = await serveRemotely(() => ({
      name: 'near',
      ops: {
        http: {
          request: async ({ url, body }) => ({
            url,
            status: 200,
            headers: {},
            text,
            isCut: false,
            bytes: typeof body === 'string' ? undefined : body,
          }),
        },
      },
    }));
    const environment = remoteEnvironment({ url: server.url, headers });
    await environment.setup?.(scope);
    const found = await environment.ops.http?.request({
      url: 'https://x.example',
      method: 'POST',
      body: bytes,
    });
    expect(found).toMatchObject({ text, bytes });
    await server.close();
  });

  test('nobody is answered without being authorized, and no other session than one of its own', async () => {
    const server = await serveRemotely(() => memoryEnvironment(), {
      authorize: (request) => {
        if (request.headers.get('authorization') === '') throw new Error('no header');
        return request.headers.get('authorization') === TOKEN;
      },
    });
    for (const authorization of ['', 'Bearer guessed']) {
      const environment = remoteEnvironment({ url: server.url, headers: { authorization } });
      await expect(environment.setup?.(scope)).rejects.toThrow('not authorized');
    }
    const post = async (method: string, body: string) =>
      (await fetch(`${server.url}${method}`, { method: 'POST', headers, body })).text();
    for (const session of ['guessed', '__proto__', 7, null])
      expect(await post('files.list', JSON.stringify({ session, path: '.' }))).toContain(
        'session is unknown',
      );
    for (const body of ['', 'x', '[]', 'null'])
      expect(await post('files.list', body)).toContain('"ok":false');
    expect((await fetch(`${server.url}setup`, { headers })).status).toBe(405);
    await server.close();
  });

  test('requests and sessions are bounded, and what is idle is torn down', async () => {
    const clock = virtualClock();
    let open = 0;
    const make = (): Environment => ({
      name: 'near',
      ops: {},
      setup: () => void (open += 1),
      teardown: () => void (open -= 1),
    });
    const server = await serveRemotely(make, { maxSessions: 2, maxBodyBytes: 1_000, idleMs: 60_000, clock });
    const place = { url: server.url, headers };
    const [first, second, third] = [
      remoteEnvironment(place),
      remoteEnvironment(place),
      remoteEnvironment(place),
    ];
    await first.setup?.(scope);
    await second.setup?.(scope);
    await expect(third.setup?.(scope)).rejects.toThrow('all 2 environments are in use');
    await third.teardown?.();
    await second.teardown?.();
    expect(open).toBe(1);
    const action = { callId: 'c', tool: 't', input: 'x'.repeat(2_000), result };
    await expect(first.step?.(action)).rejects.toThrow('longer than 1000 bytes');
    await clock.advance(60_000);
    expect(open).toBe(0);
    await expect(first.observe?.()).rejects.toThrow('nothing was heard of it for too long');
    await server.close();
  });

  test.each([
    [7, {}, 'its make is not a function'],
    [memoryEnvironment, { authorize: undefined }, 'its authorize is not a function'],
    [memoryEnvironment, { maxSessions: 0 }, 'its maxSessions is not a whole number from 1: found 0'],
    [memoryEnvironment, { idleMs: Number.NaN }, 'its idleMs is not a time above 0'],
    [memoryEnvironment, { maxBodyBytes: '1' }, 'its maxBodyBytes is not a whole number from 1'],
    [memoryEnvironment, { token: 'x' }, 'its option `token` is unknown'],
  ])('is not served by rules that do not fit: %#', (make, rules, problem) => {
    const options = { authorize: () => true, ...rules };
    expect(() => callUntyped({ serveEnvironment }, 'serveEnvironment', make, options)).toThrow(problem);
  });

  test.each([
    [{ url: 'box.example' }, 'its url is not an address of http or https'],
    [{ url: 'file:///etc' }, 'its url is not an address of http or https'],
    [{ headers: { authorization: 7 } }, 'its headers.authorization is not a string'],
    [{ timeoutMs: 0 }, 'its timeoutMs is not a whole number from 1: found 0'],
    [{ setupMs: Infinity }, 'its setupMs is not a whole number from 1'],
  ])('is not asked by options that do not fit: %#', (changes, problem) => {
    const options = { url: 'https://box.example', ...changes };
    expect(() => callUntyped({ remoteEnvironment }, 'remoteEnvironment', options)).toThrow(problem);
  });

  test('each run has an environment of its own, and a setup that fails leaves none', async () => {
    const made: string[] = [];
    const server = await serveRemotely(() => {
      made.push('made');
      return memoryEnvironment({ files: { a: '1' } });
    });
    const place = { url: server.url, headers };
    const [first, second] = [remoteEnvironment(place), remoteEnvironment(place)];
    for (const each of [first, second]) await each.setup?.(scope);
    await first.ops.files?.write('b', '2');
    expect(await second.ops.files?.list('.')).toEqual([{ name: 'a', kind: 'file' }]);
    expect(made).toHaveLength(2);
    await server.close();
    let torn = 0;
    const failing = await serveRemotely(() => ({
      name: 'near',
      ops: {},
      setup: () => {
        throw new Error('no power');
      },
      teardown: () => void (torn += 1),
    }));
    const environment = remoteEnvironment({ url: failing.url, headers });
    await expect(environment.setup?.(scope)).rejects.toThrow('no power');
    expect(torn).toBe(1);
    await failing.close();
  });
});
