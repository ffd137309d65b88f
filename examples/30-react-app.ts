// An agent in a React app that Vite builds: `useAgent` gives a component everything it needs, under StrictMode and fast refresh.
// The app is in `30-react-app`: `npx vite examples/30-react-app` serves it for experiments. This file builds it, and tests
// the agent in a browser if there is one.
//
//   npx tsx examples/30-react-app.ts
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';

const folder = mkdtempSync(join(tmpdir(), 'react-app-'));
const app = {
  configFile: join(import.meta.dirname, '30-react-app/vite.config.ts'),
  cacheDir: join(folder, 'cache'),
  logLevel: 'error',
  build: { outDir: join(folder, 'app'), chunkSizeWarningLimit: 1_000 },
} as const;
await build(app);
const server = await preview({ ...app, preview: { port: 0, host: '127.0.0.1' } });
const address = server.resolvedUrls?.local[0] ?? '';
console.log('app:    built, and served on this machine');

const found = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);
if (found === undefined) console.log('answer: open it in a browser');
else {
  const browser = await chromium.launch({ executablePath: found, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(address);
  await page.getByText('Send').click();
  await page.getByText('Yes').click();
  const answer = page.getByText('Done: 12 litres on the beans.');
  await answer.waitFor();
  console.log(`answer: ${await answer.textContent()}`);
  console.log(`calls:  ${(await page.locator('.call b').allTextContents()).join(', ')}`);
  assert.equal(await page.locator('.status').textContent(), 'completed');
  assert.deepEqual(problems, []);
  await browser.close();
}
await server.close();
rmSync(folder, { recursive: true });
