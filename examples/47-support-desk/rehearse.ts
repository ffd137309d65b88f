// A working day of the desk in a browser: a customer asks for money, a lead releases it on another page, and the server is killed twice meanwhile.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { buildPages, type ChatPackages } from './build-pages.ts';

export interface Rehearsal {
  /** A folder for the pages and the database. */
  readonly folder: string;
  /** The path of a Chromium. */
  readonly chromium: string;
  /** The packages of the page of `useChat`; without them it is left out. */
  readonly packages: ChatPackages | undefined;
  /** A folder for pictures of the pages. */
  readonly pictures?: string | undefined;
  readonly report: (line: string) => void;
}

/** The process of the server, which can be killed and started again on its port. */
class DeskProcess {
  #child: ChildProcess | undefined;
  readonly #arguments: readonly string[];

  constructor(port: number, folder: string) {
    const server = join(import.meta.dirname, 'server.ts');
    this.#arguments = [
      '--import',
      'tsx',
      server,
      String(port),
      join(folder, 'desk.db'),
      join(folder, 'pages'),
    ];
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, this.#arguments, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => assert.fail('The server did not start')),
    ]);
  }

  /** `kill -9`: it says no goodbye. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** The end of the last answer, and its beginning while it streams. */
const LAST = 'Is there anything else that I can do for you?';
const STREAMS = 'It takes two to three';

const ask = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

/** Plays it through. */
export const rehearse = async ({
  folder,
  chromium: executablePath,
  packages,
  pictures,
  report,
}: Rehearsal) => {
  await buildPages(join(folder, 'pages'), packages);
  const port = await freePort();
  const server = new DeskProcess(port, folder);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await server.start();
    report('1. the desk is open');
    await play({
      browser,
      server,
      address: `http://127.0.0.1:${port}`,
      hasChat: packages !== undefined,
      pictures,
      report,
    });
  } finally {
    await browser.close();
    await server.kill();
  }
};

interface Play extends Pick<Rehearsal, 'pictures' | 'report'> {
  readonly browser: Browser;
  readonly server: DeskProcess;
  readonly address: string;
  readonly hasChat: boolean;
}

const play = async ({ browser, server, address, hasChat, pictures, report }: Play): Promise<void> => {
  const problems: string[] = [];
  let loads = 0;
  const open = async (path: string, height = 760): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 820, height } });
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('load', () => (loads += 1));
    await page.goto(`${address}${path}`);
    return page;
  };
  const customers = [await open('/'), ...(hasChat ? [await open('/chat')] : [])];
  const names = ['customer', 'chat'];
  const lead = await open('/lead');
  const takePictures = async (when: string): Promise<void> => {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    for (const [index, page] of [...customers, lead].entries()) {
      const name = page === lead ? 'lead' : names[index];
      await page.screenshot({ path: join(pictures, `${when}-${name}.png`) });
    }
  };

  await Promise.all(
    customers.map((page, index) => ask(page, `My order ${17 + index} is broken, I want my money back.`)),
  );
  for (const page of customers) await page.getByText('waits for a colleague').waitFor();
  for (const page of customers) await page.getByText('A colleague looks at your refund').waitFor();
  await lead
    .getByRole('button', { name: 'Release' })
    .nth(customers.length - 1)
    .waitFor();
  report(`2. ${customers.length === 1 ? 'a refund waits' : `${customers.length} refunds wait`} for the lead`);
  await takePictures('1-waiting');

  await server.kill();
  for (const page of [...customers, lead]) await page.getByText('Reconnecting…').waitFor();
  report('3. the server was killed: the pages reconnect');
  await takePictures('2-killed');
  await server.start();
  for (const page of [...customers, lead]) await page.getByText('Online').waitFor();
  for (const page of customers) await page.getByText('waits for a colleague').waitFor();
  report('4. it is started again: the refund still waits');

  for (let each = 0; each < customers.length; each += 1)
    await lead.getByRole('button', { name: 'Release', disabled: false }).first().click();
  for (const page of customers) await page.getByText(STREAMS).waitFor();
  await takePictures('3-streaming');
  for (const page of customers)
    assert.equal(await page.getByText(LAST).count(), 0, 'the answer still streams');
  await server.kill();
  report('5. released, and killed again, in the middle of a sentence');
  for (const page of customers) await page.getByText('Reconnecting…').waitFor();
  await server.start();
  for (const page of customers) {
    await page.getByText(LAST).waitFor();
    const said = await page.locator('.bubble.theirs').allTextContents();
    const last = said.filter((text) => text.includes('Good news'));
    assert.equal(last.length, 1, 'the answer is there once');
    assert.equal(last[0]?.split('Good news').length, 2, 'and whole, from its beginning');
    assert.equal(await page.getByText('waits for a colleague').count(), 0);
  }
  for (let each = 0; each < customers.length; each += 1)
    await lead.getByText('completed').nth(each).waitFor();
  report('6. started again: the answer is whole, on all pages, and none was loaded again');
  await takePictures('4-done');
  assert.equal(loads, customers.length + 1);
  assert.deepEqual(problems, []);
};
