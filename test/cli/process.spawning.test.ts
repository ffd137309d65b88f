import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseEvent } from '../../src/events/parse-event.ts';
import { command, compiledModuleOf, moduleOf, root, troupe } from './run-command.ts';
import { isThorough, sampled } from '../support/thorough.ts';

/** A stack trace, wherever it begins. */
const trace = /\n\s+at .+:\d+:\d+/;

/** A folder of one document, for questions that are not about this project: its own are many, and read each time. */
const leave = mkdtempSync(join(tmpdir(), 'troupe-leave-'));
writeFileSync(join(leave, 'leave.md'), '# Leave\n\nEverybody has 30 days of leave a year.\n');
afterAll(() => {
  rmSync(leave, { recursive: true, force: true });
});
const aboutLeave = ['ask', 'How many days of leave are there?', leave];

describe('npm start, on a machine with nothing set', () => {
  test('answers its own question with citations, shows who does what, and exits with 0', async () => {
    const { exit, stdout, stderr } = await troupe(['ask']);
    const output = stderr + stdout;
    expect(exit, output).toBe(0);
    expect(output).toContain('no language model');
    for (const name of ['supervisor-1', 'researcher-1', 'writer-2', 'grounding-critic-0'])
      expect(output).toContain(`${name} · `);
    expect(output).toMatch(/researcher-1 · ACT · Searching the documents for .+ tokens so far\)/);
    expect(output).toMatch(/In each step an agent observes, decides, acts.+\[README\.md:\d+-\d+\]/);
    expect(output).toMatch(/A critic may reject an answer twice/);
    expect(output).toMatch(
      /^\d+ steps · \d+ model calls · \d+ tool calls · [\d,]+ tokens · [\d.]+ m?s · run [0-9a-f]{12}$/m,
    );
  });

  if (isThorough)
    test('answers a question about any folder, says what it skipped, and what it could not find', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'troupe-folder-'));
      try {
        writeFileSync(join(folder, 'leave.md'), '# Leave\n\nEverybody has 30 days of leave a year.\n');
        writeFileSync(join(folder, 'logo.png'), Buffer.from([0, 1, 2]));
        const found = await troupe(['ask', 'How many days of leave are there?', folder]);
        expect(found).toMatchObject({
          exit: 0,
          stdout: 'Everybody has 30 days of leave a year. [leave.md:1-3]\n',
        });
        expect(found.stderr).toContain('1 file skipped (1 not text (UTF-8))');
        const lost = await troupe([
          'ask',
          'Who won the football world cup in Uruguay in 1930?',
          folder,
          '--quiet',
        ]);
        expect(lost).toMatchObject({
          exit: 0,
          stderr: '',
          stdout: expect.stringContaining('could not find'),
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

  if (isThorough)
    test('answers the question of the README about the documents of the project from the page on it', async () => {
      const { exit, stdout } = await troupe(['ask', 'How are retries configured?', 'docs', '--quiet']);
      expect(exit).toBe(0);
      expect(stdout).toMatch(
        /Retries are configured where an agent is made: its option `failures: \{ retry \}` .+ \[models\.md:\d+-\d+\]/,
      );
      expect(stdout).not.toContain('|');
    });

  if (isThorough)
    test('with --json prints events only, from run.started to run.ended', async () => {
      const { exit, stdout, stderr } = await troupe([...aboutLeave, '--json']);
      const events = stdout
        .trimEnd()
        .split('\n')
        .map((line) => parseEvent(JSON.parse(line)));
      expect(events[0]?.type).toBe('run.started');
      expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    });

  if (isThorough)
    test('what a module prints while it loads does not come between what is read by programs', async () => {
      const store = mkdtempSync(join(tmpdir(), 'troupe-loud-'));
      const called = (...args: readonly string[]) =>
        troupe(args, { env: { TROUPE_STORE: join(store, 'runs.db') } });
      const loud = `${await compiledModuleOf('loud.ts')}#clerk`;
      const said = 'loading, by console.log\nloading, by console.info\nloading, by the stream\n';
      try {
        const ran = await called('run', loud, 'x', '--json');
        const [first, ...events] = ran.stdout
          .trimEnd()
          .split('\n')
          .map((line) => parseEvent(JSON.parse(line)));
        expect([first?.type, events.at(-1)?.type, ran.stderr]).toEqual(['run.started', 'run.ended', said]);
        const drawn = await called('graph', loud);
        expect(drawn).toEqual({
          exit: 0,
          stdout: expect.stringMatching(/^flowchart TB\n/) as string,
          stderr: said,
        });
        const replayed = await called('replay', first?.runId ?? '', '--agent', loud, '--json');
        expect(JSON.parse(replayed.stdout)).toMatchObject({ isEqual: true });
        expect(replayed.stderr).toBe(said);
      } finally {
        rmSync(store, { recursive: true, force: true });
      }
    });
});

describe('a model that cannot be had is one clear line, and exit code 2 where the one who called can mend it', () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        error: {
          message: 'Incorrect API key provided: sk-wr***ng.',
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
      }),
    );
  });
  let address = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    server.close();
  });

  const failing = async (
    wanted: number,
    env: Readonly<Record<string, string>>,
    imports: readonly string[] = [],
  ) => {
    const { exit, stdout, stderr } = await troupe([...aboutLeave, '--quiet', '--no-color'], {
      env,
      imports,
    });
    expect(stderr).toMatch(/^✗ Cannot [^\n]+\n$/);
    expect({ exit, stdout }).toEqual({ exit: wanted, stdout: '' });
    return stderr;
  };

  test('a key that is refused', async () => {
    const line = await failing(2, { OPENAI_BASE_URL: address, OPENAI_API_KEY: 'wrong' });
    expect(line).toMatch(/the API key was refused.*Incorrect API key/);
  });

  if (isThorough)
    test('a server that is not there', async () => {
      const line = await failing(1, {
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        TROUPE_MODEL: 'compatible:x',
      });
      expect(line).toMatch(/compatible:x/);
    });

  const optional = [
    ['openai', { OPENAI_API_KEY: 'any' }],
    ['@anthropic-ai/sdk', { ANTHROPIC_API_KEY: 'any' }],
  ] as const;
  test.each(sampled(optional, 2))('a package that is not installed: %s', async (name, env) => {
    const line = await failing(2, env, [pathToFileURL(moduleOf('no-sdk.mjs')).href]);
    expect(line).toContain(`npm install ${name}`);
  });
});

describe('signals and pipes', () => {
  test('Ctrl-C ends the run in order: a clean line, exit code 130, though a tool hears nothing', async () => {
    const { exit, stdout, stderr } = await troupe(['run', await compiledModuleOf('slow.ts'), 'x'], {
      interrupt: { when: 'Waiting for ever' },
    });
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' });
    expect(stderr).toContain('■ Stopped by Ctrl-C.');
    expect(stderr).not.toMatch(trace);
  });

  test('a second Ctrl-C ends the process, whatever does not end', async () => {
    const { exit, stderr } = await troupe(['run', await compiledModuleOf('deaf.ts'), 'x'], {
      interrupt: { when: 'deaf is at work', again: 200 },
    });
    expect(exit).toBe(130);
    expect(stderr).not.toMatch(trace);
  });

  if (isThorough)
    test('nobody who reads on is no error', async () => {
      const { exit, stderr } = await troupe([...aboutLeave, '--json'], { hangUpAfter: '\n' });
      expect(exit).toBe(0);
      expect(stderr).toBe('');
    });

  test('input may be piped in', async () => {
    const { exit, stdout } = await troupe(['run', await compiledModuleOf('echo.ts'), '-q'], {
      input: 'hello\n',
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'You said: hello\n' });
  });
});

describe('a TypeScript module', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-typescript-'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    copyFileSync(moduleOf('plain.mjs'), join(folder, 'plain.ts'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const canStripTypes = Reflect.get(process.features, 'typescript') === 'strip';

  test('is one clear line where neither Node nor tsx reads it, and runs once tsx is there', async () => {
    // As in an installed package: the command is JavaScript, and nothing has taught Node to read TypeScript.
    const main = command();
    const lone = await troupe(['graph', join(folder, 'plain.ts')], { main });
    const refusal =
      /^✗ Cannot load \S+plain\.ts as this Node does not read TypeScript[^\n]+npm install tsx[^\n]+\n$/;
    expect(lone.exit).toBe(canStripTypes ? 0 : 2);
    expect(lone.stderr).toMatch(canStripTypes ? /^$/ : refusal);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    expect(await troupe(['graph', join(folder, 'plain.ts')], { main })).toMatchObject({
      exit: 0,
      stdout: 'stateDiagram-v2\n  [*] --> here\n',
    });
  });

  if (isThorough)
    test('shares troupe with the command: what it ran can be gone on with', async () => {
      const place = join(root, '.tmp/installed');
      const dist = join(place, 'node_modules/troupe/dist');
      rmSync(place, { recursive: true, force: true });
      // Beside what is published the build holds programs of other tests.
      const isPublished = (path: string): boolean => !/\/(programs|node_modules)$|\.(map|json)$/.test(path);
      cpSync(dirname(dirname(command())), dist, { recursive: true, filter: isPublished });
      const manifest = { name: 'troupe', type: 'module', exports: './dist/index.js' };
      writeFileSync(join(place, 'node_modules/troupe/package.json'), JSON.stringify(manifest));
      writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
      copyFileSync(moduleOf('echo.ts'), join(place, 'echo.ts'));
      const main = join(dist, 'cli/main.js');
      writeFileSync(join(place, 'tsconfig.json'), '{}');
      // Its own, as this project's finds troupe in the source.
      const env = { TROUPE_STORE: join(folder, 'runs.db'), TSX_TSCONFIG_PATH: join(place, 'tsconfig.json') };
      const ran = await troupe(['run', join(place, 'echo.ts'), 'hello'], { main, env });
      const runId = / · run (\w+)\n$/.exec(ran.stderr)?.[1] ?? '';
      const again = await troupe(['resume', runId, '--quiet'], { main, env });
      expect(again).toEqual({ exit: 0, stdout: 'You said: hello\n', stderr: '' });
    });
});
