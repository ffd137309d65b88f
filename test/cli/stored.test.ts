import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sha256 } from '../../src/base/sha256.ts';
import { agent, answer } from '../../src/index.ts';
import { folderBlobs } from '../../src/persistence/folder-blobs.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { openSqlite } from '../../src/persistence/sqlite/sqlite-driver.ts';
import { journalText, readJournalText } from '../../src/persistence/run-log.ts';
import type { FakeOptions, Played } from './fake-terminal.ts';
import { play } from './fake-terminal.ts';
import { moduleOf, root } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-stored-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let stores = 0;
/** A store of its own: the command, and how it is called on it. */
const kept = () => {
  const file = join(folder, `runs-${(stores += 1)}.db`);
  const call = (args: readonly string[], options: FakeOptions = {}): Promise<Played> =>
    play([...args, '--store', file], { folder: root, ...options });
  /** Runs a module, and says how the run is called. */
  const begun = async (name: string, input: string): Promise<string> => {
    await call(['run', moduleOf(name), input]);
    const [newest] = await listed(call);
    return newest?.runId ?? '';
  };
  return { file, call, begun };
};

/** A store that is there, and holds nothing. */
const keptEmpty = async () => {
  const place = kept();
  const store = sqliteStore(place.file);
  await store.list();
  await store.close();
  return place;
};

type Call = ReturnType<typeof kept>['call'];

const listed = async (call: Call) => {
  const { stdout } = await call(['runs', '--json']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      z.object({ runId: z.string(), status: z.string(), title: z.string() }).parse(JSON.parse(line)),
    );
};

/** Nothing but one line that says what cannot be done, and why. */
const oneLineOf = ({ code, stdout, stderr }: Played): string => {
  expect(stderr).toMatch(/^✗ Cannot [^\n]+\n$/);
  expect(stdout).toBe('');
  expect(code).not.toBe(0);
  return `${code} ${stderr}`;
};

describe('a run of the command line is kept', () => {
  test('under an id that its last line tells, with status, time, agent and title', async () => {
    const { call } = kept();
    const { stderr } = await call(['run', moduleOf('counter.ts'), 'Count, please']);
    const runId = / · run ([0-9a-f]{12})\n$/.exec(stderr)?.[1] ?? '';
    const { code, stdout } = await call(['runs']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^${runId}  completed  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  +\\d+ ms  counter  Count, please\\n$`,
      ),
    );
  });

  test('with what it took and cost, which --json gives in full', async () => {
    const { call } = kept();
    await call(['run', moduleOf('priced.ts'), 'Count the ships']);
    expect((await call(['runs'])).stdout).toMatch(
      / completed  [-\d]+ [:\d]+  +\d+ ms  \$0\.25  priced  Count the ships\n$/,
    );
    expect(JSON.parse((await call(['runs', '--json'])).stdout)).toMatchObject({
      durationMs: expect.any(Number) as number,
      tokens: 130,
      costUsd: 0.25,
    });
  });

  test('and is listed newest first, by status, and as many as are wanted', async () => {
    const { call } = kept();
    for (const input of ['one', 'two']) await call(['run', moduleOf('counter.ts'), input]);
    await call(['run', moduleOf('stopped.ts'), 'three']);
    expect((await listed(call)).map(({ title }) => title)).toEqual(['three', 'two', 'one']);
    const some = await call(['runs', '--status', 'completed,failed', '--limit', '1']);
    expect(some.stdout).toMatch(/^\S+ {2}completed .+ two\n$/);
    expect((await call(['runs', '--status', 'waiting'])).stderr).toMatch(/^No waiting runs in sqlite:/);
  });

  test('whether it is asked or run; nothing else is printed for it with --quiet', async () => {
    const { call } = kept();
    const { code, stderr } = await call(['ask', 'How are retries configured?', 'docs', '--quiet']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await listed(call)).toMatchObject([{ status: 'completed', title: 'How are retries configured?' }]);
  });

  test('in the store that TROUPE_STORE names; --store comes before it, and none keeps nothing', async () => {
    const [one, other] = [join(folder, 'one.db'), join(folder, 'other.db')];
    const environment = { TROUPE_STORE: one };
    const run = ['run', moduleOf('echo.ts'), 'x', '--quiet'];
    await play(run, { environment });
    await play([...run, '--store', other], { environment });
    await play([...run, '--store', other], { environment });
    await play([...run, '--store', 'none'], { environment });
    expect((await play(['runs'], { environment })).stdout.split('\n')).toHaveLength(2);
    expect((await play(['runs', '--store', other], { environment })).stdout.split('\n')).toHaveLength(3);
  });

  test('in a data folder of its user that only the user can look into', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const environment = { TROUPE_STORE: '', XDG_DATA_HOME: home };
    await play(['run', moduleOf('echo.ts'), 'x'], { environment });
    expect(existsSync(join(home, 'troupe/runs.db'))).toBe(true);
    expect((await play(['runs'], { environment })).stdout).toContain('echo');
  });

  test('if it can: else it goes on without, and says so in one line', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const environment = { TROUPE_STORE: '', XDG_DATA_HOME: join(folder, 'a-file') };
    const { code, stdout, stderr } = await play(['run', moduleOf('echo.ts'), 'x'], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'You said: x\n' });
    expect(stderr).toMatch(/^ {2}! This run is not stored, as there is no store: Cannot [^\n]+\n/);
    expect(stderr).toMatch(/\d+ ms\n$/);
    const quiet = await play(['run', moduleOf('echo.ts'), 'x', '--quiet'], { environment });
    expect(quiet).toEqual({ code: 0, stdout: 'You said: x\n', stderr: '' });
  });
});

describe('troupe show', () => {
  test('tells steps, decisions, calls and the end by the journal alone; --step tells all of one', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const { code, stdout, stderr } = await call(['show', runId.slice(0, 5)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${runId} · counter · completed\n  Count\n`);
    expect(stdout).toMatch(/counter {2}step 1 .* {2}count \{"from":1\}/);
    expect(stdout).toMatch(/counter {2}step 2 .* {2}answered "Counted to 2"/);
    expect(stdout).toMatch(/\nCounted to 2\n\n3 steps · 0 model calls · 2 tool calls/);
    const one = await call(['show', runId, '--step', '1']);
    expect(one.stdout).toMatch(/✓ count · \d+ ms\n {4}2\n/);
    expect(one.stdout).not.toContain('step 0');
  });

  test('in JSON is one line of data', async () => {
    const { call, begun } = kept();
    const { stdout } = await call(['show', await begun('counter.ts', 'Count'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      input: 'Count',
      output: 'Counted to 2',
      steps: [{ step: 0 }, { step: 1 }, { step: 2, record: { decision: { kind: 'answer' } } }],
      requests: [],
    });
  });

  test('shows what is sound of a damaged journal, and names the damage; whoever needs the rest refuses', async () => {
    const { file, call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const database = openSqlite(file);
    database.prepare('update rows set text = replace(text, \'"from":1\', \'"from":7\') where n > 0').run();
    database.close();
    const { code, stdout, stderr } = await call(['show', runId]);
    expect(code).toBe(1);
    expect(stdout).toContain('count {"from":0}');
    expect(stdout).not.toContain('answered');
    expect(stderr).toMatch(
      /^✗ Cannot open the run '\w+' past row \d+ as its journal is damaged: row \d+ was changed[^\n]*\n$/,
    );
    for (const args of [
      ['replay', runId],
      ['resume', runId],
      ['compare', runId, runId],
      ['export', runId, '-'],
    ])
      expect(oneLineOf(await call(args))).toMatch(/^1 .*its journal is damaged: row \d+/);
  });
});

test('a run whose process is gone is shown as interrupted, with the command that resumes it', async () => {
  const { file, call, begun } = kept();
  const runId = await begun('counter.ts', 'Count');
  const database = openSqlite(file);
  database.prepare(`update runs set status = 'running' where run = ?`).run(runId);
  database.close();
  expect(await listed(call)).toMatchObject([{ runId, status: 'interrupted' }]);
  expect((await call(['runs'])).stdout).toContain(`${runId}  interrupted  `);
  const shown = await call(['show', runId], { environment: { npm_command: 'exec' } });
  expect(shown.stdout).toContain(`${runId} · counter · interrupted`);
  expect(shown.stdout).toContain(
    `Left in order by its process, and waits for another one: resume it · npx troupe resume ${runId}`,
  );
});

describe('troupe resume', () => {
  test('of a run that is over prints its answer, and does nothing again', async () => {
    const { call } = kept();
    const asked = await call(['ask', 'How are retries configured?', 'docs', '--quiet']);
    const [run] = await listed(call);
    const again = await call(['resume', run?.runId ?? '', '--quiet']);
    expect(again).toEqual(asked);
    expect(await listed(call)).toEqual([run]);
  });

  test('finds the agent by what the run was begun with, unless --file names another', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    expect((await call(['resume', runId, '--quiet'])).stdout).toBe('Counted to 2\n');
    const other = await call(['resume', runId, '--quiet', '--file', moduleOf('echo.ts')]);
    expect(oneLineOf(other)).toMatch(/^1 .*as its agent is 'counter': found 'echo'/);
  });

  test('and with the export that is named after the file, as --export names it', async () => {
    const { call } = kept();
    const several = moduleOf('several.ts');
    await call(['run', `${several}#two`, 'x']);
    const [run] = await listed(call);
    const runId = run?.runId ?? '';
    expect((await call(['graph', `${several}#two`, '--taken'])).stderr).toContain('1 run of two');
    for (const named of [[], ['--agent', `${several}#two`], ['--file', several, '--export', 'two']]) {
      expect((await call(['replay', runId, ...named])).code).toBe(0);
      expect((await call(['resume', runId, '--quiet', ...named])).stdout).toBe('from two\n');
    }
    const other = await call(['replay', runId, '--agent', `${several}#one`]);
    expect(oneLineOf(other)).toMatch(/'one' does something else in step 0/);
  });

  test('--all-due says where there is nothing to do', async () => {
    const { call } = await keptEmpty();
    const { code, stdout, stderr } = await call(['resume', '--all-due']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^No run in sqlite:\S+ is due\n$/);
  });
});

describe('troupe replay', () => {
  test('says that a run replays as recorded', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const { code, stdout } = await call(['replay', runId]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ Run \w+ replays as recorded: \d+ events, completed\n$/);
    expect(JSON.parse((await call(['replay', runId, '--json'])).stdout)).toMatchObject({ isEqual: true });
  });

  test('names the first step in which a changed agent does something else', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const args = ['replay', runId, '--file', moduleOf('counter-changed.ts')];
    expect(oneLineOf(await call(args))).toMatch(/^1 .*'counter' does something else in step 1: .*one.*uno/);
    const { code, stdout } = await call([...args, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ isEqual: false, divergence: { step: 1 } });
  });

  test('a research desk too, by its folder', async () => {
    const { call } = kept();
    await call(['ask', 'How are retries configured?', 'docs', '--quiet']);
    const [run] = await listed(call);
    expect((await call(['replay', run?.runId ?? ''])).code).toBe(0);
  });
});

describe('troupe fork and compare', () => {
  test('a fork shares the steps before, is told something, and can itself be taken up; compare says where they part', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const forked = await call(['fork', runId, '--at', '1', '--message', 'Please be quick']);
    expect({ code: forked.code, stdout: forked.stdout }).toEqual({
      code: 0,
      stdout: 'Counted to 2 (Please be quick)\n',
    });
    const fork = / · run (\w+)\n$/.exec(forked.stderr)?.[1] ?? '';
    expect((await call(['runs'])).stdout).toContain(`(forked from ${runId})`);
    expect((await call(['replay', fork])).code).toBe(0);
    const { code, stdout } = await call(['compare', runId, fork]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/share \d+ events, then part at counter/);
    expect(stdout).toContain('output        "Counted to 2" → "Counted to 2 (Please be quick)"');
  });

  test('[FIND-83] compare says that inputs differed, and what each was', async () => {
    const { call, begun } = kept();
    const [one, other] = [await begun('echo.ts', 'Oslo'), await begun('echo.ts', 'Rome')];
    const { code, stdout } = await call(['compare', one, other]);
    expect(code).toBe(1);
    expect(stdout).toContain('! Their inputs differ.');
    expect(stdout).toMatch(/^ {2}input +"Oslo" → "Rome"$/m);
    const sides = stdout.split('\n').filter((line) => /^ {2}[−+] \w+: /.test(line));
    expect(sides).toEqual([expect.stringContaining('Oslo'), expect.stringContaining('Rome')]);
    const data = JSON.parse((await call(['compare', one, other, '--json'])).stdout) as unknown;
    expect(data).toMatchObject({ totals: { left: { input: 'Oslo' }, right: { input: 'Rome' } } });
  });

  test('two runs that did the same are the same', async () => {
    const { call, begun } = kept();
    const [one, other] = [await begun('counter.ts', 'Count'), await begun('counter.ts', 'Count')];
    const { code, stdout } = await call(['compare', one, other]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/are the same: \d+ events\n$/),
    });
    expect(JSON.parse((await call(['compare', one, other, '--json'])).stdout)).toMatchObject({
      isSame: true,
    });
  });
});

describe('troupe export and import', () => {
  test('carry a run to another store, where it can be taken up', async () => {
    const [here, there] = [kept(), kept()];
    const runId = await here.begun('counter.ts', 'Count');
    const file = join(folder, 'carried.journal');
    const exported = await here.call(['export', runId, file]);
    expect(exported).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Exported run \w+ to /),
    });
    expect((await there.call(['import', file, '--agent', moduleOf('counter.ts')])).code).toBe(0);
    expect(await listed(there.call)).toEqual(await listed(here.call));
    expect((await there.call(['resume', runId, '--quiet'])).stdout).toBe('Counted to 2\n');
    expect((await there.call(['replay', runId])).code).toBe(0);
    const lines = (await there.call(['export', runId, '-'])).stdout;
    expect(lines).toBe(readFileSync(file, 'utf8'));
    for (const line of lines.trimEnd().split('\n')) JSON.parse(line);
  });

  test('[FIND-53] run no code that an imported journal names before somebody here has said so', async () => {
    const [here, there] = [kept(), kept()];
    const runId = await here.begun('counter.ts', 'Count');
    const file = join(folder, 'foreign.journal');
    await here.call(['export', runId, file]);
    const foreign = join(folder, 'foreign.ts');
    const mark = join(folder, 'was-run');
    writeFileSync(
      foreign,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`,
    );
    // Whoever made the journal made its seal, too: it names any module of this machine.
    const { entry, rows, command } = readJournalText(readFileSync(file, 'utf8'));
    const named = JSON.stringify({ ...(JSON.parse(command ?? '') as object), file: foreign });
    writeFileSync(file, journalText({ entry, rows, command: named }));
    expect((await there.call(['import', file])).code).toBe(0);
    for (const args of [
      ['resume', runId],
      ['replay', runId],
      ['fork', runId, '--at', '0'],
    ])
      expect(oneLineOf(await there.call(args))).toMatch(/^2 .*was imported.*foreign\.ts.*--agent/);
    const refused = await there.call(['resume', runId], {
      isTTY: true,
      typed: [{ at: /Use it\? \[y\/N\] $/, text: 'n' }],
    });
    expect(refused.code).toBe(2);
    expect(existsSync(mark)).toBe(false);
    const taken = await there.call(['resume', runId, '--quiet', '--agent', moduleOf('counter.ts')]);
    expect(taken.stdout).toBe('Counted to 2\n');
    expect(existsSync(mark)).toBe(false);
  });

  test('[FIND-53] take up an imported run with the module that it names once somebody has said yes', async () => {
    const [here, there] = [kept(), kept()];
    const runId = await here.begun('counter.ts', 'Count');
    const file = join(folder, 'allowed.journal');
    await here.call(['export', runId, file]);
    await there.call(['import', file]);
    const { code, stderr } = await there.call(['resume', runId], {
      isTTY: true,
      typed: [{ at: /Use it\? \[y\/N\] $/, text: 'y' }],
    });
    expect(code).toBe(0);
    expect(stderr).toContain(`Run ${runId} was imported: it runs the module ${moduleOf('counter.ts')}`);
    // It is asked once.
    expect((await there.call(['resume', runId, '--quiet'])).stdout).toBe('Counted to 2\n');
  });

  test('[FIND-53] refuse a journal whose head was changed, or is of another journal', async () => {
    const { call, begun } = kept();
    const texts = [];
    for (const input of ['one', 'two']) {
      const runId = await begun('counter.ts', input);
      texts.push((await call(['export', runId, '-'])).stdout);
    }
    const [one = '', two = ''] = texts;
    const swapped = [two.split('\n')[0], ...one.split('\n').slice(1)].join('\n');
    for (const text of [one.replace('counter.ts', 'stopped.ts'), swapped]) {
      const file = join(folder, 'head.journal');
      writeFileSync(file, text);
      expect(oneLineOf(await kept().call(['import', file]))).toMatch(/its head was changed/);
    }
  });

  test('refuse a file that is there, a run that is there, and every damage, in one line', async () => {
    const { call, begun } = kept();
    const empty = kept();
    const runId = await begun('counter.ts', 'Count');
    const file = join(folder, 'refused.journal');
    await call(['export', runId, file]);
    expect(oneLineOf(await call(['export', runId, file]))).toMatch(/^2 .*EEXIST/);
    expect(oneLineOf(await call(['import', file]))).toMatch(/^2 .*as there is one of that name/);
    const text = readFileSync(file, 'utf8');
    const damaged: readonly (readonly [string, RegExp])[] = [
      [text.replace('"from":1', '"from":7'), /row \d+ was changed/],
      [text.slice(0, -40), /torn/],
      [text.split('\n').slice(0, -2).join('\n'), /its head speaks of \d+ rows, found \d+/],
      ['hello\n', /it begins with "hello"/],
    ];
    for (const [broken, problem] of damaged) {
      const place = join(folder, 'broken.journal');
      writeFileSync(place, broken);
      const line = oneLineOf(await empty.call(['import', place]));
      expect(line).toMatch(problem);
      expect(line).toMatch(/^1 /);
    }
    expect(await listed(empty.call)).toEqual([]);
  });
});

describe('troupe prune', () => {
  test('removes runs that have ended and are old, and says how many; a dry run removes none', async () => {
    const { call } = kept();
    for (const name of ['counter.ts', 'stopped.ts']) await call(['run', moduleOf(name), 'x']);
    const young = await call(['prune', '--older-than', '1h']);
    expect(young).toEqual({ code: 0, stdout: 'Removed 0 runs\n', stderr: '' });
    const dry = await call(['prune', '--older-than', '0s', '--dry-run']);
    expect(dry.stdout).toBe('Would remove 2 runs\n');
    expect(await listed(call)).toHaveLength(2);
    expect((await call(['prune', '--older-than', '0s', '--status', 'stopped'])).stdout).toBe(
      'Removed 1 run\n',
    );
    expect(await listed(call)).toMatchObject([{ status: 'completed' }]);
    const none = await call(['prune', '--older-than', '0s', '--status', 'waiting']);
    expect(oneLineOf(none)).toMatch(/^2 .*--status has no 'waiting'/);
  });

  test('releases the bytes of media in a folder that is named, and refuses one that is not there', async () => {
    const { file, call } = kept();
    const bytes = new TextEncoder().encode('Buy milk.');
    const store = sqliteStore(file);
    const blobs = folderBlobs(join(folder, 'media'));
    await agent({ name: 'seer', decide: () => answer('Seen.') }).run([{ type: 'file', data: bytes }], {
      store,
      content: { blobs },
    });
    await store.close();
    const all = ['prune', '--older-than', '0s', '--blobs'];
    expect(oneLineOf(await call([...all, join(folder, 'nowhere')]))).toMatch(/^2 .*--blobs names no folder/);
    expect(await blobs.get(sha256(bytes))).toBeDefined();
    expect((await call([...all, join(folder, 'media')])).stdout).toBe('Removed 1 run\n');
    expect(await blobs.get(sha256(bytes))).toBeUndefined();
    expect(oneLineOf(await call(['inspect', moduleOf('counter.ts'), 'x', '--blobs', folder]))).toMatch(
      /^2 .*--blobs is for stored runs/,
    );
  });
});

describe('what cannot be done is one clear line', () => {
  test.each([
    ['show', 'nosuchrun'],
    ['resume', 'nosuchrun'],
    ['replay', 'nosuchrun'],
    ['fork', 'nosuchrun', '--at', '1'],
    ['compare', 'nosuchrun', 'nosuchrun'],
    ['approve', 'nosuchrun'],
    ['deny', 'nosuchrun'],
    ['answer', 'nosuchrun', 'yes'],
    ['export', 'nosuchrun'],
  ])('troupe %s of a run that is not there', async (...args) => {
    const { call } = await keptEmpty();
    expect(oneLineOf(await call(args))).toMatch(/^2 ✗ Cannot find run 'nosuchrun' as it is not in sqlite:/);
  });

  test.each([['runs'], ['show', 'x'], ['resume', '--all-due'], ['prune', '--older-than', '1d']])(
    'troupe %s without a store',
    async (...args) => {
      for (const environment of [{ TROUPE_STORE: 'none' }, { TROUPE_STORE: '' }])
        expect(oneLineOf(await play(args, { environment }))).toMatch(
          /^2 .*there is no store: .*--store FILE/,
        );
    },
  );

  test('a store that is no database, and a run that is to be kept in it', async () => {
    const file = join(folder, 'text.db');
    writeFileSync(file, 'This is no database, but quite some text of another kind.\n'.repeat(100));
    for (const args of [['runs'], ['run', moduleOf('echo.ts'), 'x']])
      expect(oneLineOf(await play([...args, '--store', file]))).toMatch(/^2 .*no SQLite database/);
  });

  test('a run whose module is gone, or that no command began', async () => {
    const { file, call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    const change = (sql: string): void => {
      const database = openSqlite(file);
      database.prepare(sql).run();
      database.close();
    };
    change("update files set text = replace(text, 'counter.ts', 'gone.ts')");
    expect(oneLineOf(await call(['resume', runId]))).toMatch(/^2 .*gone\.ts as there is no such file/);
    change("update files set text = '{}'");
    expect(oneLineOf(await call(['resume', runId]))).toMatch(/^1 .*its record is unreadable/);
    change('delete from files');
    expect(oneLineOf(await call(['resume', runId]))).toMatch(/^2 .*name the module .* with --agent/);
    expect((await call(['resume', runId, '-q', '--file', moduleOf('counter.ts')])).stdout).toBe(
      'Counted to 2\n',
    );
  });

  test('a step that a run does not have', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    expect(oneLineOf(await call(['fork', runId, '--at', '9']))).toMatch(/^2 .*step 9/);
    const { code, stderr } = await call(['show', runId, '--step', '9']);
    expect(code).toBe(2);
    expect(stderr).toBe('✗ Cannot show --step 9 as no agent has reached it: leave it out to see all steps\n');
  });

  test('an answer to a run that waits for none', async () => {
    const { call, begun } = kept();
    const runId = await begun('counter.ts', 'Count');
    expect(oneLineOf(await call(['approve', runId]))).toMatch(/^2 .*waits for no approval: it is completed/);
    expect(oneLineOf(await call(['answer', runId, 'x']))).toMatch(/^2 .*asks nothing: it is completed/);
  });

  test('parking without a store', async () => {
    expect(oneLineOf(await play(['run', moduleOf('echo.ts'), 'x', '--park']))).toMatch(
      /^2 .*--park needs a store/,
    );
  });
});
