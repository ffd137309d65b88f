import { createHmac, randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { Schedules } from '../../../src/runtime/schedules/schedule.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { reports, runsOf, settableClock, warmUp, watchedStore } from './schedule-kit.ts';

const NOW = 1_772_000_000;
const KEY = randomBytes(32);
const OLD_KEY = randomBytes(24);
const secretOf = (key: Buffer): string => `whsec_${key.toString('base64')}`;

/** What a sender signs, computed apart from what is tested. */
const signatureOf = (id: string, at: number | string, body: string | Buffer, key = KEY): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`;

interface Sent {
  readonly status: number;
  readonly text: string;
}

/** One webhook over real HTTP, with whatever headers. */
const post = (
  port: number,
  body: string | Buffer,
  headers: Record<string, string | string[]>,
  method = 'POST',
) =>
  new Promise<Sent>((done, failed) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, headers }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => {
        done({ status: response.statusCode ?? 0, text });
      });
    });
    request.on('error', failed);
    request.end(body);
  });

const heardInputs: string[] = [];
const listener = agent({
  name: 'listener',
  decide: ({ input }) => {
    heardInputs.push(String(input));
    return answer('Heard.');
  },
});

const { store, isQuiet } = watchedStore(memoryStore());
const clock = settableClock(NOW * 1_000, isQuiet);
const heard = reports();
let handler: (request: Request) => Promise<Response>;
let live: Schedules;
let server: Server;
let port: number;

beforeAll(async () => {
  await warmUp();
  live = schedules(store, { clock, onReport: heard.onReport });
  await live.add({
    name: 'hooks',
    agent: listener,
    input: ({ message }) => JSON.stringify(message),
    backlog: 5,
  });
  handler = live.handler('hooks', { keys: [secretOf(KEY), secretOf(OLD_KEY)], maxBytes: 1_000 });
  server = createServer((incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming;
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
    );
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(`http://localhost${url}`, {
      method,
      headers: given,
      ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
    });
    void handler(request).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  await live[Symbol.asyncDispose]();
});

let number = 0;
let id = '';
beforeEach(() => {
  id = `msg_${(number += 1)}`;
  heardInputs.length = 0;
});

const BODY = '{"order": 17,  "paid": true}';

const signed = (body: string | Buffer = BODY, at: number | string = NOW, key = KEY) => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signatureOf(id, at, body, key),
});

/** Nothing came of it. */
const expectNothing = async (): Promise<void> => {
  await isQuiet();
  expect(heardInputs).toEqual([]);
  expect(await store.entry(`hooks@${id}`)).toBeUndefined();
};

describe('a webhook that is signed', () => {
  test('whose body does not come to its end is refused after ten seconds, and no timer is left of any', async () => {
    const timers = clock.pending;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(BODY.slice(0, 5)));
      },
    });
    const init = { method: 'POST', headers: signed(), body, duplex: 'half' as const };
    const answered = handler(new Request('http://hooks.test/', init));
    await clock.pass(10_000);
    expect((await answered).status).toBe(408);
    clock.jump(-10_000);
    await expectNothing();
    expect(await post(port, BODY, signed())).toMatchObject({ status: 202 });
    await isQuiet();
    expect(clock.pending).toBe(timers);
  });

  test('becomes one run, however often it is sent', async () => {
    expect(await post(port, BODY, signed())).toEqual({ status: 202, text: '' });
    await isQuiet();
    expect((await post(port, BODY, signed())).status).toBe(200);
    clock.jump(60_000);
    expect((await post(port, BODY, signed(BODY, NOW + 60))).status).toBe(200);
    clock.jump(-60_000);
    await isQuiet();
    expect(heardInputs).toEqual(['{"order":17,"paid":true}']);
    expect((await store.entry(`hooks@${id}`))?.status).toBe('completed');
    expect(await store.files('schedule messages hooks').names()).toEqual([]);
  });

  test('sent many times at once becomes one run', async () => {
    const sent = await Promise.all(Array.from({ length: 20 }, () => post(port, BODY, signed())));
    expect(sent.every(({ status }) => status === 202 || status === 200)).toBe(true);
    await isQuiet();
    expect(heardInputs).toHaveLength(1);
  });

  test('by a key that is being rotated out, or by both, is accepted', async () => {
    expect((await post(port, BODY, signed(BODY, NOW, OLD_KEY))).status).toBe(202);
    id = `${id}_both`;
    const both = `v1,${randomBytes(32).toString('base64')} v1a,abc ${signatureOf(id, NOW, BODY)}`;
    expect((await post(port, BODY, { ...signed(), 'webhook-signature': both })).status).toBe(202);
  });

  test('agrees with the example of the specification', async () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const body = '{"test": 2432232314}';
    clock.jump(1_614_265_330_000 - NOW * 1_000);
    const check = live.handler('hooks', { keys: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    const response = await check(
      new Request('http://localhost/', {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
      }),
    );
    await isQuiet();
    clock.jump(NOW * 1_000 - 1_614_265_330_000);
    expect(response.status).toBe(202);
    expect(key).toHaveLength(24);
  });
});

describe('a webhook is refused, and nothing comes of it,', () => {
  const forged = 'v1,' + 'A'.repeat(43) + '=';
  test.each<[string, () => Record<string, string>, number]>([
    ['without a signature', () => ({ ...signed(), 'webhook-signature': '' }), 401],
    ['with a forged signature', () => ({ ...signed(), 'webhook-signature': forged }), 401],
    ['signed by another key', () => signed(BODY, NOW, randomBytes(32)), 401],
    ['signed for another body', () => signed('{"order": 18}'), 401],
    ['under another id', () => ({ ...signed(), 'webhook-id': `${id}x` }), 401],
    ['with another time', () => ({ ...signed(), 'webhook-timestamp': String(NOW + 1) }), 401],
    ['signed more than 300 s ago', () => signed(BODY, NOW - 301), 401],
    ['signed more than 300 s ahead', () => signed(BODY, NOW + 301), 401],
    ['with a time that is no number', () => signed(BODY, 'now'), 401],
    ['with a time in hexadecimal', () => signed(BODY, `0x${NOW.toString(16)}`), 401],
    [
      'with a list of 201 signatures, one of them right',
      () => {
        const right = signed();
        return { ...right, 'webhook-signature': `${`${forged} `.repeat(200)}${right['webhook-signature']}` };
      },
      401,
    ],
    [
      'with a signature of another version',
      () => ({ ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1,', 'v2,') }),
      401,
    ],
    [
      'with a shortened signature',
      () => ({ ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(0, 20) }),
      401,
    ],
    ['that is no JSON by its type', () => ({ ...signed(), 'content-type': 'text/plain' }), 415],
    ['whose type only begins as JSON', () => ({ ...signed(), 'content-type': 'application/json-evil' }), 415],
  ])('%s', async (_, headers, status) => {
    expect((await post(port, BODY, headers())).status).toBe(status);
    await expectNothing();
  });

  test('with a path in its id', async () => {
    id = '../../etc';
    expect((await post(port, BODY, signed())).status).toBe(401);
    await expectNothing();
  });

  test('whose id takes the time and a part of the body from a signed one', async () => {
    const inner = `${NOW}.{"order":1}`;
    const right = signed(inner);
    id = `${id}.${NOW}`;
    const moved = { ...right, 'webhook-id': id };
    expect((await post(port, '{"order":1}', moved)).status).toBe(401);
    await expectNothing();
  });

  test('longer than its bound, as it says, and as it is', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(2_000) });
    expect((await post(port, long, { ...signed(long), 'content-length': String(long.length) })).status).toBe(
      413,
    );
    expect((await post(port, long, { ...signed(long), 'transfer-encoding': 'chunked' })).status).toBe(413);
    await expectNothing();
  });

  test.each([
    ['that is no JSON', 'order 17'],
    ['that is nested too deep', `${'['.repeat(400)}${']'.repeat(400)}`],
    ['without a body', ''],
  ])('%s, although it is signed', async (_, body) => {
    expect((await post(port, body, signed(body))).status).toBe(400);
    await expectNothing();
  });

  test('that is no UTF-8', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect((await post(port, body, signed(body))).status).toBe(400);
    await expectNothing();
  });

  test.each(['GET', 'PUT', 'DELETE'])('by %s', async (method) => {
    expect((await post(port, '', signed(), method)).status).toBe(405);
    await expectNothing();
  });

  test('says nothing of why', async () => {
    const sent = [
      await post(port, BODY, { ...signed(), 'webhook-signature': forged }),
      await post(port, BODY, signed(BODY, NOW - 9_999)),
    ];
    expect(sent).toEqual([
      { status: 401, text: '' },
      { status: 401, text: '' },
    ]);
  });
});

test('a webhook that cannot be stored is tried again by its sender', async () => {
  await live.pause('hooks');
  for (let sent = 0; sent < 5; sent += 1) {
    id = `full_${sent}`;
    expect((await post(port, BODY, signed())).status).toBe(202);
  }
  id = 'full_5';
  expect((await post(port, BODY, signed())).status).toBe(503);
  expect(heard.all.filter(({ type }) => type === 'failed')).toMatchObject([
    { schedule: 'hooks', runId: 'hooks@full_5', error: { code: 'schedule.full', retryable: 'yes' } },
  ]);
  await live.resume('hooks');
  await isQuiet();
  expect((await post(port, BODY, signed())).status).toBe(202);
  await isQuiet();
  expect((await runsOf(store, 'hooks')).filter((run) => run.startsWith('full'))).toHaveLength(6);
});

test.each([
  ['no key', []],
  ['a short key', `whsec_${randomBytes(23).toString('base64')}`],
  ['a key that is no base64', 'whsec_***'],
])('%s is refused when the handler is made, without showing it', (_, keys) => {
  expect(() => live.handler('hooks', { keys })).toThrow(
    'Cannot serve a webhook as a key of it is none: write whsec_ and base64 of 24 to 64 bytes',
  );
});
