import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import * as React from 'react';
import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { serve } from '../../src/runtime/serve/serve.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { sseResponse } from '../../src/runtime/serve/streams/sse.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { speakingModel } from '../client/speaking-model.ts';
import { listen } from '../runtime/serve/serve-kit.ts';
import { serveLoopback } from '../inspect/publishing/loopback.ts';
import { describeInChromium } from '../support/chromium.ts';
import { deferred, echo } from '../support/runs.ts';
import { isThorough } from '../support/thorough.ts';
import { appOf, problemsOf } from './open-page.ts';
import type { ServedApp } from './vite-app.ts';
import { serveApp } from './vite-app.ts';
import { takePicture } from '../support/pictures.ts';

const root = resolve(import.meta.dirname, '../..');
const example = join(root, 'examples/30-react-app');
const probe = join(import.meta.dirname, 'probe');

/** Whether the React that is tested can hide what is mounted: 18, the oldest supported one, cannot. */
const canHide = 'Activity' in React;

/** Counts the timers that are set and not yet over. */
const countTimers = (): void => {
  const live = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const counted = (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): unknown => {
    const timer: unknown = set(() => {
      live.delete(timer);
      work(...given);
    }, ms);
    live.add(timer);
    return timer;
  };
  const cleared = (timer: number): void => {
    live.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, { setTimeout: counted, clearTimeout: cleared, timers: live });
};

/** Resolves once the page has such an element, were it for a moment: a busy machine may not paint it, for which Playwright waits. */
const untilThere = (place: string): Promise<void> =>
  new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(place) === null) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  });

const open = async (browser: Browser, url: string): Promise<{ page: Page; problems: string[] }> => {
  const page = await browser.newPage({ viewport: { width: 900, height: 760 } });
  onTestFinished(() => page.close());
  const problems = problemsOf(page);
  await page.addInitScript(countTimers);
  await page.goto(url);
  return { page, problems };
};

const counts = (page: Page) =>
  page.evaluate<Record<'runs' | 'asked' | 'called' | 'aborted', number>>('({ ...probe.counts })');

const says = async (page: Page, place: string, text: string): Promise<void> => {
  await expect.poll(() => page.locator(place).textContent(), { timeout: 30_000 }).toBe(text);
};

describeInChromium('an agent in a component', (browser) => {
  const app = appOf(probe);
  const openProbe = async () => {
    const opened = await open(browser(), app().url);
    await opened.page.waitForFunction('globalThis.probe !== undefined', undefined, { timeout: 50_000 });
    return opened;
  };

  test('runs once under StrictMode, and a second run goes on from the first', async () => {
    const { page, problems } = await openProbe();
    await page.evaluate('probe.mount("agent", "begin")');
    await says(page, '.phase', 'ACT');
    await page.evaluate('probe.open()');
    await says(page, '.status', 'completed');
    await says(page, '.text', 'It is fetched.');
    expect(await counts(page)).toMatchObject({ runs: 1, asked: 2, called: 1, aborted: 0 });
    await page.getByText('send').click();
    await says(page, '.phase', 'ACT');
    await page.evaluate('probe.open()');
    await says(page, '.status', 'completed');
    // It was shown all that was said before: no run begins anew.
    expect(await counts(page)).toMatchObject({ runs: 1, asked: 4, called: 2, aborted: 0 });
    expect(await page.locator('li').allTextContents()).toEqual([
      'begin',
      '',
      'It is fetched.',
      'go',
      '',
      'It is fetched.',
    ]);
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test.runIf(canHide)('hidden in mid-run rests, and shown again goes on to its end', async () => {
      const { page, problems } = await openProbe();
      await page.evaluate('probe.mount("agent", "begin")');
      await says(page, '.phase', 'ACT');
      await page.getByText('toggle').click();
      await expect.poll(async () => (await counts(page)).aborted).toBe(1);
      await page.getByText('toggle').click();
      await expect.poll(async () => (await counts(page)).called).toBe(2);
      await page.evaluate('probe.open()');
      await says(page, '.status', 'completed');
      await says(page, '.text', 'It is fetched.');
      // What a model answered is never asked for again.
      expect(await counts(page)).toMatchObject({ runs: 1, asked: 2, called: 2, aborted: 1 });
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('unmounted in mid-run is aborted, and leaves nothing behind', async () => {
      const { page, problems } = await openProbe();
      const timers = () => page.evaluate<number>('timers.size');
      const before = await timers();
      for (let time = 1; time <= 3; time += 1) {
        await page.evaluate('probe.mount("agent", "begin")');
        await says(page, '.phase', 'ACT');
        await page.evaluate('probe.unmount()');
        await expect.poll(async () => (await counts(page)).aborted).toBe(time);
      }
      await expect.poll(timers).toBeLessThanOrEqual(before);
      expect(await counts(page)).toMatchObject({ runs: 3, asked: 3, called: 3 });
      // Nothing of what the runs were given or made is reachable, once the tool that ignores its signal is over.
      await page.evaluate('probe.open()');
      const kept = async () => {
        await page.requestGC();
        return page.evaluate<readonly string[]>('probe.kept()');
      };
      await expect.poll(kept).toEqual([]);
      expect(problems).toEqual([]);
    });

  test('rendered by a server, both hooks go on from that in the page without a word', async () => {
    const { page, problems } = await openProbe();
    await page.evaluate('probe.hydrate("agent", "begin")');
    await says(page, '.phase', 'ACT');
    await page.evaluate('probe.unmount()');
    await page.evaluate('probe.hydrate("handle")');
    await says(page, '.elsewhere', 'open running ');
    await page.evaluate('probe.open()');
    await says(page, '.elsewhere', 'closed completed It is fetched.');
    expect(problems).toEqual([]);
  });

  /** A server with an agent that says what a test has it say; `streams` are those that are open, `runs` were started. */
  const serveTeller = async () => {
    const { model, say, end } = speakingModel();
    const origins = ['*'];
    const agents = { teller: agent({ name: 'teller', model }) };
    const engine = createGlobalEngine();
    const service = serve(engine, { agents, store: memoryStore(), auth: 'none', origins });
    const streams = new Set<Request>();
    const runs: Request[] = [];
    const server = await listen(async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/runs')) runs.push(request);
      const response = await service.fetch(request);
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
        streams.add(request);
        request.signal.addEventListener('abort', () => streams.delete(request));
      }
      return response;
    });
    onTestFinished(async () => {
      engine.abort();
      await service.drain({ withinMs: 1 });
      await server[Symbol.asyncDispose]();
    });
    return { url: server.url, service, say, end, streams, runs };
  };

  test('of a server is run once under StrictMode, and streams', async () => {
    const teller = await serveTeller();
    const { page, problems } = await openProbe();
    await page.evaluate(`probe.mount("served:${teller.url}", "begin")`);
    await says(page, '.connection', 'open');
    await expect
      .poll(() => {
        teller.say('Once ');
        return page.locator('.text').textContent();
      })
      .toMatch(/^(Once )+$/);
    expect(teller.runs).toHaveLength(1);
    teller.end('Once upon a time.');
    await says(page, '.status', 'completed');
    expect(await page.locator('li').allTextContents()).toEqual(['begin', 'Once upon a time.']);
    expect(teller.runs).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test.runIf(canHide)(
    'of a server is left alone by hiding, which hangs up, and shown again as it is by then',
    async () => {
      const teller = await serveTeller();
      const { page, problems } = await openProbe();
      await page.evaluate(`probe.mount("served:${teller.url}", "begin")`);
      await says(page, '.connection', 'open');
      await expect.poll(() => teller.streams.size).toBe(1);
      await page.getByText('toggle').click();
      await expect.poll(() => teller.streams.size).toBe(0);
      teller.end('Once upon a time.');
      const isOver = async () => {
        const listed = await teller.service.fetch(new Request(`${teller.url}/runs`));
        return (await listed.text()).includes('"completed"');
      };
      await expect.poll(isOver).toBe(true);
      await page.getByText('toggle').click();
      await says(page, '.status', 'completed');
      await says(page, '.text', 'Once upon a time.');
      expect(teller.runs).toHaveLength(1);
      expect(problems).toEqual([]);
    },
  );

  test('of a server, unmounted in mid-run, leaves nothing behind in the page, and its run on the server', async () => {
    const teller = await serveTeller();
    const { page, problems } = await openProbe();
    const before = await page.evaluate<number>('timers.size');
    await page.evaluate(`probe.hydrate("served:${teller.url}", "begin")`);
    await says(page, '.connection', 'open');
    await expect.poll(() => teller.streams.size).toBe(1);
    await page.evaluate('probe.unmount()');
    await expect.poll(() => teller.streams.size).toBe(0);
    await expect.poll(() => page.evaluate<number>('timers.size')).toBeLessThanOrEqual(before);
    const listed = await teller.service.fetch(new Request(`${teller.url}/runs`));
    expect(await listed.json()).toMatchObject({ runs: [{ status: 'running' }] });
    expect(problems).toEqual([]);
  });

  test("[FIND-07] is an actor to XState's own hook, under StrictMode", async () => {
    const { page, problems } = await openProbe();
    await page.evaluate('probe.mount("actor")');
    await says(page, '.phase', '{"running":"ACT"}');
    await page.evaluate('probe.open()');
    await says(page, '.text', 'It is fetched.');
    expect(await counts(page)).toMatchObject({ runs: 1, asked: 2, called: 1, aborted: 0 });
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('is stopped by a click', async () => {
      const { page, problems } = await openProbe();
      await page.evaluate('probe.mount("agent")');
      await says(page, '.status', 'idle');
      await page.getByText('send').click();
      await says(page, '.phase', 'ACT');
      await page.getByText('stop').click();
      await says(page, '.status', 'aborted');
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test.runIf(canHide)(
      'shows a run that is served elsewhere, hidden and shown again from where it was',
      async () => {
        const gate = deferred<string>();
        const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), () => gate.promise]);
        const handle = agent({ name: 'far', tools: [echo], model }).stream('go');
        const asked: (string | null)[] = [];
        const server = await serveLoopback((request) => {
          const headers = {
            'access-control-allow-origin': '*',
            'access-control-allow-headers': 'last-event-id',
          };
          if (request.method === 'OPTIONS') return new Response(null, { headers });
          asked.push(request.headers.get('last-event-id'));
          return sseResponse(handle, { after: request, headers, secrets: {} });
        });
        onTestFinished(() => server.close());
        const { page, problems } = await openProbe();
        await page.evaluate(`probe.mount(${JSON.stringify(server.url)})`);
        await says(page, '.elsewhere', 'open running ');
        expect(asked).toEqual([null]);
        await page.getByText('toggle').click();
        await page.waitForFunction('document.querySelector(".elsewhere").style.display === "none"');
        gate.resolve('Far away.');
        await handle.result;
        await page.getByText('toggle').click();
        await says(page, '.elsewhere', 'closed completed Far away.');
        expect(Number(asked[1])).toBeGreaterThan(0);
        expect(asked).toHaveLength(2);
        expect(problems).toEqual([]);
      },
    );

  if (isThorough)
    test.runIf(canHide)(
      'shows a run by its handle, which its hiding and its unmounting leave alone',
      async () => {
        const { page, problems } = await openProbe();
        await page.evaluate('probe.mount("handle")');
        await says(page, '.elsewhere', 'open running ');
        await page.getByText('toggle').click();
        await page.waitForFunction('document.querySelector(".elsewhere").style.display === "none"');
        await page.evaluate('probe.unmount()');
        await page.evaluate('probe.open()');
        await page.evaluate('probe.mount("handle")');
        await says(page, '.elsewhere', 'closed completed It is fetched.');
        expect(await counts(page)).toMatchObject({ runs: 1, asked: 2, called: 1, aborted: 0 });
        expect(problems).toEqual([]);
      },
    );
});

describeInChromium('example 30', (browser) => {
  const app = appOf(example);

  test.runIf(canHide)('is a chat that streams, asks, waits while hidden, and goes on', async () => {
    const { page, problems } = await open(browser(), app().url);
    await page.getByText('Send').waitFor({ timeout: 50_000 });
    const streams = page.evaluate(untilThere, '.streaming');
    await page.getByText('Send').click();
    await streams;
    await takePicture(page, 'react-streaming');
    await page.getByText('Watering the beans with 12 litres?').waitFor({ timeout: 30_000 });
    await takePicture(page, 'react-request');
    await page.getByText('About').click();
    await page.getByText('waits until you are back').waitFor();
    await takePicture(page, 'react-hidden');
    await page.getByRole('button', { name: 'Chat' }).click();
    await page.getByText('Yes').click();
    await says(page, '.status', 'completed');
    expect(await page.locator('.messages > li').last().textContent()).toBe('Done: 12 litres on the beans.');
    await takePicture(page, 'react-completed');
    expect(problems).toEqual([]);
  });
});

/** Every module is asked for, which takes half a minute. */
const describeServed = isThorough ? describeInChromium : () => undefined;

describeServed('example 30, served by Vite as while somebody develops it', (browser) => {
  // A copy, as it is edited.
  const folder = join(root, `.tmp/react-app-${process.pid}`);
  let app: ServedApp;
  beforeAll(async () => {
    cpSync(example, folder, { recursive: true });
    app = await serveApp(folder, async (vite) => {
      const { App } = (await vite.ssrLoadModule('/app.tsx')) as { readonly App: () => null };
      return renderToString(createElement(StrictMode, null, createElement(App)));
    });
    return async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  test.runIf(canHide)(
    'is rendered by a server, and goes on from that in the browser without a word',
    async () => {
      const html = await (await fetch(`${app.url}rendered`)).text();
      expect(html).toContain('The gardener</h1>');
      expect(html).toContain('idle');
      const { page, problems } = await open(browser(), `${app.url}rendered`);
      await page.waitForFunction(
        `Object.keys(document.querySelector('form') ?? {}).some((key) => key.startsWith('__react'))`,
        undefined,
        { timeout: 50_000 },
      );
      await page.getByText('Send').click();
      await page.getByText('No', { exact: true }).click({ timeout: 30_000 });
      await says(page, '.status', 'completed');
      expect(await page.locator('.messages > li').last().textContent()).toContain('I leave the beans dry');
      await takePicture(page, 'react-denied');
      expect(problems).toEqual([]);
    },
  );

  test.runIf(canHide)('keeps its run while its component is edited', async () => {
    const { page, problems } = await open(browser(), app.url);
    await page.getByText('Send').click({ timeout: 50_000 });
    await page.getByText('Watering the beans with 12 litres?').waitFor({ timeout: 30_000 });
    await page.evaluate('globalThis.isTheSamePage = true');
    const chat = join(folder, 'chat.tsx');
    writeFileSync(chat, readFileSync(chat, 'utf8').replace('The gardener', 'Your gardener'));
    await page.getByText('Your gardener').waitFor({ timeout: 30_000 });
    // The agent itself is edited, too: the run goes on as it began.
    const gardener = join(folder, 'gardener.ts');
    const before = readFileSync(gardener, 'utf8');
    writeFileSync(gardener, before.replace('Look after the garden.', 'Look after it well.'));
    writeFileSync(chat, readFileSync(chat, 'utf8').replace('Your gardener', 'Our gardener'));
    await page.getByText('Our gardener').waitFor({ timeout: 30_000 });
    await page.getByText('Yes').click();
    await says(page, '.status', 'completed');
    expect(await page.locator('.messages > li').last().textContent()).toBe('Done: 12 litres on the beans.');
    expect(await page.evaluate('globalThis.isTheSamePage')).toBe(true);
    expect(problems).toEqual([]);
  });
});
