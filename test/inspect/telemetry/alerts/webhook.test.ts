import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import type { HttpOps, HttpRequest } from '../../../../src/contracts/environments/operations.ts';
import { TroupeError } from '../../../../src/contracts/errors/error.ts';
import { alertOf } from '../../../../src/inspect/telemetry/alerts/alert.ts';
import { webhook } from '../../../../src/inspect/telemetry/alerts/webhook.ts';
import { virtualClock } from '../../../../src/testing/virtual-clock.ts';
import { publicHttp } from '../../../../src/tools/built-in/http/http-environment.ts';

const secret = 'a secret of some length';

const alert = alertOf({
  key: '{}',
  rule: { name: 'slow runs', metric: 'run.latency', over: 5_000 },
  status: 'firing',
  subject: { agent: 'ann' },
  at: 1_700_000_000_000,
  value: 5_001,
  runs: ['a'],
  repeats: 0,
});

/** HTTP that answers by a script, and keeps what it was asked. */
const scripted = (...answers: readonly (number | Error)[]) => {
  const asked: HttpRequest[] = [];
  const http: HttpOps = {
    request: (request) => {
      asked.push(request);
      const next = answers[asked.length - 1] ?? 200;
      if (next instanceof Error) return Promise.reject(next);
      return Promise.resolve({ url: request.url, status: next, headers: {}, text: '', isCut: false });
    },
  };
  return { http, asked };
};

const url = 'https://ops.example/alerts';

describe('a webhook', () => {
  test('[KAIZEN-56] posts the alert as JSON, signed over time and body', async () => {
    const { http, asked } = scripted();
    await webhook({ url, secret, http, clock: virtualClock(1_700_000_000_999) })(alert);
    const { body, headers, method } = asked[0] ?? {};
    expect(method).toBe('POST');
    expect(JSON.parse(String(body))).toEqual(JSON.parse(JSON.stringify(alert)));
    const hex = createHmac('sha256', secret)
      .update(`1700000000.${String(body)}`)
      .digest('hex');
    expect(headers?.['x-troupe-signature']).toBe(`t=1700000000,v1=${hex}`);
    expect(JSON.stringify(asked)).not.toContain(secret);
  });

  test('tries again where the other side is to blame, waits longer each time, and then gives up', async () => {
    const waits: number[] = [];
    const clock: Clock = {
      ...virtualClock(),
      setTimeout: (callback, ms) => {
        waits.push(ms);
        queueMicrotask(callback);
      },
    };
    const broken = scripted(503, new TroupeError('tool.failed', 'Cannot connect'), 200);
    await webhook({ url, secret, http: broken.http, clock })(alert);
    expect(broken.asked).toHaveLength(3);
    expect(waits).toEqual([1_000, 2_000]);
    const ids = broken.asked.map(({ headers }) => headers?.['x-troupe-alert']);
    expect(new Set(ids).size).toBe(1);
    const down = scripted(500, 500, 500);
    await expect(webhook({ url, secret, http: down.http, clock })(alert)).rejects.toThrow(
      'ops.example as it answered 500',
    );
    expect(down.asked).toHaveLength(3);
  });

  test('does not try again what is refused', async () => {
    for (const refusal of [404, new TroupeError('tool.denied', 'not public', { retryable: 'no' })]) {
      const { http, asked } = scripted(refusal);
      await expect(webhook({ url, secret, http })(alert)).rejects.toThrow(/404|not public/);
      expect(asked).toHaveLength(1);
    }
  });

  test('stops waiting when it is aborted', async () => {
    const { http, asked } = scripted(500, 500);
    const abort = new AbortController();
    const clock = virtualClock();
    const sent = webhook({ url, secret, http, clock })(alert, abort.signal);
    sent.catch(() => undefined);
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await expect(sent).rejects.toThrow('answered 500');
    expect([asked.length, clock.pending]).toEqual([1, 0]);
  });

  test('reaches no address behind the firewall, and a trusted one as the server gets it', async () => {
    let got: { readonly headers: IncomingHttpHeaders; readonly body: string } | undefined;
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        got = { headers: request.headers, body };
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const here = `http://127.0.0.1:${port}/`;
    await expect(webhook({ url: here, secret })(alert)).rejects.toThrow('Cannot fetch');
    await expect(webhook({ url: 'http://169.254.169.254/', secret })(alert)).rejects.toThrow(
      'not on the public internet',
    );
    expect(got).toBeUndefined();
    const http = publicHttp({ methods: ['POST'], trusted: [`127.0.0.1:${port}`] });
    await webhook({ url: here, secret, http })(alert);
    expect(got?.body).toBe(JSON.stringify(alert));
    expect(got?.headers['x-troupe-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });

  test('with an address or a secret that does not fit is refused, and the secret is not shown', () => {
    expect(() => webhook({ url: 'file:///etc/passwd', secret })).toThrow('its url is not an address');
    expect(() => webhook({ url: 'https://a:b@ops.example', secret })).toThrow('its url is not an address');
    expect(() => webhook({ url, secret: 'short' })).toThrow('fewer than 16 characters: found 5');
    expect(() => webhook({ url, secret: 5 as never })).toThrow('found a value of type number');
  });
});
