import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { dropCommands } from '../../src/cli/stored/command-record.ts';
import { play } from './fake-terminal.ts';
import { builtConfiguration } from '../support/built-package.ts';
import { command, compiledModuleOf, moduleOf, root, troupe, typeScriptOptions } from './run-command.ts';
import { isThorough } from '../support/thorough.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-waiting-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let stores = 0;
const storeFile = (): string => join(folder, `runs-${(stores += 1)}.db`);

const shownSchema = z.object({
  runId: z.string(),
  status: z.string(),
  requests: z.array(z.object({ id: z.string(), kind: z.string() })),
});

/** The newest run of a store, once it waits for so many people. */
const waitingRun = async (file: string, count: number) => {
  for (let tries = 0; tries < 400; tries += 1) {
    const store = sqliteStore(file);
    const [entry] = await store.list({ limit: 1 });
    await store.close();
    if (entry?.status === 'waiting') {
      const { stdout } = await play(['show', entry.runId, '--json', '--store', file]);
      const found = shownSchema.parse(JSON.parse(stdout));
      if (found.requests.length === count) return found;
    }
    await wait(25);
  }
  throw new Error(`no run of ${file} came to wait for ${count}`);
};

describe('a run that waits where nobody is at a terminal', () => {
  test('says by which command it is answered, hears of it from another process, and goes on', async () => {
    const file = storeFile();
    const store = ['--store', file];
    const under = play(['run', moduleOf('people.ts'), 'x', ...store]);
    const { runId } = await waitingRun(file, 1);
    const answered = await play(['answer', runId, 'To Ada', ...store]);
    expect(answered.stderr).toBe(
      'Answered: clerk asks: To whom? · sent through the store: the process that holds the run continues\n',
    );
    let approved = '';
    for (let tries = 0; tries < 200 && !approved.startsWith('Approved'); tries += 1) {
      await wait(25);
      approved = (await play(['approve', runId, ...store])).stderr;
    }
    expect(approved).toMatch(
      /^Approved: clerk, send: Sending a letter to Ada · sent through the store: the process/,
    );
    const { code, stdout, stderr } = await under;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'To Ada | sent to Ada\n' });
    expect(stderr).toContain(
      `! Waits for an answer: clerk asks: To whom? · troupe answer ${runId} TEXT --store ${file}\n`,
    );
    expect(stderr).not.toContain('Denied');
  });

  test('of several requests each is named: one is refused with a reason, one allowed with another input', async () => {
    const file = storeFile();
    const store = ['--store', file];
    const under = play(['run', moduleOf('patient.ts'), 'x', ...store]);
    const { runId, requests } = await waitingRun(file, 2);
    const vague = await play(['approve', runId, ...store]);
    expect(vague.code).toBe(2);
    expect(vague.stderr).toMatch(
      /^✗ Cannot approve as run '\w+' waits for several: name one of \w{12} \(secretary, send: [^\n]+\n$/,
    );
    const shown = await play(['show', runId, ...store]);
    expect(shown.stdout.match(/Waits for a yes: secretary, send/g)).toHaveLength(2);
    const [first = '', second = ''] = requests.map(({ id }) => id);
    await play(['deny', runId, first, '--reason', 'Not to Ada.', ...store]);
    const again = await play(['deny', runId, first, ...store]);
    expect(again.code).toBe(2);
    const bad = await play(['approve', runId, second, '--input', '{', ...store]);
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^✗ Cannot approve as --input is not JSON/),
    });
    await play(['approve', runId, second, '--input', '{"to":"Eve"}', ...store]);
    const { code, stdout } = await under;
    expect(code).toBe(0);
    expect(stdout).toMatch(/Not to Ada\..* \| sent to Eve\n$/);
  });

  test('is over after Ctrl-C, as any other; and nobody can answer it any more', async () => {
    const file = storeFile();
    const { code, stderr } = await play(['run', moduleOf('people.ts'), 'x', '--store', file], {
      interruptAt: /Waits for an answer/,
    });
    expect(code).toBe(130);
    const runId = / · run (\w+)\n$/.exec(stderr)?.[1] ?? '';
    const late = await play(['answer', runId, 'To Ada', '--store', file]);
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('asks nothing: it is aborted') });
  });

  test('of which another process has hold is not gone on with here', async () => {
    const file = storeFile();
    const store = ['--store', file];
    const under = play(['run', moduleOf('people.ts'), 'x', ...store], { interruptAt: /never/ });
    const { runId } = await waitingRun(file, 1);
    const other = await play(['resume', runId, ...store]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(
      /^✗ Cannot resume run '\w+' as another process holds it, \S+:\d+:\w+: answer what it waits for with troupe approve, deny or answer[^\n]*\n$/,
    );
    const due = await play(['resume', '--all-due', ...store]);
    expect(due).toMatchObject({ code: 0, stderr: expect.stringMatching(/^No run in /) });
    await play(['answer', runId, 'To Ada', ...store]);
    for (let tries = 0; tries < 200; tries += 1) {
      await wait(25);
      if ((await play(['deny', runId, ...store])).code === 0) break;
    }
    expect((await under).stdout).toContain('To Ada | ');
  });
});

describe('in processes of their own', () => {
  test('--park leaves a run that waits with exit code 75; answers are kept for whoever goes on with it', async () => {
    const file = storeFile();
    const store = ['--store', file];
    const parked = await troupe(['run', await compiledModuleOf('people.ts'), 'x', '--park', ...store]);
    expect({ exit: parked.exit, stdout: parked.stdout }).toEqual({ exit: 75, stdout: '' });
    expect(parked.stderr).toMatch(/\n■ Parked while it waits: resume it · troupe resume \w+ --store \S+\n$/);
    const { runId } = await waitingRun(file, 1);
    const answered = await play(['answer', runId, 'To Ada', ...store]);
    expect(answered.stderr).toContain(
      ` · no process holds the run: troupe resume ${runId} --store ${file}\n`,
    );
    // A letter makes it due; it goes on to the next thing that it has to wait for.
    const due = await troupe(['resume', '--all-due', ...store]);
    expect({ exit: due.exit, stdout: due.stdout }, due.stderr).toEqual({ exit: 0, stdout: '' });
    const approved = await troupe(['approve', runId, '--resume', '--quiet', ...store]);
    expect(approved).toEqual({ exit: 0, stdout: 'To Ada | sent to Ada\n', stderr: '' });
  });

  if (isThorough)
    test('--park leaves a run that waits for work elsewhere, whose call continues from its checkpoint', async () => {
      const store = ['--store', storeFile()];
      const parked = await troupe(['run', await compiledModuleOf('renderer.ts'), 'x', '--park', ...store]);
      expect({ exit: parked.exit, stdout: parked.stdout }).toEqual({ exit: 75, stdout: '' });
      const [runId = ''] = /(?<=troupe resume )\w+/.exec(parked.stderr) ?? [];
      // It is not due for an hour.
      expect((await troupe(['resume', '--all-due', ...store])).stdout).toBe('');
      expect((await troupe(['resume', runId, '--park', ...store])).exit).toBe(75);
      const done = await troupe(['resume', runId, '--quiet', ...store]);
      expect(done).toEqual({ exit: 0, stdout: 'rendered\n', stderr: '' });
    });

  if (isThorough)
    test('a run that no command began is resumed with --agent, and every line says so', async () => {
      const file = storeFile();
      const store = ['--store', file];
      const module = await compiledModuleOf('people.ts');
      await troupe(['run', module, 'x', '--park', ...store]);
      const { runId } = await waitingRun(file, 1);
      const kept = sqliteStore(file);
      await dropCommands(kept, [runId]);
      await kept.close();
      const answered = await play(['answer', runId, 'To Ada', ...store]);
      expect(answered.stderr).toContain(`: troupe resume ${runId} --store ${file} --agent FILE\n`);
      const parked = await troupe(['resume', runId, '--agent', module, '--park', ...store]);
      expect(parked.exit).toBe(75);
      expect(parked.stderr).toContain(
        `resume it · troupe resume ${runId} --store ${file} --agent ${module}\n`,
      );
      await play(['approve', runId, ...store]);
      const resumed = await troupe(['resume', runId, '--agent', module, '--quiet', ...store]);
      expect(resumed).toEqual({ exit: 0, stderr: '', stdout: 'To Ada | sent to Ada\n' });
    });

  test('a run whose process was killed is due, and goes on where it was', async () => {
    const file = storeFile();
    const store = ['--store', file];
    const child = spawn(
      process.execPath,
      [...typeScriptOptions, command(), 'run', moduleOf('people.ts'), 'x', ...store],
      {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          TMPDIR: folder,
          TSX_TSCONFIG_PATH: builtConfiguration(),
        },
        stdio: 'ignore',
      },
    );
    const { runId } = await waitingRun(file, 1);
    await play(['answer', runId, 'To Ada', ...store]);
    child.kill('SIGKILL');
    await new Promise((done) => child.once('close', done));
    await play(['resume', '--all-due', ...store]);
    const { requests } = await waitingRun(file, 1);
    expect(requests).toMatchObject([{ kind: 'approval' }]);
  });

  if (isThorough)
    test('without any SQLite a run goes on, and says so; what needs a store is one clear line', async () => {
      const imports = [pathToFileURL(moduleOf('no-sqlite.mjs')).href];
      const ran = await troupe(['run', await compiledModuleOf('echo.ts'), 'x'], { imports });
      expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 0, stdout: 'You said: x\n' });
      expect(ran.stderr).toMatch(
        /^ {2}! This run is not stored, as there is no store: [^\n]*npm install libsql[^\n]*\n/,
      );
      const named = await troupe(['run', await compiledModuleOf('echo.ts'), 'x', '--store', storeFile()], {
        imports,
      });
      const runs = await troupe(['runs'], { imports });
      for (const { exit, stdout, stderr } of [named, runs]) {
        expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
        expect(stderr).toMatch(/^✗ Cannot open [^\n]*npm install libsql[^\n]*\n$/);
      }
    });

  test('a run is kept in the home of its user, and nothing else is said of it', async () => {
    const { exit, stdout, stderr } = await troupe(['run', await compiledModuleOf('echo.ts'), 'x', '-q']);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: 'You said: x\n', stderr: '' });
  });
});
