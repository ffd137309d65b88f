import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-eval-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = moduleOf('numbers.eval.ts');
const call = (args: readonly string[]) => play([...args, '--no-color'], { folder });
const written = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('troupe eval', () => {
  test('prints what failed by what, the measures with their intervals, the gates and the verdict; exit code 1 where a gate fails', async () => {
    const { code, stdout, stderr } = await call(['eval', `${file}#strict`]);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.replace(/\d+ ms/, '0 ms')).toBe(
      [
        "strict of clerk, the eval 'strict'",
        ...[1, 2, 3, 4, 5, 6].flatMap((number) => [
          `✗ q${number}  Number ${number}?`,
          `  contains: found wrong, without ${number}`,
        ]),
        'evaluator  passes                   score',
        'contains   25 % (7.1 % to 59.1 %)   0.25 (0.07 to 0.59)',
        'cost       100 % (67.6 % to 100 %)  1.00 (0.68 to 1.00)',
        '  8 cases, 8 runs: 25 % (7.1 % to 59.1 %) pass',
        '  A run: $0.01 ($0.01 to $0.01), 0 ms, 1.00 steps',
        '  Ended: answered 8',
        '✗ passRate ≥ 0.5: 0.25 (0.0715 to 0.5907)',
        'failed',
        '',
      ].join('\n'),
    );
  });

  test('runs all evals of a module, and passes where all gates do', async () => {
    expect((await call(['eval', file])).stdout).toMatch(
      /strict of clerk[^]*failed\nlax of clerk[^]*passed\n$/,
    );
    expect((await call(['eval', `${file}#lax`])).code).toBe(0);
  });

  test('tries each case several times, and tells pass^k', async () => {
    const { stdout } = await call(['eval', `${file}#strict`, '--tries', '3', '--limit', '2']);
    expect(stdout).toContain('✗ q1  Number 1?  0 of 3 pass');
    expect(stdout).toContain('pass^1 50 %, pass^2 50 %, pass^3 50 %');
    expect(stdout).toContain('2 cases, 6 runs');
  });

  test('writes a line of JSON for each eval, a report for JUnit, and a page that needs nothing else', async () => {
    const { stdout } = await call(['eval', file, '--json', '--junit', 'out.xml', '--html', 'out.html']);
    const reports = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { verdict: string });
    expect(reports.map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
    const xml = written('out.xml');
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>\n/);
    expect(xml).toContain('<testsuite name="strict" tests="9" failures="7" errors="0"');
    expect(xml).toContain('<testsuite name="lax" tests="9" failures="0" errors="0"');
    expect(xml).toContain('<testcase classname="strict" name="q0"');
    expect(xml).toContain('name="gate: passRate ≥ 0.5"');
    const page = written('out.html');
    expect(page).toContain('<h1>Evals: strict, lax</h1>');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|src=|href=/);
    expect(page).toContain('contains: found wrong, without 3');
  });

  test('grades stored runs for nothing, with what people said of them', async () => {
    const store = join(folder, 'runs.db');
    await call(['eval', `${file}#lax`, '--store', store, '--limit', '3', '--concurrency', '1']);
    const runs = (await call(['runs', '--json', '--store', store])).stdout.trimEnd().split('\n');
    const ids = runs.map((line) => (JSON.parse(line) as { runId: string }).runId).toReversed();
    for (const [index, verdict] of ['good', 'bad', 'bad'].entries()) {
      const said = await call(['feedback', ids[index] ?? '', verdict, '--by', 'Ada', '--store', store]);
      expect([said.code, said.stderr]).toEqual([0, '']);
    }
    const { code, stdout } = await call(['eval', `${file}#strict`, '--over', store, '--json']);
    const report = JSON.parse(stdout) as { cases: unknown[]; summary: { evaluators: unknown[] } };
    expect(code).toBe(1);
    expect(report.cases).toHaveLength(3);
    expect(report.summary.evaluators[0]).toMatchObject({
      name: 'contains',
      errors: 0,
      passRate: { value: 1 / 3 },
    });
    const table = await call(['eval', `${file}#lax`, '--over', store]);
    expect(table.stdout).toContain('agrees with people');
    expect(table.stdout).toContain('1 of 3 labels');
    expect(table.code).toBe(0);
  });

  test('compares a candidate, over the dataset and over stored runs, and exits with 1 where it is worse', async () => {
    const store = join(folder, 'compared.db');
    await call(['eval', `${file}#lax`, '--store', store]);
    const live = await call(['eval', `${file}#strict`, '--candidate', `${file}#better`]);
    expect(live.code).toBe(0);
    expect(live.stdout).toContain(
      'The candidate is better: 6 of 8 cases pass only with the candidate, 0 only with the baseline (p = 0.031).',
    );
    const over = await call(['eval', `${file}#lax`, '--over', store, '--candidate', `${file}#better`]);
    expect(over.stdout).toContain('8 live model calls for $0.08; all else was answered from the journals');
    expect(over.stdout).toContain('Not established: 0 of 8 cases pass only with the candidate');
    const free = await call(['eval', `${file}#lax`, '--over', store, '--candidate', `${file}#clerk`]);
    expect(free.stdout).toContain('0 live model calls for $0; all else');
    const page = await call([
      'eval',
      `${file}#strict`,
      '--candidate',
      `${file}#better`,
      '--html',
      'both.html',
    ]);
    expect(page.code).toBe(0);
    expect(written('both.html')).toContain('exact test of McNemar');
  });

  test.each([
    [['eval'], 'no file was named'],
    [['eval', moduleOf('echo.ts')], 'it exports no eval'],
    [['eval', `${file}#nothing`], "its export 'nothing' is no eval"],
    [['eval', 'nowhere.ts'], 'there is no such file'],
    [['eval', file, '--judges'], 'of use with --over only'],
    [['eval', file, '--tries', '0'], 'too few'],
    [['eval', file, '--over', 'x.db', '--tries', '2'], 'runs nothing again'],
    [['eval', file, '--over', 'x.db', '--budget', '2'], 'costs nothing'],
    [['eval', file, '--tools', 'read'], 'of use with --over and --candidate only'],
    [['eval', file, '--candidate', 'nowhere.ts'], 'given by --candidate'],
    [['eval', `${file}#lax`, '--junit', 'no/such/folder.xml'], 'that --junit names'],
  ])('says what is wrong: %j', async (args, message) => {
    const { code, stderr } = await call(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('troupe feedback', () => {
  test('is kept, listed, and refused where nothing is said or there is nothing to say it of', async () => {
    const store = join(folder, 'said.db');
    await call(['eval', `${file}#lax`, '--store', store, '--limit', '1']);
    const { runId } = JSON.parse((await call(['runs', '--json', '--store', store])).stdout) as {
      runId: string;
    };
    const give = (...args: string[]) => call(['feedback', runId, ...args, '--store', store]);
    expect(
      (await give('bad', '--expected', '{"a":1}', '--data', '--comment', 'No.', '--step', '0')).stdout,
    ).toMatch(/✗ bad {2}in step 0 · No\. · expected \{"a":1\}\n$/);
    await give('good', '--by', 'Ada');
    const listed = (await give('--json')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(listed).toMatchObject([
      { good: false, expected: { a: 1 }, step: 0 },
      { good: true, by: 'Ada' },
    ]);
    for (const [args, message] of [
      [['fine'], 'neither good nor bad'],
      [['--by', 'Ada'], 'none is given'],
      [['bad', '--step', '9'], 'it has no step 9'],
      [['bad', '--expected', '{', '--data'], 'is no JSON'],
    ] as const)
      expect((await give(...args)).stderr).toContain(message);
  });
});

describe('troupe resilience', () => {
  test('shows each kind of fault with what came of it, names weak points, and exits with 1 for them', async () => {
    const { code, stdout, stderr } = await call([
      'resilience',
      `${file}#clerk`,
      'Number 7?',
      '--html',
      'resilience.html',
    ]);
    expect([code, stderr]).toEqual([1, 'Written: resilience.html\n']);
    expect(stdout).toContain('clerk: 1 model call, 0 tool calls');
    expect(stdout).toContain('Without a fault: It is 7.');
    expect(stdout).toMatch(/model answers 429 once, with Retry-After: 30 +1 place +1 same answer\n/);
    expect(stdout).toMatch(/model answers 503 from then on +1 place +1 failed\n/);
    expect(stdout).toMatch(
      /process is killed after a write, and the run resumed +\d+ places +\d+ same answer\n/,
    );
    expect(stdout).toMatch(/✗ model call 1, scripted:old answers with garbage, once: answers as if/);
    expect(stdout).toMatch(/\d+ faults, \d+ weak points?\n$/);
    const page = written('resilience.html');
    expect(page).toContain('<h1>Resilience of clerk</h1>');
    expect(page).toContain('model.unavailable');
    expect(page).not.toMatch(/<script|src=|href=/);
  });

  test('prints a line of JSON for each fault, and one for all; without a weak point its exit code is 0', async () => {
    const { code, stdout } = await call([
      'resilience',
      `${file}#clerk`,
      'Number 7?',
      '--faults',
      'store,process',
      '--limit',
      '2',
      '--json',
    ]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { fault?: { kind: string } });
    expect(code).toBe(0);
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toMatchObject({ agent: 'clerk', weak: 0, counts: { hung: 0, same: 10 } });
  });

  test('approves what needs a yes where it is told to, by an option or by what the module exports', async () => {
    const approved = await call([
      'resilience',
      moduleOf('patient.ts'),
      'go',
      '--approve',
      '--faults',
      'tool',
    ]);
    expect(approved.stdout).toContain('Without a fault: sent to Ada | sent to Bob\n');
    expect(approved.stdout).toMatch(/✗ tool call 1, send .*gives the text of an error as its answer/);
    expect(approved.stdout).toMatch(/\n {2}→ check the answer: by an `output` schema/);
    const exported = await call([
      'resilience',
      moduleOf('resilient.ts'),
      'go',
      '--faults',
      'store',
      '--limit',
      '1',
    ]);
    expect([exported.code, exported.stderr]).toEqual([0, '']);
    expect(exported.stdout).toContain('Without a fault: sent to Ada | sent to Bob\n');
  });

  test.each([
    [['resilience'], 'no file was named'],
    [
      ['resilience', moduleOf('patient.ts'), 'go'],
      "it waits for the approval of 'send': give --approve, or export `resilience = { run: { person } }`",
    ],
    [['resilience', file, 'x', '--faults', 'modle'], "--faults has no 'modle'"],
    [['resilience', `${file}#clerk`, '{', '--data'], 'the input is no JSON'],
  ])('says what is wrong: %j', async (args, message) => {
    const { code, stderr } = await call(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('troupe coverage', () => {
  const team = moduleOf('team.ts');

  test('counts what stored runs have seen, lists what never was, and draws the chart as it was lived', async () => {
    const store = join(folder, 'lived.db');
    await call(['run', team, 'Hello.', '--store', store]);
    const { code, stdout, stderr } = await call(['coverage', team, '--over', store, '--mermaid', 'lived.md']);
    expect([code, stderr]).toEqual([0, 'Written: lived.md\n']);
    expect(stdout).toMatch(/^1 run\n/);
    expect(stdout).toMatch(/\nshout +1 +\d+ of \d+ +\d+ of \d+/);
    expect(stdout).toMatch(/\nchorus +1 +5 of 9 /);
    expect(stdout).toContain('States of chorus never seen: 4\n  pipeline.standingIn\n');
    expect(stdout).toMatch(/Arrows of .* never seen: \d+\n/);
    const drawn = written('lived.md');
    expect(drawn.match(/```mermaid\nstateDiagram-v2/g)?.length).toBeGreaterThanOrEqual(3);
    expect(drawn).toMatch(/s\d+ --> s\d+ : .*×1/);
    expect(drawn).not.toMatch(/×0/);
  });

  test('sets production beside tests, and leaves out runs that are not what the charts do now', async () => {
    const [lived, tested] = [join(folder, 'production.db'), join(folder, 'tests.db')];
    await call(['run', team, 'Hello.', '--store', lived]);
    await call(['eval', `${file}#lax`, '--store', tested, '--limit', '1']);
    const both = await call(['coverage', team, '--over', lived, '--tested', tested, '--json']);
    const [root] = both.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { runs: number; untested: string[]; never: { arrows: string[] } });
    expect(root?.runs).toBe(1);
    expect(root?.untested.length).toBeGreaterThan(0);
    expect(root?.never.arrows.length).toBeGreaterThan(0);
    const changed = await call(['coverage', `${file}#better`, '--over', tested]);
    expect([changed.code, changed.stdout]).toEqual([1, '']);
    expect(changed.stderr).toContain('that its charts can replay: 1 run left out');
    const missing = await call(['coverage', team, '--over', lived, '--tested', 'typo.db']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('--tested names a store that is not there');
  });

  test('says so where the store has no run of the agent, and lists nothing as if it had never been seen', async () => {
    const store = join(folder, 'others.db');
    await call(['run', moduleOf('echo.ts'), 'Hello.', '--store', store]);
    const other = await call(['coverage', team, '--over', store]);
    expect([other.code, other.stdout]).toEqual([1, '']);
    expect(other.stderr).toMatch(
      /^Nothing of 'chorus' can be counted as the store .* has no run of it: it has runs of echo\n$/,
    );
  });

  test('leaves out what an agent cannot come to, with what it lacks, and says what its names mean', async () => {
    const store = join(folder, 'echoed.db');
    await call(['run', moduleOf('echo.ts'), 'Hello.', '--store', store]);
    const { code, stdout } = await call(['coverage', moduleOf('echo.ts'), '--over', store]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\nLeft out, as echo has not what they are for: \d+ states and \d+ arrows\. It lacks an environment that it observes; a critic; a recovery; a delegate\n/,
    );
    expect(stdout).not.toMatch(/^ {2}agent\S*(?:CRITIC|looking|gathering)/m);
    expect(stdout).not.toMatch(/answered\.(?:recover|delegate)|wantsCritique/);
    expect(stdout).toMatch(/\n {2}agent\.stopped\n/);
    expect(stdout).toMatch(/\nactors: .* #0: the first arrow/);
    const json = await call(['coverage', moduleOf('echo.ts'), '--over', store, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      beyond: { ids: expect.arrayContaining(['agent.running.CRITIC', 'agent.gathering']) },
      never: { states: expect.not.arrayContaining(['agent.running.CRITIC']) },
    });
  });
});
