/**
 * Tries the built site in Chromium: every page at a desk's and at a phone's width, every program of every page, and one that is changed.
 *
 *   npm run docs && npx tsx scripts/site-check.ts
 */
import { readFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { findBrowser } from '../test/support/find-browser.ts';
import { readerPages } from './pages.ts';

const root = resolve(import.meta.dirname, '..');
const site = join(root, '.tmp/site');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
  const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
  const found = [file, `${file}.html`].find((each) => extname(each) !== '' && existsSync(each));
  if (found === undefined) {
    response.writeHead(404).end();
    return;
  }
  void readFile(found).then((body) => {
    response.writeHead(200, { 'content-type': types[extname(found)] ?? 'application/octet-stream' });
    response.end(body);
  });
});

/** What the programs of a page print, as their comments have it. */
const expected = (page: string): readonly (readonly string[])[] =>
  Array.from(
    readFileSync(join(root, page), 'utf8').matchAll(/```ts playground\n([\s\S]*?)```/g),
    ([, code = '']) => Array.from(code.matchAll(/\/\/ => (.*)$/gm), ([, text = '']) => text.trim()),
  );

const problems: string[] = [];
let ran = 0;

const tryPage = async (browser: Browser, address: string, page: string, width: number): Promise<void> => {
  const tab = await browser.newPage({ viewport: { width, height: 850 } });
  const where = `${page} at ${width}`;
  tab.on('pageerror', ({ message }) => problems.push(`${where}: ${message}`));
  tab.on('response', (answer) => {
    if (answer.status() >= 400) problems.push(`${where}: ${answer.status()} ${answer.url()}`);
  });
  await tab.goto(`${address}/${page.replace(/^docs\//, '').replace(/(?:index)?\.md$/, '')}`, {
    waitUntil: 'networkidle',
  });
  const over = await tab.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  if (over > 0) problems.push(`${where}: ${over} pixels too wide`);
  const wanted = expected(page);
  const shown = await tab.locator('.playground').count();
  if (shown !== wanted.length) problems.push(`${where}: ${shown} programs, and not ${wanted.length}`);
  // What runs at one width runs at the other.
  for (let index = 0; width > 500 && index < shown; index += 1) {
    const program = tab.locator('.playground').nth(index);
    await program.locator('button.run').click();
    await program.locator('button.run', { hasText: 'Run again' }).waitFor({ timeout: 60_000 });
    const printed =
      (await program.locator('.printed').count()) === 0 ? '' : await program.locator('.printed').innerText();
    let rest = printed;
    for (const text of wanted[index] ?? []) {
      if (!rest.includes(text))
        problems.push(`${where}, program ${index + 1}: printed ${printed}, and not ${text}`);
      rest = rest.slice(Math.max(0, rest.indexOf(text)));
    }
    if ((await program.locator('.state').count()) === 0)
      problems.push(`${where}, program ${index + 1}: no chart`);
    ran += 1;
  }
  await tab.close();
};

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Changes a program, in ways that run and in ways that do not, and puts it back. */
const tryEditing = async (browser: Browser, address: string, page: string, width: number): Promise<void> => {
  const tab = await browser.newPage({ viewport: { width, height: 850 } });
  const where = `${page}, changed, at ${width}`;
  const expect = (holds: boolean, what: string): void => {
    if (!holds) problems.push(`${where}: ${what}`);
  };
  await tab.goto(`${address}/${page.replace(/^docs\//, '').replace(/\.md$/, '')}`, {
    waitUntil: 'networkidle',
  });
  const program = tab.locator('.playground').first();
  const text = program.locator('textarea');
  const given = await text.inputValue();
  const run = async (): Promise<string> => {
    await program.locator('button.run').click();
    await program.locator('button.run', { hasText: 'Run again' }).waitFor({ timeout: 60_000 });
    const printed = program.locator('.printed');
    return (await printed.count()) === 0 ? '' : printed.innerText();
  };
  const placeOf = async (part: string): Promise<Place> =>
    (await program.locator(part).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  /** What it says of a program, and the line that it marks. */
  const tryText = async (changed: string, words: string, line: number): Promise<void> => {
    await text.fill(changed);
    const said = await run();
    expect(said.includes(words), `said ${said}, and not ${words}`);
    expect(said.includes(`Line ${line}`), `said ${said}, and not which line: ${line}`);
    const [code, mark] = [await placeOf('.editor .code'), await placeOf('.wrong')];
    const marked = (mark.y - code.y - 16) / 20.8 + 1;
    expect(Math.abs(marked - line) < 0.1, `marked line ${marked}, and not ${line}`);
  };
  const lines = given.split('\n').length;
  await text.fill(
    `${given}\nconst twice = (given: number): number => given * 2;\nconsole.log('twice', twice(21));`,
  );
  expect((await run()).includes('twice 42'), 'what was added did not run');
  const [editor, chart] = [await placeOf('.editor'), await placeOf('.paper')];
  if (width > 960) expect(chart.x >= editor.x + editor.width, 'the chart is not beside the program');
  else expect(chart.y >= editor.y + editor.height, 'the chart is not below the program');
  expect((await program.locator('.state.lit').count()) > 0, 'nothing of the chart is lit');
  await tab.screenshot({ path: join(root, `.tmp/playground-${width}.png`) });
  await tryText(`${given}\nconst wrong = ;`, 'Unexpected token', lines + 1);
  await tryText(`${given}\n\nlet twice;\nlet twice;`, 'already been declared', lines + 3);
  await tryText(`${given}\nthrow new Error('on purpose');`, 'on purpose', lines + 1);
  await tryText(`import { readFile } from 'node:fs';\n${given}\nreadFile;`, 'is not loaded', 1);
  await tryText(`import {\n  nobody,\n} from 'troupe';\n${given}\nnobody;`, "has no 'nobody'", 1);
  await tab.screenshot({ path: join(root, `.tmp/playground-error-${width}.png`) });
  await program.locator('button.reset').click();
  expect((await text.inputValue()) === given, 'it was not put back');
  expect((await program.locator('.printed, .wrong, .stage').count()) === 0, 'what came of it is still there');
  await tab.close();
};

await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const executablePath = findBrowser();
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ['--no-sandbox'],
});
const pages = readerPages().filter((page) => page.startsWith('docs/') && page !== 'docs/coverage.md');
// `--quick`: only what is changed.
if (!process.argv.includes('--quick'))
  for (const page of pages) for (const width of [1280, 390]) await tryPage(browser, address, page, width);
const [played] = pages.filter((page) => expected(page).length > 0 && page.includes('/teams/pipeline'));
if (played === undefined) problems.push('there is no program to be changed');
else for (const width of [1280, 390]) await tryEditing(browser, address, played, width);
await browser.close();
server.close();
for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages at two widths, ${ran} programs: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
