import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
let run = '';
const check = moduleOf('checks.ts');

const call = (...args: readonly string[]) => play([...args, '--store', 'runs.db', '--no-color'], { folder });
const blame = (...args: readonly string[]) => call('blame', run, '--fails', check, ...args);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-blame-'));
  await call('run', moduleOf('blamed.ts'), 'The price?');
  const { stdout: runs } = await call('runs', '--json', '--limit', '1');
  run = /"runId":"(\w+)"/.exec(runs)?.[1] ?? '';
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('troupe blame', () => {
  test('names the agent and the step, what it said, what instead, and what that took', async () => {
    const { code, stdout, stderr } = await blame('--live');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^✗ the answer of desk\/clerk-1 in step 0, event \d+$/),
      '  said It is 24.',
      '  with It is 42. it does not fail (when its model was asked again)',
      '  then desk/writer-2 said otherwise, too',
      '  output Dear reader: It is 42.',
      '  instead of Dear reader: It is 24.',
      '  Turned by 3 of 3 attempts there (95 % confidence: 43.9 % to 100 %)',
      expect.stringMatching(/^2 points, \d+ forks, \d+ model calls for \$0\.\d+$/),
      '',
    ]);
  });

  test('asks no model without --live, and says what it could not try', async () => {
    const { code, stdout } = await blame();
    expect(code).toBe(1);
    expect(stdout).toContain(`? Nothing that could be tried turns run ${run}\n`);
    expect(stdout).toContain('0 model calls for $0\n');
    expect(stdout).toContain("Not tried: no other answer of 'clerk' is on record, and no model was asked");
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'with --live they are asked again, for at most --budget USD',
    );
    expect((await blame('--live', '--budget', '0')).stdout).not.toContain('with --live they');
  });

  test('spends no more than its budget, and says that it stopped', async () => {
    const { code, stdout } = await blame('--live', '--budget', '0');
    expect(code).toBe(1);
    expect(stdout).toContain('Stopped early as the budget of 0 US dollars is spent\n');
    expect(stdout).toContain('0 model calls for $0\n');
  });

  test('prints one line of JSON, and leaves the store as it is', async () => {
    const { stdout: before } = await call('runs', '--json');
    const { stdout } = await blame('--live', '--samples', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      runId: run,
      verdict: 'found',
      changes: [{ kind: 'answer', path: 'desk/clerk-1', agent: 'clerk', step: 0, origin: 'model' }],
      turned: { count: 1, of: 1 },
      output: { recorded: 'Dear reader: It is 24.', changed: 'Dear reader: It is 42.' },
      written: [],
    });
    expect((await call('runs', '--json')).stdout).toBe(before);
  });

  test('writes a test with both journals, and overwrites nothing', async () => {
    const { code, stdout } = await blame('--live', '--write', 'price.test.ts');
    expect(code).toBe(0);
    const files = ['price.test.ts', 'price.failed.journal', 'price.turned.journal'];
    for (const file of files) {
      expect(stdout).toContain(join(folder, file));
      expect(existsSync(join(folder, file))).toBe(true);
    }
    const written = readFileSync(join(folder, 'price.test.ts'), 'utf8');
    expect(written).toContain('import { desk as blamed } from ');
    expect(written).toContain("test('fails by what desk/clerk-1 said in step 0'");
    const again = await blame('--live', '--write', 'price.test.ts');
    expect([again.code, again.stdout]).toEqual([2, '']);
    expect(again.stderr).toContain('price.test.ts is there already: name another file, or remove it');
    expect(readFileSync(join(folder, 'price.test.ts'), 'utf8')).toBe(written);
  });

  test.each([
    ['{ "compilerOptions": { "module": "nodenext" } }', 'blamed.js', 'checks.js'],
    ['{ "compilerOptions": { "allowImportingTsExtensions": true } }', 'blamed.ts', 'checks.ts'],
  ])(
    'makes the folder of the test, which imports as the compiler of the project takes it: %s',
    async (configuration, agent, checks) => {
      const place = mkdtempSync(join(folder, 'project-'));
      writeFileSync(join(place, 'tsconfig.json'), configuration);
      const file = join(place, 'test/new/price.test.ts');
      expect((await blame('--live', '--samples', '1', '--write', file)).code).toBe(0);
      const written = readFileSync(file, 'utf8');
      expect(written).toContain(`/${agent}';`);
      expect(written).toContain(`/${checks}';`);
    },
  );

  test.each([
    [['blame'], 'no run was named'],
    [['blame', 'RUN'], 'the check is missing: give --fails FILE'],
    [['blame', 'RUN', '--fails', check, '--tools', 'all', '--live'], "--tools has no 'all'"],
    [['blame', 'RUN', '--fails', check, '--budget', '1'], '--budget is of use with --live only'],
    [['blame', 'RUN', '--fails', check, '--write', 'a.ts'], "--write names no test: 'a.ts'"],
    [['blame', 'RUN', '--fails', check, '--write', 'runs.db/a.test.ts'], 'cannot be made'],
    [['blame', 'RUN', '--fails', `${check}#note`], "its export 'note' is no function"],
    [['blame', 'RUN', '--fails', `${check}#never`], '`fails` says that it does not fail'],
    [['blame', 'nobody', '--fails', check], "Cannot find run 'nobody'"],
  ])('refuses %j', async (args, why) => {
    const { code, stdout, stderr } = await call(...args.map((word) => (word === 'RUN' ? run : word)));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  });
});
