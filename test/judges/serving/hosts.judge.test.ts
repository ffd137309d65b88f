import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import { Hono } from 'hono';
import { Miniflare } from 'miniflare';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import { hostedService } from './hosted-service.ts';
import { NextHost } from './next-host.ts';
import { bundleProgram, freePort, startProcess, writeProgram } from './start-host.ts';

/** Listens on a free port until the test is over. */
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const require = createRequire(import.meta.url);
/** The program of a package that is one binary. */
const binaryOf = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path);

const next = new NextHost();
afterAll(() => next.remove());

/** The ways of the guide to serve the handler below `/api`: each gives the address of its server. */
const hosts: Readonly<Record<string, () => Promise<string>>> = {
  "Node's http": async () => {
    const service = hostedService('/api');
    return listen((incoming, outgoing) => {
      service.listener(incoming, outgoing);
    });
  },
  Express: async () => {
    const app = express();
    app.use('/api', hostedService('/api').listener);
    return listen(app);
  },
  'Express, after its own reader of bodies': async () => {
    const app = express();
    app.use(express.json({ limit: '4mb' }));
    app.use('/api', hostedService('/api').listener);
    return listen(app);
  },
  Hono: async () => {
    const service = hostedService('/api');
    const app = new Hono();
    app.all('/api/*', ({ req }) => service.fetch(req.raw));
    return new Promise((resolve) => {
      const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
        resolve(`http://127.0.0.1:${port}`);
      });
      onTestFinished(() => {
        server.close();
      });
    });
  },
  'a route handler of Next': () => next.start(),
  Bun: async () => {
    const port = await freePort();
    const file = await writeProgram(`
      import { hostedService } from './hosted-service.ts';
      const { fetch } = hostedService('/api');
      export default { fetch, port: ${port}, hostname: '127.0.0.1', idleTimeout: 0 };`);
    return startProcess(binaryOf('bun', 'bin/bun.exe'), ['run', file], port);
  },
  Deno: async () => {
    const port = await freePort();
    const file = await writeProgram(`
      import { hostedService } from './hosted-service.ts';
      Deno.serve({ port: ${port}, hostname: '127.0.0.1' }, hostedService('/api').fetch);`);
    return startProcess(binaryOf('deno', 'deno'), ['run', '--allow-net', '--allow-env', file], port);
  },
  'a Durable Object of a worker': async () => {
    const script = await bundleProgram(`
      import { hostedService } from './hosted-service.ts';
      export class Desk {
        #service = hostedService('/api');
        fetch(request) { return this.#service.fetch(request); }
      }
      export default { fetch: (request, { DESK }) => DESK.get(DESK.idFromName('desk')).fetch(request) };`);
    const worker = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: script }],
      durableObjects: { DESK: 'Desk' },
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat'],
    });
    onTestFinished(() => worker.dispose());
    return (await worker.ready).origin;
  },
};

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe.each(Object.keys(hosts))('%s', (host) => {
  const start = async () => {
    const url = `${await hosts[host]?.()}/api`;
    return { url, desk: connect<ReturnType<typeof hostedService>>(url, { retryMs: 10 }) };
  };

  test('starts a run, streams it while it goes on, and takes the answer of a person', async () => {
    const { desk } = await start();
    const run = await desk.start('clerk', 'My kettle is broken.');
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      // The stream is read while the run waits for it to be read.
      if (event.type === 'tool.approval-requested') {
        const [request] = await run.requests();
        await run.approve(request?.id ?? '');
      }
    }
    expect(types.at(-1)).toBe('run.ended');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'Your money is on its way.' });
  });

  // A worker is told of it by what it sends next.
  test.skipIf(host.includes('worker'))('gives back the stream of a client that hangs up', async () => {
    const { desk } = await start();
    const { url } = await desk.start('clerk', 'My kettle is broken.');
    const leaving = new AbortController();
    const first = await fetch(url, { signal: leaving.signal });
    expect(first.headers.get('content-type')).toContain('text/event-stream');
    await first.body?.getReader().read();
    expect((await fetch(url)).status).toBe(429);
    leaving.abort();
    const again = async () => {
      const ending = new AbortController();
      const { status } = await fetch(url, { signal: ending.signal });
      ending.abort();
      return status;
    };
    await expect.poll(again).toBe(200);
  });

  test('takes a large body, and tells the sender of one that is too large', async () => {
    const { url, desk } = await start();
    const run = await desk.start('clerk', 'x'.repeat(900_000));
    expect(run.runId).not.toBe('');
    const refused = await post(`${url}/agents/clerk/runs`, JSON.stringify({ input: 'x'.repeat(3_000_000) }));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ error: { code: 'server.refused' } });
  });
});
