import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { Asked } from '../../../src/inspect/local/server/request-guard.ts';
import { refusalOf } from '../../../src/inspect/local/server/request-guard.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { ask, askOpen, openInspector, portOf } from './local-kit.ts';

const known = { port: 4100, token: 'right' };
const good: Asked = {
  host: '127.0.0.1:4100',
  origin: undefined,
  site: undefined,
  cookie: 'troupe_4100=right',
  authorization: undefined,
  token: undefined,
};

describe('a request', () => {
  test.each<[string, Partial<Asked>]>([
    ['by its cookie', {}],
    ['by its cookie, among others', { cookie: 'a=b; troupe_4100=right; c=d' }],
    ['by its address', { cookie: undefined, token: 'right' }],
    ['as a bearer', { cookie: undefined, authorization: 'Bearer right' }],
    ['from our page', { origin: 'http://127.0.0.1:4100', site: 'same-origin' }],
    ['by the name of the loopback', { host: 'localhost:4100', origin: 'http://localhost:4100' }],
    ['typed by a person', { site: 'none' }],
    ['by a link with the token', { cookie: undefined, site: 'cross-site', token: 'right' }],
  ])('is let in %s', (_, change) => {
    expect(refusalOf({ ...good, ...change }, known)).toBeUndefined();
  });

  test.each<[string, Partial<Asked>]>([
    ['without a host', { host: undefined }],
    ["by a name that somebody else's DNS made point here", { host: 'evil.example:4100', token: 'right' }],
    ['by another port', { host: '127.0.0.1:4101' }],
    ['by a host without a port', { host: '127.0.0.1' }],
    ['from a foreign page', { origin: 'https://evil.example', token: 'right' }],
    ['from a page of another server here', { origin: 'http://127.0.0.1:3000' }],
    ['from a page over TLS', { origin: 'https://127.0.0.1:4100' }],
    ['from a page that hides where it is from', { origin: 'null' }],
    ['by its cookie, for a foreign page', { site: 'cross-site' }],
    ['by its cookie, for a page of another server here', { site: 'same-site' }],
    ['without a token', { cookie: undefined }],
    ['with half a token', { cookie: 'troupe_4100=righ' }],
    ['with more than a token', { cookie: 'troupe_4100=right1' }],
    ['with an empty token', { cookie: 'troupe_4100=', token: '', authorization: 'Bearer ' }],
    ['with the cookie of another server', { cookie: 'troupe_4101=right' }],
    ['with a password', { cookie: undefined, authorization: 'Basic right' }],
  ])('is refused %s', (_, change) => {
    expect(refusalOf({ ...good, ...change }, known)).toEqual(expect.any(String));
  });
});

describe('an inspector', () => {
  const paths = ['/', '/api/session', '/api/recording', '/api/stored/r/recording', '/api/nothing'];

  test('tells nothing to whoever has not its token, whatever the method', async () => {
    const inspector = await openInspector({ control: true });
    for (const path of [...paths, '/api/control', '/?token=wrong'])
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
        const { status, text, headers } = await ask(portOf(inspector), path, { method });
        expect({ path, method, status }).toEqual({ path, method, status: 403 });
        expect(text).not.toContain(inspector.token);
        expect(headers['set-cookie']).toBeUndefined();
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
  });

  test.each([
    ['GET', '/api/nothing', 404],
    ['GET', '/api', 404],
    ['GET', '/../../etc/passwd', 404],
    ['GET', '/%2e%2e/package.json', 404],
    ['GET', '//evil.example/', 404],
    ['GET', '/api/stored//recording', 404],
    ['GET', '/api/stored/%zz/recording', 404],
    ['GET', '/api/stored/r/recording', 404],
    ['POST', '/', 405],
    ['POST', '/api/recording', 405],
    ['HEAD', '/api/session', 405],
    ['DELETE', '/api/stored/r/recording', 405],
    ['GET', '/api/control', 405],
  ])('answers %s %s with %d', async (method, path, status) => {
    const inspector = await openInspector({ control: true });
    const answered = await askOpen(inspector, path, { method });
    expect(answered.status).toBe(status);
    expect(answered.headers.allow !== undefined).toBe(status === 405);
  });

  test.each([
    ['text/plain', '{}', 415],
    ['application/x-www-form-urlencoded', '{}', 415],
    ['application/json', 'x'.repeat(300_000), 413],
    ['application/json', '{', 400],
    ['application/json', '{"do":"explode","run":"r"}', 400],
    ['application/json', '{"do":"pause"}', 400],
    ['application/json', '{"do":"break","breakpoints":[{"kind":"code"}]}', 400],
    ['application/json', '{"do":"pause","run":"nobody"}', 409],
  ])('answers a command of %s, %.30s, with %d', async (type, body, status) => {
    const inspector = await openInspector({ control: true });
    const answered = await askOpen(inspector, '/api/control', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(answered.status).toBe(status);
    expect(JSON.parse(answered.text)).toMatchObject({
      error: { code: expect.any(String) as string, message: expect.stringMatching(/^Cannot /) as string },
    });
  });

  test('takes no more of a long body that does not say how long it is', async () => {
    const inspector = await openInspector({ control: true });
    const socket = connect(portOf(inspector), '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (said += part));
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/control HTTP/1.1\r\nhost: 127.0.0.1:${portOf(inspector)}\r\nauthorization: Bearer ${inspector.token}\r\n` +
        'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let count = 0; count < 8; count += 1) socket.write(chunk);
    await new Promise((resolve) => socket.on('close', resolve));
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('that was opened to look on only does nothing to any run', async () => {
    const inspector = await openInspector();
    const handle = agent({ name: 'clerk', decide: () => answer('done') }).stream('go', {
      inspect: inspector,
      runId: 'r',
      paused: true,
    });
    const commands = [
      ...['pause', 'resume', 'step', 'effect', 'abort'].map((each) => ({ do: each })),
      { do: 'send', text: 'hello' },
      { do: 'approve', id: 'x' },
      { do: 'deny', id: 'x' },
      { do: 'reply', text: 'x' },
      { do: 'kill', path: 'clerk' },
      { do: 'fork', at: 0 },
      { do: 'break', breakpoints: [] },
    ];
    for (const command of commands) {
      const { status } = await askOpen(inspector, '/api/control', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ run: 'r', ...command }),
      });
      expect({ ...command, status }).toEqual({ ...command, status: 403 });
    }
    handle.resume();
    expect((await handle.result).events.map(({ type }) => type)).not.toContain('run.paused');
  });
});
