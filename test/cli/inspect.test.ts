import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readUsage } from '../../src/cli/usage/usage.ts';
import { control, Looker } from '../inspect/local/local-kit.ts';
import { deferred } from '../support/runs.ts';
import type { Played } from './fake-terminal.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-inspect-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command until it serves the inspector, looks in, and then presses Ctrl-C; `closing` waits until it says that one may. */
const visited = async <T>(
  args: readonly string[],
  visit: (
    inspector: { readonly url: string; readonly token: string },
    closing: Promise<undefined>,
  ) => Promise<T>,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly played: Played; readonly seen: T }> => {
  let seen: Promise<T> | undefined;
  const closing = deferred<undefined>();
  const played = await play(args, {
    environment,
    onPrinted: (printed, interrupt) => {
      if (printed.includes('Ctrl-C closes')) closing.resolve(undefined);
      const url = /Inspector: (\S+)/.exec(printed)?.[1];
      if (url === undefined || seen !== undefined) return;
      seen = visit({ url, token: new URL(url).searchParams.get('token') ?? '' }, closing.promise).finally(
        interrupt,
      );
    },
  });
  if (seen === undefined) throw new Error(`no inspector was opened: ${played.stderr}`);
  return { played, seen: await seen };
};

const session = async ({ url, token }: { readonly url: string; readonly token: string }) => {
  const answered = await fetch(new URL('/api/session', url), {
    headers: { authorization: `Bearer ${token}` },
  });
  return (await answered.json()) as {
    control: boolean;
    runs: { run: string; status: string; source: string }[];
  };
};

const untilEnd = (looker: Looker): Promise<Looker> =>
  looker.until((each) => each.data('entry').some((line) => line.includes('"type":"run.ended"')));

describe('troupe inspect', () => {
  test('runs an agent with an input, shows it, and goes on showing it until Ctrl-C', async () => {
    const { played, seen } = await visited(
      ['inspect', moduleOf('echo.ts'), 'hello'],
      async (inspector, closing) => {
        const looker = await untilEnd(new Looker(inspector));
        const page = await fetch(inspector.url);
        await closing;
        return { page: page.status, looker, session: await session(inspector) };
      },
    );
    expect(played.code).toBe(0);
    expect(played.stdout).toBe('You said: hello\n');
    expect(played.stderr).toContain('Ctrl-C closes the inspector.');
    expect(seen.session).toMatchObject({
      control: false,
      runs: [{ agent: 'echo', status: 'completed', source: 'live' }],
    });
    expect(seen.page).toBe(200);
  });

  test('without an input shows the runs that are kept, by the agents that they were begun with', async () => {
    const environment = { TROUPE_STORE: join(folder, 'runs.db') };
    await play(['run', moduleOf('echo.ts'), 'hello'], { environment });
    for (const args of [['inspect'], ['inspect', moduleOf('echo.ts')]]) {
      const { played, seen } = await visited(
        args,
        async (inspector) => {
          const { runs } = await session(inspector);
          const looker = await untilEnd(new Looker(inspector, `/api/stored/${runs[0]?.run}/recording`));
          return { runs, answer: looker.data('entry').some((line) => line.includes('You said: hello')) };
        },
        environment,
      );
      expect(played).toMatchObject({ code: 0, stdout: '' });
      expect(seen).toMatchObject({ runs: [{ status: 'completed', source: 'stored' }], answer: true });
    }
  });

  test('shows the run of a trace, and takes nothing with it that a trace has no use for', async () => {
    await play(['run', moduleOf('echo.ts'), 'hello', '--trace', folder]);
    const [name = ''] = readdirSync(folder);
    const trace = join(folder, name);
    const { played, seen } = await visited(['inspect', trace], async ({ url }) => (await fetch(url)).text());
    expect(played).toMatchObject({ code: 0, stdout: '' });
    expect(seen).toMatch(/<script type="application\/json" id="recording">.*You said: hello/);
    for (const stray of ['again', '--control', '--export=echo'])
      expect(await play(['inspect', trace, stray])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('a trace is only looked at') as unknown,
      });
    expect(await play(['inspect', join(folder, 'none.jsonl')])).toMatchObject({ code: 2, stdout: '' });
  });

  test('shows the journal that `troupe export` writes, under any name, and runs nothing of it', async () => {
    const environment = { TROUPE_STORE: join(folder, 'runs.db') };
    await play(['run', moduleOf('echo.ts'), 'hello'], { environment });
    const { stdout } = await play(['runs', '--json'], { environment });
    const { runId } = JSON.parse(stdout) as { readonly runId: string };
    await play(['export', runId], { environment, folder });
    const text = readFileSync(join(folder, `${runId}.journal`), 'utf8');
    // Names that a script would have, too.
    for (const name of ['kept.txt', 'kept.js', 'kept']) writeFileSync(join(folder, name), text);
    for (const name of [`${runId}.journal`, 'kept.txt', 'kept.js', 'kept']) {
      const file = join(folder, name);
      const { played, seen } = await visited(['inspect', file], async ({ url }) => (await fetch(url)).text());
      expect(played).toMatchObject({ code: 0, stdout: '' });
      expect(seen).toMatch(/<script type="application\/json" id="recording">.*You said: hello/);
      expect(await play(['inspect', file, '--control'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('a trace is only looked at') as unknown,
      });
    }
  });

  test.each([
    ['notes.txt', 'Not much.', /Cannot show \S+ as it is neither a log of a run .*its name ends in \.txt/],
    ['torn.journal', 'Not much.', /Cannot read \S+ as it is no log of a run/],
    ['none.journal', undefined, /there is no such file/],
    ['none.ts', undefined, /Cannot show \S+ as there is no such file/],
    ['old', 'folder', /it is a folder: name a trace in it/],
  ])('says of %s what it is not, and opens nothing', async (name, text, line) => {
    const file = join(folder, name);
    if (text === 'folder') mkdirSync(file);
    else if (text !== undefined) writeFileSync(file, text);
    const { code, stdout, stderr } = await play(['inspect', file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr).toMatch(/^✗ [^\n]+\n$/);
  });

  test('--control lets the page steer; one that Ctrl-C finds at work is aborted', async () => {
    const { played, seen } = await visited(
      ['inspect', moduleOf('slow.ts'), 'x', '--control'],
      async (inspector) => {
        await new Looker(inspector).until((each) =>
          each.data('entry').some((line) => line.includes('"type":"tool.started"')),
        );
        const { runs, control: isControlled } = await session(inspector);
        return { isControlled, paused: await control(inspector, { do: 'pause', run: runs[0]?.run }) };
      },
    );
    expect(seen).toMatchObject({ isControlled: true, paused: { status: 200, ok: true } });
    expect(played.code).toBe(130);
  });

  test.each([
    ['run', ['run', moduleOf('echo.ts'), 'hello', '--inspect']],
    ['ask', ['ask', 'How are retries configured?', 'docs', '--inspect', '--quiet']],
  ])('is what --inspect on %s does', async (_, args) => {
    const { played, seen } = await visited(args, async (inspector) => {
      const looker = await untilEnd(new Looker(inspector));
      return looker.data('entry').length;
    });
    expect(played.code).toBe(0);
    expect(played.stdout).not.toBe('');
    expect(seen).toBeGreaterThan(10);
  });

  test('frees its port', async () => {
    const ports = new Set<string>();
    for (let times = 0; times < 2; times += 1) {
      const [port = '0'] = ports;
      await visited(['inspect', '--port', port, '--quiet'], ({ url }) => {
        ports.add(new URL(url).port);
        return Promise.resolve();
      });
    }
    expect(ports.size).toBe(1);
  });

  test('that cannot have its port says so', async () => {
    const { seen } = await visited(['inspect'], ({ url }) => play(['inspect', '--port', new URL(url).port]));
    expect(seen.code).toBe(2);
    expect(seen.stderr).toMatch(/Cannot open the inspector as port \d+ is not available/);
  });
});

describe('the command line', () => {
  test.each([
    [['inspect', '--port', '70000'], '--port is not a port'],
    [['inspect', '--port', 'x'], '--port is not a whole number'],
    [['run', 'a.ts', '--control'], '--control needs --inspect'],
    [['run', 'a.ts', '--port', '1'], '--port needs --inspect'],
    [['ask', 'x', '--inspect', '--park'], 'one excludes the other'],
    [['graph', 'a.ts', '--inspect'], 'no such option'],
    [['inspect', 'a.ts', 'b', 'c'], "'c' is unexpected"],
  ])('refuses %j', (args, why) => {
    expect(() => readUsage(args)).toThrow(why);
  });

  test('says how the inspector is opened', () => {
    expect(readUsage(['inspect', 'a.ts', 'go', '--port', '4100', '--control']).command).toEqual({
      name: 'inspect',
      file: 'a.ts',
      input: 'go',
      isData: false,
      wish: { port: 4100, isControlled: true, isShown: false, isAwaited: false },
    });
    expect(readUsage(['run', 'a.ts', 'go', '--inspect', '--open']).command).toMatchObject({
      inspect: { port: 0, isControlled: false, isShown: true, isAwaited: false },
    });
    expect(readUsage(['run', 'a.ts', 'go']).command).toMatchObject({ inspect: undefined });
  });
});
