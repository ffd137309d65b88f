import { describe, expect, test } from 'vitest';
import type { HttpRules } from '../../../src/tools/built-in/http/http-rules.ts';
import { publicHttp } from '../../../src/tools/built-in/http/http-environment.ts';
import { pageTool } from '../../../src/tools/built-in/web/page-tool.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { perform } from '../tool-context.ts';
import { servePages } from './page-server.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };

const reading = async (url: string, rules: HttpRules = {}, input: object = {}) =>
  perform(pageTool({ ops: publicHttp(rules) }), { url, ...input });

/** Reads what a server of this machine answers. */
const readingOf = async (body: string | Uint8Array, headers: Record<string, string> = HTML, status = 200) => {
  const host = await servePages((_, response) => response.writeHead(status, headers).end(body));
  return reading(`http://${host}/page`, { trusted: [host] });
};

describe('a page of the web is read', () => {
  test('as Markdown, with its title and the address that it was found at', async () => {
    const host = await servePages((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/tea/' }).end();
      else response.writeHead(200, HTML).end('<title>Tea</title><h1>Tea</h1><a href="all">all</a>');
    });
    const result = await reading(`http://${host}/`, { trusted: [host] });
    expect(result).toMatchObject({
      ok: true,
      text: `Title: Tea\nURL: http://${host}/tea/\n\n# Tea\n\n[all](http://${host}/tea/all)`,
      value: { title: 'Tea', isPart: false, isCut: false },
    });
  });

  test('in its main part, or whole', async () => {
    const body = '<nav>menu</nav><main>text</main>';
    const host = await servePages((_, response) => response.writeHead(200, HTML).end(body));
    const page = await reading(`http://${host}/`, { trusted: [host] });
    expect(page.text).toMatch(/its main part[^]*\n\ntext$/);
    const whole = await reading(`http://${host}/`, { trusted: [host] }, { whole: true });
    expect(whole.text).toMatch(/\/\n\nmenu\n\ntext$/);
  });

  test.each([
    [{ 'content-type': 'text/html; charset=iso-8859-1' }, Buffer.from('caf\u00e9', 'latin1')],
    [
      { 'content-type': 'text/html; charset=windows-1252' },
      Buffer.from('<!-- \u0080 -->caf\u00e9', 'latin1'),
    ],
    [{ 'content-type': 'text/html' }, Buffer.from('<meta charset="windows-1252">caf\u00e9', 'latin1')],
    [{ 'content-type': 'text/html' }, Buffer.from('\uFEFFcaf\u00e9', 'utf16le')],
    [{ 'content-type': 'text/html; charset=none-such' }, Buffer.from('caf\u00e9')],
    [{ 'content-type': 'text/plain' }, Buffer.from('caf\u00e9')],
    [{}, Buffer.from('<!doctype html><body>caf&eacute;')],
  ])('in its encoding and form: %j', async (headers, body) => {
    expect((await readingOf(body, headers as Record<string, string>)).text).toMatch(/\n\ncafé$/);
  });

  test('a text that is no page is given as it is', async () => {
    const result = await readingOf('{"a": "<b>"}', { 'content-type': 'application/json' });
    expect(result.text).toMatch(/\n\n\{"a": "<b>"\}$/);
  });

  test('characters that nobody sees are left out', async () => {
    const result = await readingOf('<title>a\u202E\u0007</title>te\u200Bx\u{E0041}\u{E0042}t\u001B[2J');
    expect(result.text).toMatch(/^Title: a\n[^]*\n\ntext$/);
  });

  test('what is longer than the bound is cut, and says so', async () => {
    const host = await servePages((_, response) => response.writeHead(200, HTML).end('x'.repeat(5_000)));
    const result = await reading(`http://${host}/`, { trusted: [host], maxBytes: 100 });
    expect(result.text).toMatch(/\n\nx{100}\n\n\[cut here: the page is longer\]$/);
    expect(result).toMatchObject({ value: { isCut: true } });
  });

  test('by an agent, whose person sees no query', async () => {
    const host = await servePages((_, response) => response.writeHead(200, HTML).end('<p>It is 4 euros.'));
    const model = scriptedModel([
      calls({ name: 'read_page', input: { url: `http://${host}/?key=s3cret` } }),
      'Four.',
    ]);
    const tools = [pageTool({ ops: publicHttp({ trusted: [host] }) })];
    const { events, output } = await agent({ name: 'reader', tools, model }).run('What is it?');
    expect(output).toBe('Four.');
    const started = events.find(({ type }) => type === 'tool.started');
    expect(started).toMatchObject({ description: `Reading http://${host}/` });
  });
});

describe('a page is not read', () => {
  test.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'file:///etc/passwd',
    'http://a:b@x.example/',
    'x',
  ])('at %s', async (url) => {
    const tool = pageTool();
    expect(await perform(tool, { url })).toMatchObject({ ok: false, error: { code: 'tool.denied' } });
  });

  test('where a redirect leads off the public internet', async () => {
    const host = await servePages((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    expect(await reading(`http://${host}/`, { trusted: [host] })).toMatchObject({
      ok: false,
      error: { code: 'tool.denied', message: expect.stringContaining('not on the public internet') },
    });
  });

  test('at other hosts than those allowed, nor where a redirect leads to one', async () => {
    const asked: string[] = [];
    const other = await servePages((request, response) => {
      asked.push(request.url ?? '');
      response.end('evil');
    });
    const port = other.split(':')[1];
    const host = await servePages((_, response) =>
      response.writeHead(302, { location: `http://${other}/` }).end(),
    );
    const rules = {
      trusted: [host, other, `a.shop.example:${port}`, `myshop.example:${port}`],
      lookup: async () => ['127.0.0.1'],
    };
    const denied = {
      ok: false,
      error: { code: 'tool.denied', message: expect.stringContaining('its host is none of') },
    };
    const hosts = ['shop.example'];
    expect(await reading(`http://${other}/`, { ...rules, hosts })).toMatchObject(denied);
    expect(await reading(`http://myshop.example:${port}/`, { ...rules, hosts })).toMatchObject(denied);
    expect(await reading(`http://shop.example.evil.example/`, { ...rules, hosts })).toMatchObject(denied);
    expect(asked).toEqual([]);
    expect(
      await reading(`http://A.SHOP.example:${port}/`, { ...rules, hosts: ['Shop.example'] }),
    ).toMatchObject({ ok: true });
    const redirect = await reading(`http://localhost:${host.split(':')[1]}/`, {
      ...rules,
      trusted: [...rules.trusted, `localhost:${host.split(':')[1]}`],
      hosts: ['localhost'],
    });
    expect(redirect).toMatchObject(denied);
    expect(asked).toEqual(['/']);
  });

  test.each([
    [404, 'no'],
    [429, 'yes'],
    [503, 'yes'],
  ] as const)(
    'where the server answers %i, which it says, and nothing of its page',
    async (status, retryable) => {
      const result = await readingOf('<p>evil', HTML, status);
      expect(result).toMatchObject({ ok: false, error: { code: 'tool.failed', status, retryable } });
      expect(result.text).not.toContain('evil');
    },
  );

  test.each(['image/png', 'application/pdf', 'application/octet-stream'])('as it is %s', async (type) => {
    expect(await readingOf('x', { 'content-type': type })).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', message: expect.stringContaining(`no text: ${type}`), retryable: 'no' },
    });
  });

  test('within a bound of time', async () => {
    const host = await servePages((_, response) => response.writeHead(200, HTML).write('<p>'));
    expect(await reading(`http://${host}/`, { trusted: [host], timeoutMs: 300 })).toMatchObject({
      ok: false,
      error: { code: 'tool.timeout' },
    });
  });
});

test('options that do not fit are refused by name', () => {
  expect(() => callUntyped({ pageTool }, 'pageTool', { op: 1 })).toThrow(
    /^Cannot define the tool read_page as its option `op` is unknown/,
  );
  expect(() => callUntyped({ pageTool }, 'pageTool', { ops: {} })).toThrow(
    /`?ops`? is not something that makes requests/,
  );
  for (const host of ['https://a.example', 'a.example:80', 'a.example/x', '*.a.example', ''])
    expect(() => publicHttp({ hosts: [host] }), host).toThrow(/not the name of a host/);
});
