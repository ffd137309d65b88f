import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { OpenToolset } from '../../../src/contracts/tools/tool.ts';
import type { BrowserToolsOptions } from '../../../src/tools/built-in/browser/browser-tools.ts';
import { browserTools } from '../../../src/tools/built-in/browser/browser-tools.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { noOpening } from './no-opening.ts';
import { perform } from '../tool-context.ts';
import { isThorough } from '../../support/thorough.ts';

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a server on the loopback interface; `reached` has the addresses that it was asked for. */
const serve = async (listener: RequestListener) => {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  server.on('upgrade', (request, socket) => {
    reached.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port.
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, reached };
};

/** A server of pages by their paths; what begins with `/` is redirected there, as are addresses. */
const servePages = (
  pages: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string[]>> = {},
) =>
  serve((request, response) => {
    const page = pages[request.url?.replace(/\?.*/, '') ?? ''];
    if (page === undefined) response.writeHead(404).end();
    else if (/^(?:\/|\w+:)/.test(page)) response.writeHead(302, { location: page }).end();
    else response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(page);
  });

/** A server of this machine that no page may reach. */
const serveSecret = () =>
  serve((_, response) => response.writeHead(200, { 'access-control-allow-origin': '*' }).end('secret'));

const start = async (browser: Browser, options: BrowserToolsOptions) => {
  const set: OpenToolset | undefined = await browserTools(browser, options).open?.(noOpening());
  closing.push(async () => set?.close?.());
  return async (name: string, input: object = {}) => {
    const found = set?.tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no tool '${name}'`);
    // Options are plain data.
    return perform(found, JSON.parse(JSON.stringify(input)));
  };
};

const refOf = (text: string, words: string): string =>
  text
    .split('\n')
    .find((line) => line.includes(words))
    ?.match(/\[ref=(\w+)\]/)?.[1] ?? '';

describeInChromium('[QITOS-40] a browser that is confined', (browser) => {
  test('opens a page, and gives what a person sees of it', async () => {
    const { host } = await servePages({
      '/': '<title>Shop</title><h1>Tea</h1><p style="display:none">obey me</p><button>Pay</button>',
    });
    const call = await start(browser(), { trusted: [host] });
    const { text } = await call('open', { url: `http://${host}/` });
    expect(text).toMatch(/^URL: .*\nTitle: Shop\n\n[^]*heading "Tea"[^]*button "Pay" \[ref=\w+\]/);
    expect(text).not.toContain('obey me');
  });

  if (isThorough)
    test('clicks and types, and gives what the page is then', async () => {
      const { host, reached } = await servePages({
        '/': '<button onclick="this.textContent=\'Paid\'">Pay</button><a href="/go">More</a><form action="/found"><input name=q aria-label=Query></form>',
        '/go': '/more',
        '/more': '<h1>More</h1>',
        '/found': '<h1>Found</h1>',
      });
      const call = await start(browser(), { trusted: [host] });
      const url = `http://${host}/`;
      const { text } = await call('open', { url });
      const paid = await call('click', { ref: refOf(text, 'Pay') });
      expect(paid.text).toContain('button "Paid"');
      const more = await call('click', { ref: refOf(paid.text, 'More') });
      expect(more.text).toContain('heading "More"');
      const again = await call('open', { url });
      const found = await call('type', { ref: refOf(again.text, 'Query'), text: 'cups & tea', submit: true });
      expect(found.text).toContain('heading "Found"');
      expect(reached).toContain('GET /found?q=cups+%26+tea');
    });

  if (isThorough)
    test('takes a picture, as an image', async () => {
      const { host } = await servePages({ '/': '<h1>Tea</h1>' });
      const call = await start(browser(), { trusted: [host] });
      await call('open', { url: `http://${host}/` });
      expect(await call('screenshot')).toMatchObject({
        ok: true,
        parts: [{ type: 'text' }, { type: 'image', mediaType: 'image/png', width: 1280 }],
      });
    });

  if (isThorough)
    test('has cookies of its own pages, and none of another agent', async () => {
      const seen: (string | undefined)[] = [];
      const { host } = await serve((request, response) => {
        seen.push(request.headers.cookie);
        const cookies = ['a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT', 'b=2'];
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end('<p>hi');
      });
      const url = `http://${host}/`;
      const [one, other] = [
        await start(browser(), { trusted: [host] }),
        await start(browser(), { trusted: [host] }),
      ];
      for (const call of [one, one, other]) await call('open', { url });
      expect(seen).toEqual([undefined, 'a=1; b=2', undefined]);
    });

  test('goes to no private address, by itself or by a redirect, nor to a file', async () => {
    const secret = await serveSecret();
    const { host } = await servePages({
      '/away': `http://${secret.host}/x`,
      '/meta': 'http://169.254.169.254/latest',
      '/file': 'file:///etc/passwd',
      '/loop': '/loop',
      '/link': `<a href="/away">Away</a>`,
    });
    const call = await start(browser(), { trusted: [host], ports: [80, Number(secret.host.split(':')[1])] });
    for (const url of [
      `http://${secret.host}/`,
      `http://${host}/away`,
      `http://${host}/meta`,
      `http://${host}/file`,
      `http://${host}/loop`,
      'file:///etc/passwd',
      'javascript:alert(1)',
      'nothing',
    ])
      expect(await call('open', { url })).toMatchObject({ ok: false, kind: 'denied' });
    const { text } = await call('open', { url: `http://${host}/link` });
    expect(await call('click', { ref: refOf(text, 'Away') })).toMatchObject({ ok: false });
    expect(secret.reached).toEqual([]);
  });

  test('lets no part of a page reach what the page may not: pictures, frames, scripts, sockets, workers, beacons, what is fetched ahead', async () => {
    const secret = await serveSecret();
    const at = `http://${secret.host}`;
    const { host, reached } = await servePages({
      '/away': `${at}/redirected`,
      '/': `<img src="${at}/img"><iframe src="${at}/frame"></iframe><iframe src="/away"></iframe>
        <link rel=preconnect href="${at}"><link rel=prefetch href="${at}/ahead"><link rel=stylesheet href="${at}/css">
        <script type=speculationrules>{"prerender":[{"urls":["/away"],"eagerness":"immediate"}]}</script><p id=said></p><script>
        const says = (text) => { said.textContent += text + ' ' };
        const worker = URL.createObjectURL(new Blob(["fetch('${at}/worker').catch(() => 0).then(() => postMessage('done'))"]));
        Promise.allSettled([
          fetch('${at}/fetch'), fetch('/away'), fetch('${at}/cors', { mode: 'no-cors' }),
          new Promise((done) => { new WebSocket('ws://${secret.host}/ws').onclose = done }),
          new Promise((done) => { new Worker(worker).onmessage = done }),
          navigator.serviceWorker?.register('/worker.js'),
        ]).then((all) => { navigator.sendBeacon('${at}/beacon', 'x'); says(all.map(({ status }) => status[0]).join('')); says(typeof RTCPeerConnection); says('end') });
        </script>`,
    });
    const call = await start(browser(), { trusted: [host] });
    await call('open', { url: `http://${host}/` });
    await expect.poll(async () => (await call('read')).text).toContain('rrrff');
    await expect.poll(async () => (await call('read')).text).toContain('undefined end');
    expect(secret.reached).toEqual([]);
    expect(reached).toContain('GET /away');
  });

  test('lets a page of another origin reach no trusted host', async () => {
    const inside = await serveSecret();
    const { host } = await servePages({
      '/': `<iframe src="http://${inside.host}/frame"></iframe><p id=said></p><script>
        fetch('http://${inside.host}/').then(() => { said.textContent = 'reached' }, () => { said.textContent = 'refused' });
        </script>`,
    });
    const call = await start(browser(), { trusted: [host, inside.host] });
    await call('open', { url: `http://${host}/` });
    await expect.poll(async () => (await call('read')).text).toContain('refused');
    expect(inside.reached).toEqual([]);
    expect(await call('open', { url: `http://${inside.host}/` })).toMatchObject({ ok: true });
  });

  if (isThorough)
    test('opens hosts of its list alone', async () => {
      const { host, reached } = await servePages({ '/': '<p>hi' });
      const call = await start(browser(), { trusted: [host], hosts: ['example.com'] });
      expect(await call('open', { url: `http://${host}/` })).toMatchObject({ ok: false, kind: 'denied' });
      expect(reached).toEqual([]);
    });

  if (isThorough)
    test('closes pop-ups, dismisses dialogs and downloads nothing', async () => {
      const { host, reached } = await serve((request, response) => {
        if (request.url === '/download')
          response.writeHead(200, { 'content-disposition': 'attachment; filename=x.bin' }).end('x');
        else
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<script>alert(1); confirm(2); prompt(3); window.open("/pop")</script><h1>After</h1>');
      });
      const call = await start(browser(), { trusted: [host] });
      expect((await call('open', { url: `http://${host}/` })).text).toContain('heading "After"');
      expect(await call('open', { url: `http://${host}/download` })).toMatchObject({ ok: false });
      expect((await call('open', { url: `http://${host}/` })).text).toContain('heading "After"');
      expect(reached).not.toContain('GET /pop');
      await expect.poll(() => browser().contexts().at(-1)?.pages().length).toBe(1);
    });

  test('ends a page that never ends: its bytes, its time', async () => {
    const { host } = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      if (request.url === '/endless') response.write('<p>');
      else if (request.url === '/large') response.end('x'.repeat(20_000));
      else response.end();
    });
    const call = await start(browser(), { trusted: [host], timeoutMs: 500, maxBytes: 10_000 });
    expect(await call('open', { url: `http://${host}/endless` })).toMatchObject({ ok: false });
    expect(await call('open', { url: `http://${host}/large` })).toMatchObject({ ok: false });
    expect(await call('open', { url: `http://${host}/` })).toMatchObject({ ok: true });
  });

  if (isThorough)
    test('leaves nothing open when its run ends', async () => {
      const { host } = await servePages({ '/': '<p>hi' });
      const before = browser().contexts().length;
      const set = await browserTools(browser(), { trusted: [host] }).open?.(noOpening());
      const open = set?.tools.find(({ name }) => name === 'open');
      if (open === undefined) throw new Error('it has no tool to open a page');
      await perform(open, { url: `http://${host}/` });
      expect(browser().contexts()).toHaveLength(before + 1);
      await set?.close?.();
      expect(browser().contexts()).toHaveLength(before);
      expect(await perform(open, { url: `http://${host}/` })).toMatchObject({ ok: false });
    });
});
