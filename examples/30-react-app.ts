// An agent in a React app: its machine is the component's actor, by `@xstate/react`, and the page shows what it does while it does it.
// The app is `30-react-app/app.tsx`; this builds it, and looks at it in a browser where there is one.
//
//   npx tsx examples/30-react-app.ts
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, '30-react-app/app.tsx')],
  bundle: true,
  write: false,
  format: 'iife',
  platform: 'browser',
  minify: true,
  // What the app has no use for is loaded when it is used, so it can stay out.
  external: ['openai', '@anthropic-ai/sdk', '@pydantic/genai-prices', 'libsql', 'pg', 'node:*'],
  jsx: 'automatic',
  // As every template does it: StrictMode starts each actor, stops it, and starts it again.
  define: { 'process.env.NODE_ENV': '"development"' },
  logLevel: 'warning',
});
const script = outputFiles[0]?.text ?? '';
console.log(`app:    ${Math.round(script.length / 1024)} kB of JavaScript, no server`);

const folder = mkdtempSync(join(tmpdir(), 'react-app-'));
const page = join(folder, 'index.html');
writeFileSync(
  page,
  `<!doctype html><meta charset="utf-8"><div id="app"></div><script>${script.replaceAll('</', '<\\/')}</script>`,
);

const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (found === undefined) console.log(`answer: open ${page} in a browser`);
else {
  const browser = await chromium.launch({ executablePath: found, args: ['--no-sandbox'] });
  const tab = await browser.newPage();
  const problems: string[] = [];
  tab.on('pageerror', ({ message }) => problems.push(message));
  await tab.goto(pathToFileURL(page).href);
  const answer = tab.getByText('It is 42.');
  await answer.waitFor();
  console.log(`answer: ${await answer.textContent()}`);
  console.log(`calls:  ${await tab.locator('.calls').textContent()}`);
  assert.equal(await tab.locator('.calls').textContent(), 'add: 42');
  assert.deepEqual(problems, []);
  await browser.close();
  rmSync(folder, { recursive: true });
}
