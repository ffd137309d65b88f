import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { until } from '../../support/run-over-http.ts';
import {
  as,
  auth,
  clerkSaying,
  modelSaying,
  post,
  refunding,
  refunds,
  refusalOf,
  served,
  tenantEngine,
} from './serve-kit.ts';

/** A request as no client of good manners sends it. */
interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly send?: (request: ClientRequest) => void;
}

/** Sends it; the status, and the code of the refusal. */
const sendRaw = (
  port: number,
  { method = 'GET', path = '/runs', headers = {}, send }: Raw,
): Promise<readonly [number, unknown]> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => void (text += chunk.toString()));
      response.on('end', () => {
        const code = /"code":"([\w.]+)"/.exec(text)?.[1];
        resolve([response.statusCode ?? 0, code]);
      });
      response.on('error', reject);
    });
    // What it sends after it was refused does not arrive.
    request.on('error', reject);
    if (send === undefined) request.end();
    else send(request);
  });

/** A server of two tenants; one of them has a run that waits for approval. */
const besieged = async (limits = {}) => {
  refunds.length = 0;
  const store = memoryStore();
  const clock = virtualClock();
  const slow = agent({ name: 'slow', model: modelSaying([() => new Promise<string>(() => undefined)]) });
  const server = await served(
    {
      agents: { clerk: clerkSaying(refunding), slow },
      auth,
      store,
      limits,
      resumes: false,
      origins: ['https://app.example.com'],
      clock: { ...clock, now: () => Date.now() },
    },
    tenantEngine(),
  );
  const run = await connect<typeof server.service>(server.url, { headers: as('acme') }).start('clerk', 'go', {
    key: 'k',
  });
  let request: { readonly id: string } | undefined;
  while (request === undefined) [request] = await run.requests();
  return { ...server, store, run, request, clock, json: { 'content-type': 'application/json' } };
};

const start = (token: Record<string, string> = as('acme')) => ({
  'content-type': 'application/json',
  ...token,
});

test('without a token nothing is answered', async () => {
  await using server = await besieged();
  for (const path of [
    '/runs',
    '/openapi.json',
    `/runs/${server.run.runId}`,
    `/runs/${server.run.runId}/events`,
  ])
    expect(await refusalOf(await fetch(`${server.url}${path}`)), path).toEqual([401, 'server.refused']);
  expect(await refusalOf(await post(`${server.url}/agents/clerk/runs`, { input: 'x' }))).toEqual([
    401,
    'server.refused',
  ]);
});

test('the run of another tenant is not there, whatever is asked of it', async () => {
  await using server = await besieged();
  const { runId } = server.run;
  const headers = as('other');
  const reads = ['', '/events', '/result', '/requests', '/step', `/blobs/${'a'.repeat(64)}`];
  for (const path of reads)
    expect(await refusalOf(await fetch(`${server.url}/runs/${runId}${path}`, { headers })), path).toEqual([
      404,
      'journal.unknown',
    ]);
  for (const path of [
    '/messages',
    '/pause',
    '/resume',
    '/step',
    '/abort',
    '/fork',
    `/requests/${server.request.id}`,
  ])
    expect(await refusalOf(await post(`${server.url}/runs/${runId}${path}`, {}, headers)), path).toEqual([
      404,
      'journal.unknown',
    ]);
  expect(await refusalOf(await fetch(`${server.url}/threads/none`, { headers }))).toEqual([
    404,
    'thread.unknown',
  ]);
});

test('a forged id of a run is none: neither a guess within the own tenant, nor the tag of another', async () => {
  await using server = await besieged();
  const [tag] = server.run.runId.split('-');
  const guess = '00000000-0000-4000-8000-000000000000';
  for (const [token, id] of [
    [as('acme'), `${tag}-${guess}`],
    [as('other'), `${tag}-${guess}`],
    [as('other'), server.run.runId.replace(/^t[0-9a-f]{24}/, 'run')],
    [as('other'), `${server.run.runId} `],
  ] as const)
    expect(
      await refusalOf(await fetch(`${server.url}/runs/${encodeURIComponent(id)}/events`, { headers: token })),
    ).toEqual([404, 'journal.unknown']);
});

test('a forged number of the last event is refused', async () => {
  await using server = await besieged();
  for (const id of ['abc', '1e3', '-5', '999999', '999999999999999999999', '1; x'])
    expect(
      await refusalOf(await fetch(server.run.url, { headers: { ...as('acme'), 'last-event-id': id } })),
      id,
    ).toEqual([400, 'stream.invalid']);
});

test('a body without a length is counted as it arrives', async () => {
  await using server = await besieged({ bodyBytes: 1_000 });
  const refused = await sendRaw(server.port, {
    method: 'POST',
    path: '/agents/clerk/runs',
    headers: { ...start(), 'transfer-encoding': 'chunked' },
    send: (request) => {
      for (let chunk = 0; chunk < 20; chunk += 1) request.write('x'.repeat(100));
    },
  });
  expect(refused).toEqual([413, 'server.refused']);
  const declared = await sendRaw(server.port, {
    method: 'POST',
    path: '/agents/clerk/runs',
    headers: { ...start(), 'content-length': '2000' },
    send: (request) => void request.write('x'),
  });
  expect(declared).toEqual([413, 'server.refused']);
});

test('a body that does not come is not waited for without end', async () => {
  await using server = await besieged({ bodyMs: 5_000 });
  const before = server.clock.pending;
  const refused = sendRaw(server.port, {
    method: 'POST',
    path: '/agents/clerk/runs',
    headers: { ...start(), 'transfer-encoding': 'chunked' },
    send: (request) => void request.write('{"input":'),
  });
  await until(() => server.clock.pending > before);
  await server.clock.advance(5_000);
  expect(await refused).toEqual([408, 'server.refused']);
});

test('pages of other origins are refused, those of the list are allowed', async () => {
  await using server = await besieged();
  for (const origin of [
    'https://evil.example',
    'null',
    'https://app.example.com.evil.example',
    'http://app.example.com',
  ])
    expect(await sendRaw(server.port, { headers: { ...as('acme'), origin } }), origin).toEqual([
      403,
      'server.refused',
    ]);
  expect(await sendRaw(server.port, { headers: { ...as('acme'), 'sec-fetch-site': 'cross-site' } })).toEqual([
    403,
    'server.refused',
  ]);
  const allowed = await fetch(`${server.url}/runs`, {
    headers: { ...as('acme'), origin: 'https://app.example.com' },
  });
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  const preflight = await fetch(`${server.url}/runs`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
    204,
    'GET, POST',
  ]);
  const foreign = await fetch(`${server.url}/runs`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example' },
  });
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('without auth, and with a list, other hosts are refused', async () => {
  const agents = { clerk: clerkSaying(['Yes.']) };
  await using open = await served({ agents });
  await using named = await served({ agents, auth, hosts: ['api.example.com'] }, tenantEngine());
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', '[::2]'])
    expect(await sendRaw(open.port, { headers: { host } }), host).toEqual([403, 'server.refused']);
  expect(
    await sendRaw(open.port, { path: 'http://evil.example/runs', headers: { host: 'localhost' } }),
  ).toEqual([403, 'server.refused']);
  for (const host of ['localhost', `127.0.0.1:${open.port}`, '[::1]:80'])
    expect((await sendRaw(open.port, { headers: { host } }))[0], host).toBe(200);
  expect(await sendRaw(named.port, { headers: as('acme') })).toEqual([403, 'server.refused']);
  expect((await sendRaw(named.port, { headers: { ...as('acme'), host: 'api.example.com' } }))[0]).toBe(200);
});

test('what is no JSON, no UTF-8 or nested without end is refused', async () => {
  await using server = await besieged();
  const url = `${server.url}/agents/clerk/runs`;
  for (const body of ['{', 'undefined', '{"input":NaN}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`])
    expect(await refusalOf(await post(url, body, as('acme'))), body.slice(0, 20)).toEqual([
      400,
      'server.refused',
    ]);
  const broken = await fetch(url, {
    method: 'POST',
    headers: start(),
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  });
  expect(await refusalOf(broken)).toEqual([400, 'server.refused']);
});

test('keys that could change a prototype, and options that there are not, are refused', async () => {
  await using server = await besieged();
  const url = `${server.url}/agents/clerk/runs`;
  for (const body of [
    '{"input":"x","__proto__":{"paused":true}}',
    '{"input":{"constructor":{"prototype":{}}}}',
  ])
    expect(await refusalOf(await post(url, body, as('acme')))).toEqual([400, 'server.refused']);
  for (const body of [
    { input: 'x', runId: 'mine' },
    { input: 'x', context: { tenant: 'other' } },
    { input: 'x', pausd: true },
    [],
  ])
    expect(await refusalOf(await post(url, body, as('acme')))).toEqual([400, 'input.invalid']);
  for (const name of ['__proto__', 'constructor', 'toString'])
    expect(
      await refusalOf(await post(`${server.url}/agents/${name}/runs`, { input: 'x' }, as('acme'))),
    ).toEqual([404, 'agent.unknown']);
});

test('ids lead to no other place, and end no line', async () => {
  await using server = await besieged();
  for (const path of [
    '/runs/..%2f..%2fetc%2fpasswd',
    '/runs/%2e%2e%5cx/events',
    '/threads/..%2ft',
    '/runs/a%0d%0aset-cookie:%20x',
    '/runs/%00',
    '/runs/%',
    '/../runs/x/y',
    `/runs/${'x'.repeat(301)}`,
  ])
    expect(await sendRaw(server.port, { path, headers: as('acme') }), path).toEqual([404, 'server.refused']);
  const key = await sendRaw(server.port, {
    method: 'POST',
    path: '/agents/clerk/runs',
    headers: { ...start(), 'idempotency-key': 'a b' },
    send: (request) => request.end('{"input":"x"}'),
  });
  expect(key).toEqual([400, 'input.invalid']);
});

test('an unknown agent, and an unknown address, are named as such', async () => {
  await using server = await besieged();
  expect(await refusalOf(await post(`${server.url}/agents/nobody/runs`, { input: 'x' }, as('acme')))).toEqual(
    [404, 'agent.unknown'],
  );
  expect(await refusalOf(await fetch(`${server.url}/secrets`, { headers: as('acme') }))).toEqual([
    404,
    'server.refused',
  ]);
});

test('the key of one tenant is nothing to another, nor that of one caller to another', async () => {
  await using server = await besieged();
  for (const token of [as('other'), as('acme', 'bob')]) {
    const started = await post(
      `${server.url}/agents/slow/runs`,
      { input: 'else' },
      { ...token, 'idempotency-key': 'k' },
    );
    expect(started.status).toBe(201);
    expect(((await started.json()) as { runId: string }).runId).not.toBe(server.run.runId);
  }
});

test('an answer is for a request of that run alone', async () => {
  await using server = await besieged();
  const desk = connect<typeof server.service>(server.url, { headers: as('acme') });
  const other = await desk.start('clerk', 'another', { key: 'k2' });
  let own: { readonly id: string } | undefined;
  while (own === undefined) [own] = await other.requests();
  await expect(other.approve(server.request.id)).rejects.toMatchObject({
    code: 'request.unknown',
    status: 404,
  });
  await expect(server.run.reply(server.request.id, 'yes')).rejects.toMatchObject({
    code: 'input.invalid',
    status: 400,
  });
  expect(refunds).toEqual([]);
});

test('changed arguments are made by no call that does not take them', async () => {
  await using server = await besieged();
  const url = `${server.url}/runs/${server.run.runId}/requests/${server.request.id}`;
  for (const body of [
    { yes: true, input: { order: 17, euros: 5_000 } },
    { yes: true, input: 'all of it' },
    { yes: true, inputs: { order: 17, euros: 1 } },
    { yes: true, by: { name: 'boss', roles: ['lead'] } },
    { yes: 'true' },
  ])
    expect(await refusalOf(await post(url, body, as('acme'))), JSON.stringify(body)).toEqual([
      400,
      'input.invalid',
    ]);
  expect(refunds).toEqual([]);
  expect(await server.run.requests()).toHaveLength(1);
});

test('a caller opens so many streams, and closing one makes room', async () => {
  await using server = await besieged({ streamsPerCaller: 2 });
  const open = () => fetch(server.run.url, { headers: as('acme') });
  const [first, second] = [await open(), await open()];
  const refused = await open();
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refusalOf(refused)).toEqual([429, 'server.refused']);
  await first.body?.cancel();
  await expect
    .poll(async () => {
      const again = await open();
      await again.body?.cancel();
      return again.status;
    })
    .toBe(200);
  await second.body?.cancel();
});

test('a server takes so many runs, of which one that only waits gives way', async () => {
  await using server = await besieged({ runs: 2 });
  const url = `${server.url}/agents/slow/runs`;
  expect((await post(url, { input: 'x' }, as('acme'))).status).toBe(201);
  expect((await post(url, { input: 'x' }, as('acme'))).status).toBe(201);
  expect(await refusalOf(await post(url, { input: 'x' }, as('acme')))).toEqual([429, 'engine.full']);
});

test('a caller asks so often in a minute, and those who are refused are counted, too', async () => {
  await using server = await served(
    { agents: { clerk: clerkSaying([]) }, auth, limits: { perMinute: 3 } },
    tenantEngine(),
  );
  const ask = async (token: Record<string, string>) =>
    (await fetch(`${server.url}/runs`, { headers: token })).status;
  expect([
    await ask(as('acme')),
    await ask(as('acme')),
    await ask(as('acme')),
    await ask(as('acme')),
  ]).toEqual([200, 200, 200, 429]);
  expect(await ask(as('other'))).toBe(200);
  expect([await ask({}), await ask({}), await ask({}), await ask({})]).toEqual([401, 401, 401, 429]);
});

test('a method that an address does not take is refused, with those that it does', async () => {
  await using server = await besieged();
  for (const [method, path, allow] of [
    ['DELETE', '/runs', 'GET'],
    ['PUT', `/runs/${server.run.runId}/pause`, 'POST'],
    ['POST', '/openapi.json', 'GET'],
    ['HEAD', `/runs/${server.run.runId}/step`, 'POST, GET'],
  ] as const) {
    const response = await fetch(`${server.url}${path}`, { method, headers: as('acme') });
    expect([response.status, response.headers.get('allow')], path).toEqual([405, allow]);
  }
});

test('a body of another type is not read', async () => {
  await using server = await besieged();
  const url = `${server.url}/agents/clerk/runs`;
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])
    expect(
      await refusalOf(await post(url, { input: 'x' }, { ...as('acme'), 'content-type': type })),
      type,
    ).toEqual([415, 'server.refused']);
});

test('a caller does what they may, and nothing else', async () => {
  const rights = { watcher: ['watch'], starter: ['start'], answerer: ['answer'] } as const;
  await using server = await served({
    agents: { clerk: clerkSaying(refunding) },
    auth: (request) => {
      const who = request.headers.get('authorization') as keyof typeof rights | null;
      return who === null ? undefined : { who, may: rights[who] };
    },
  });
  const by = (who: string) => connect<typeof server.service>(server.url, { headers: { authorization: who } });
  const { runId } = await by('starter').start('clerk', 'go');
  const forbidden = { code: 'server.refused', status: 403 };
  await expect(by('watcher').start('clerk', 'go')).rejects.toMatchObject(forbidden);
  await expect(by('starter').runs()).rejects.toMatchObject(forbidden);
  await expect(by('watcher').at(runId).abort()).rejects.toMatchObject(forbidden);
  await expect(by('watcher').at(runId).approve('x')).rejects.toMatchObject(forbidden);
  await expect(by('answerer').at(runId).pause()).rejects.toMatchObject(forbidden);
  await expect(by('answerer').at(runId).approve('x')).rejects.toMatchObject({ code: 'request.unknown' });
});

test('a hook that throws, or names nobody, lets nobody in, and tells callers nothing', async () => {
  for (const hook of [
    () => {
      throw new Error('postgres://user:secret@db');
    },
    () => ({ who: '' }),
    () => ({ who: 'ada', tenant: '' }),
  ]) {
    const problems: unknown[] = [];
    await using server = await served({
      agents: { clerk: clerkSaying([]) },
      auth: hook,
      onProblem: (error) => problems.push(error),
    });
    const response = await fetch(`${server.url}/runs`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('secret');
    expect(problems).toHaveLength(1);
  }
});

test('media are not had by naming the hash of what is another’s', async () => {
  await using server = await besieged();
  const input = [{ type: 'image', hash: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 }];
  expect(await refusalOf(await post(`${server.url}/agents/clerk/runs`, { input }, as('acme')))).toEqual([
    400,
    'input.invalid',
  ]);
  const url = `${server.url}/runs/${server.run.runId}/messages`;
  expect(await refusalOf(await post(url, { message: input }, as('acme')))).toEqual([400, 'input.invalid']);
});
