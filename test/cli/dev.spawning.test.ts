import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/inspect/local/processes/registration.ts';
import { Looker } from '../inspect/local/local-kit.ts';
import { isThorough } from '../support/thorough.ts';
import { makeProject, once, payerFiles, requestOf, rowOnce, startDev, teamFiles } from './dev-kit.ts';
import { troupe } from './run-command.ts';

/** An agent, and the words that it answers. */
const clerkFiles = {
  'words.js': `export const words = 'one';`,
  'clerk.js': `import { agent, answer } from 'troupe';
import { words } from './words.js';
export default agent({ name: 'clerk', decide: () => answer(words) });`,
};

test('a run that is stored nowhere begins again when what its file imports has changed, and the page keeps what was before', async () => {
  const { folder, write } = makeProject(clerkFiles);
  const dev = await startDev(folder, 'clerk.js', 'hello', '--store', 'none');
  const first = await rowOnce(dev, ({ status }) => status === 'completed');
  expect(first).toMatchObject({ agent: 'clerk', process: { isOver: false, control: true } });
  await dev.until(/one/);

  write('words.js', `export const words = 'two';`);
  await dev.until(/words\.js changed/);
  await dev.until(/two/);
  const both = await once(
    dev.rows,
    (rows) => rows.length === 2 && rows.every(({ status }) => status === 'completed'),
  );
  const byRun = new Map(both.map((row) => [row.run, row]));
  expect(byRun.get(first.run)?.process?.isOver).toBe(true);
  const before = new Looker(dev.page, `/api/processes/${first.process?.id}/recording`);
  await before.until(({ entries }) => JSON.stringify(entries).includes('one'));
  expect(dev.looker.isClosed).toBe(false);

  const last = both.find(({ process: of }) => of?.isOver === false)?.process?.pid ?? 0;
  dev.kill('SIGINT');
  expect(await dev.ended).toBe(0);
  expect(isAlive(last)).toBe(false);
});

test('a stored run that waits for a person is continued by the next version, and its call is made by that', async () => {
  const { folder, write } = makeProject(payerFiles);
  const dev = await startDev(folder, 'payer.js', 'Pay three', '--store', join(folder, 'runs.db'));
  const before = await rowOnce(dev, ({ requests }) => requests === 1);

  write('words.js', `export const words = 'two';`);
  const after = await rowOnce(
    dev,
    ({ requests, process }) => requests === 1 && process?.id !== before.process?.id,
  );
  expect(after).toMatchObject({ run: before.run, isLive: true, process: { isOver: false } });
  expect(isAlive(before.process?.pid ?? 0)).toBe(false);

  const request = await requestOf(dev, after);
  expect(await dev.control({ do: 'approve', run: after.run, id: request?.id })).toMatchObject({
    status: 200,
  });
  await dev.until(/paid 3 by version two/);
  expect(dev.said()).not.toContain('version one');
  expect(dev.looker.isClosed).toBe(false);
  await rowOnce(dev, ({ status }) => status === 'completed');

  // It is over: another change runs the input again.
  write('words.js', `export const words = 'three';`);
  const rows = await once(dev.rows, (all) => all.length === 2);
  expect(rows.map(({ run }) => run)).toContain(before.run);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`a stored run that waits is suspended by ${signal}, and the command that is then shown resumes it`, async () => {
    const { folder } = makeProject(payerFiles);
    const store = join(folder, 'runs.db');
    const dev = await startDev(folder, 'payer.js', 'Pay three', '--store', store);
    const { run, process: of } = await rowOnce(dev, ({ requests }) => requests === 1);
    // Ctrl-C reaches each process of the terminal.
    if (signal === 'SIGINT') process.kill(of?.pid ?? 0, signal);
    dev.kill(signal);
    expect(await dev.ended).toBe(0);
    expect(dev.said()).toContain(
      `Run ${run} is suspended, and can be resumed: troupe resume ${run} --agent ${join(folder, 'payer.js')} --store ${store}`,
    );
    await troupe(['approve', run, '--store', store]);
    const resumed = ['resume', run, '--agent', join(folder, 'payer.js'), '--store', store];
    expect(await troupe(resumed)).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('paid 3') as unknown,
    });
  });

test('a run that goes on under a new version is said to', async () => {
  const { folder, write } = makeProject(payerFiles);
  const dev = await startDev(folder, 'payer.js', 'Pay three', '--store', join(folder, 'runs.db'));
  const { run } = await rowOnce(dev, ({ requests }) => requests === 1);
  write('words.js', `export const words = 'two';`);
  const after = await dev.until(/Run \S+ goes on: .*/);
  expect(after).toBe(`Run ${run} goes on: what it did is the same.`);
  expect(dev.said()).not.toContain('is held');
});

test('what is wrong with a version is said with its file and line, and the last one that loads carries on', async () => {
  const { folder, write, read } = makeProject(payerFiles);
  const dev = await startDev(folder, 'payer.js', 'Pay three', '--store', join(folder, 'runs.db'));
  const row = await rowOnce(dev, ({ requests }) => requests === 1);
  const noteOnce = async (part: string): Promise<string> =>
    (await once(dev.session, ({ note }) => note?.includes(part) === true)).note ?? '';

  write('words.js', `// A comment.\nexport const words = ;`);
  const syntax = await noteOnce('words.js:2');
  expect(syntax).toContain(`words.js:2: Unexpected token ';'`);
  expect(syntax).toContain('The last version that loads stays in use.');
  await dev.until(/payer\.js failed: .*words\.js:2: Unexpected token/);

  write('words.js', `export const word = 'one';`);
  expect(await noteOnce('payer.js:3')).toContain(`payer.js:3: The requested module './words.js'`);

  const whole = read('payer.js');
  // In this order: where the machine is busy, what is read between the two does not load either.
  write('payer.js', whole.replace('z.object({ amount: z.number() })', `'amount: number'`));
  write('words.js', `export const words = 'two';`);
  expect(await noteOnce('payer.js:4')).toContain('its input is not a Standard Schema');

  write('payer.js', whole.replace('./words.js', './missing.js'));
  expect(await noteOnce('payer.js:3')).toContain('missing.js');

  write('payer.js', `${whole}\nprocess.exit(3);`);
  await noteOnce('its process ended as it was loaded');

  // All the while its process was the same.
  const still = await rowOnce(dev, ({ requests }) => requests === 1);
  expect(still).toMatchObject({ run: row.run, process: { id: row.process?.id, isOver: false } });
  const request = await requestOf(dev, still);
  await dev.control({ do: 'approve', run: row.run, id: request?.id });
  await dev.until(/paid 3 by version one/);

  write('payer.js', whole);
  await once(dev.session, ({ note }) => note === undefined);
});

test('a run which a version does not continue is held with the difference, and continues when the file is put back', async () => {
  const { folder, write, read } = makeProject({ ...payerFiles, ...teamFiles });
  const dev = await startDev(folder, 'team.js', 'Pay three', '--store', join(folder, 'runs.db'));
  const row = await rowOnce(dev, ({ requests }) => requests === 1);

  const whole = read('team.js');
  write('team.js', whole.replace(`name: 'greeter'`, `name: 'porter'`));
  const { held } = await once(dev.session, (session) => session.held !== undefined);
  expect(held).toEqual([{ run: row.run, reason: expect.stringContaining(`found`) as unknown }]);
  expect(held?.[0]?.reason).toContain('greeter');
  expect(held?.[0]?.reason).toContain('porter');
  await dev.until(/is held: .*greeter.*porter/);
  // No process has it, and nothing of it is lost.
  await rowOnce(dev, ({ run, isLive, process }) => run === row.run && !isLive && process?.isOver === true);

  write('team.js', whole);
  const again = await rowOnce(dev, ({ requests }) => requests === 1);
  expect(again.run).toBe(row.run);
  expect((await dev.session()).held).toBeUndefined();
  const request = await requestOf(dev, again);
  await dev.control({ do: 'approve', run: row.run, id: request?.id });
  await dev.until(/paid 3 by version one/);
});

/** A server that answers when it is told to, and knows what it was asked. */
const startOracle = async () => {
  const asked: ServerResponse[] = [];
  let wake = (): void => undefined;
  const server = createServer((_: IncomingMessage, response) => {
    asked.push(response);
    wake();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const until = async (number: number): Promise<void> => {
    while (asked.length < number) await new Promise<void>((resolve) => (wake = resolve));
  };
  // It listens to a port.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, until };
};

/** An agent that asks an oracle, and says which version answers. */
const askerFiles = (url: string) => ({
  'words.js': `export const words = 'one';`,
  'asker.js': `import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';
import { words } from './words.js';
const say = tool({ name: 'say', description: 'Says.', input: z.object({ text: z.string() }), execute: ({ text }) => \`\${text} by version \${words}\` });
export default agent({
  name: 'asker',
  tools: [say],
  decide: async ({ results }) => {
    if (results.length > 0) return answer(results[0].text);
    const text = await (await fetch('${url}')).text();
    return act({ name: 'say', input: { text } });
  },
});`,
});

test('a call that is under way at a change is answered once, and the next version goes on with its answer', async () => {
  const oracle = await startOracle();
  const { folder, write } = makeProject(askerFiles(oracle.url));
  const dev = await startDev(folder, 'asker.js', 'Ask', '--store', join(folder, 'runs.db'));
  await oracle.until(1);

  write('words.js', `export const words = 'two';`);
  await dev.until(/Reloads once the calls under way are answered/);
  oracle.asked[0]?.end('wise words');
  await dev.until(/wise words by version two/);
  const row = await rowOnce(dev, ({ status }) => status === 'completed');
  expect(oracle.asked).toHaveLength(1);
  expect(row.process?.isOver).toBe(false);
});

test('a run whose process died in the middle of a call is resumed by the next version, which makes the call again', async () => {
  const oracle = await startOracle();
  const { folder, write } = makeProject(askerFiles(oracle.url));
  const dev = await startDev(folder, 'asker.js', 'Ask', '--store', join(folder, 'runs.db'));
  await oracle.until(1);
  const { run, process: of } = await rowOnce(dev, ({ process }) => process !== undefined);
  process.kill(of?.pid ?? 0, 'SIGKILL');
  await dev.until(/asker\.js ended .*change it to run it again/);

  write('words.js', `export const words = 'two';`);
  await oracle.until(2);
  oracle.asked[1]?.end('wise words');
  await dev.until(/wise words by version two/);
  expect(await rowOnce(dev, ({ status }) => status === 'completed')).toMatchObject({ run });
});

if (isThorough)
  test('troupe dev says what it needs', async () => {
    const { folder, write } = makeProject(clerkFiles);
    write('run.jsonl', '{ "troupe": "log" }');
    expect(await troupe(['dev'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('no file was named') as unknown,
    });
    expect(await troupe(['dev', join(folder, 'run.jsonl')])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('a trace does not change: write troupe inspect') as unknown,
    });
    expect(await troupe(['dev', join(folder, 'clerk.js.missing')])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('there is no such file') as unknown,
    });
  });

// The project's compiler takes ten seconds.
test.runIf(isThorough)(
  'errors of types are shown by the project’s own compiler, while the file runs as it is, until they are gone',
  async () => {
    const wrong = `/** @type {number} */ export const words = 'one';`;
    const { folder, write } = makeProject({ ...clerkFiles, 'words.js': wrong });
    const config = { compilerOptions: { allowJs: true, checkJs: true, types: [] }, files: ['words.js'] };
    write('tsconfig.json', JSON.stringify(config));
    const dev = await startDev(folder, 'clerk.js', 'hello', '--store', 'none');
    const said =
      /Errors of types, and it runs as it is: \S*words\.js:1: Type 'string' is not assignable to type 'number'\./;
    await dev.until(said);
    await dev.until(/one/);
    const { note } = await once(dev.session, (session) => session.note !== undefined);
    expect(note).toMatch(said);

    write('words.js', `export const words = 'two';`);
    await dev.until(/No errors of types\./);
    await once(dev.session, (session) => session.note === undefined);
  },
);
