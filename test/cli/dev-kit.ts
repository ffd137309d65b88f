import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFailed, onTestFinished, vi } from 'vitest';
import type { ListedRun } from '../../src/inspect/local/session-board.ts';
import type { Session } from '../../src/inspect/page/session.ts';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { askOpen, control, Looker } from '../inspect/local/local-kit.ts';
import { startNode } from '../inspect/processes/inspected-process.ts';
import { processFile } from '../support/built-package.ts';
import { command, root } from './run-command.ts';

/** The entry points of the built package, as modules of a project import them. */
const built = new Map(
  entryPointsOf().map(({ name, built: file }) => [name, pathToFileURL(processFile(file)).href]),
);

/** A project: its files by name, in which `troupe` is the built package, and other packages are those of this one. */
export const makeProject = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-dev-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const write = (name: string, text: string): void => {
    const source = text.replaceAll(/'(troupe(?:\/\w+)?)'/g, (whole, entry: string) => {
      const address = built.get(entry);
      return address === undefined ? whole : `'${address}'`;
    });
    writeFileSync(join(folder, name), source);
  };
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
};

/** `troupe dev` for a file of a project; its page is open. */
export const startDev = async (folder: string, file: string, ...args: readonly string[]) => {
  const started = startNode([command(), 'dev', join(folder, file), ...args], {
    HOME: folder,
    TMPDIR: folder,
  });
  const { until, said } = started;
  onTestFailed(() => {
    console.error(said());
  });
  // In order, so that nothing writes into the folder any more as it is removed: its version ends before it does.
  onTestFinished(async () => {
    started.kill('SIGTERM');
    await started.ended;
  });
  await until(/Inspector: \S+/);
  const [, url = ''] = /Inspector: (\S+)/.exec(said()) ?? [];
  const page = { url, token: new URL(url).searchParams.get('token') ?? '' };
  // As a page does: others are followed while somebody looks.
  const looker = new Looker(page);
  const get = async <T>(path: string): Promise<T> => JSON.parse((await askOpen(page, path)).text) as T;
  return {
    ...started,
    page,
    looker,
    rows: async () => (await get<{ readonly rows: readonly ListedRun[] }>('/api/runs')).rows,
    session: () => get<Session>('/api/session'),
    control: (wanted: object) => control(page, wanted),
  };
};

export type StartedDev = Awaited<ReturnType<typeof startDev>>;

/** Asks until the answer is as it should be; with a pause between, as the process that is waited for needs the core that each question takes. */
export const once = <T>(question: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> =>
  vi.waitFor(
    async () => {
      const found = await question();
      if (!isThere(found)) throw new Error(`it is not yet as it should be: ${JSON.stringify(found)}`);
      return found;
    },
    { timeout: 110_000, interval: 20 },
  );

/** The row of the only run, once it is as it should be, and the process that has it is not `but`. */
export const rowOnce = async (
  { rows }: StartedDev,
  isThere: (row: ListedRun) => boolean,
): Promise<ListedRun> => {
  const [row] = await once(rows, (all) => all.length === 1 && all.every(isThere));
  if (row === undefined) throw new Error('there is no run');
  return row;
};

/** The request of a run that waits for a person. */
export const requestOf = async ({ page }: StartedDev, { process }: ListedRun) => {
  const looker = new Looker(page, `/api/processes/${process?.id}/recording`);
  await looker.until(({ requests }) => requests.length === 1);
  const [request] = looker.requests;
  looker.close();
  return request;
};

/** An agent whose call waits for a person, and is then made by the words of that time. */
export const payerFiles = {
  'words.js': `export const words = 'one';`,
  'payer.js': `import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';
import { words } from './words.js';
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }) => \`paid \${amount} by version \${words}\`,
});
export default agent({
  name: 'payer',
  tools: [pay],
  decide: ({ results }) => results.length === 0 ? act({ name: 'pay', input: { amount: 3 } }) : answer(results[0].text),
});`,
};

/** A team with that agent in it. */
export const teamFiles = {
  'team.js': `import { agent, answer } from 'troupe';
import { pipeline } from 'troupe/patterns';
import payer from './payer.js';
const greeter = agent({ name: 'greeter', decide: () => answer('hello') });
export default pipeline({ name: 'team', stages: [greeter, payer] });`,
};
