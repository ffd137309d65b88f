import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { play } from './fake-terminal.ts';
import { moduleOf, root } from './run-command.ts';

let folder = '';
let written = { code: 1, stderr: '' };

beforeAll(async () => {
  // Beside the packages that a test imports.
  mkdirSync(join(root, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(root, '.tmp/blamed-'));
  for (const name of ['blamed.ts', 'checks.ts']) cpSync(moduleOf(name), join(folder, name));
  const alias = entryPointsOf().map(({ name, source }) => ({
    find: name,
    replacement: resolve(root, source),
  }));
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `const alias = ${JSON.stringify(alias)}.map((each) => ({ ...each, find: new RegExp('^' + each.find + '$') }));
export default { resolve: { alias }, test: { include: ['*.test.ts'] } };`,
  );
  const call = (...args: readonly string[]) => play([...args, '--store', 'runs.db'], { folder });
  await call('run', 'blamed.ts', 'The price?');
  const { stdout } = await call('runs', '--json');
  const run = /"runId":"(\w+)"/.exec(stdout)?.[1] ?? '';
  written = await call('blame', run, '--fails', 'checks.ts', '--live', '--write', 'price.test.ts');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the tests of the folder, as their author would. */
const vitest = (): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((done, reject) => {
    const program = join(root, 'node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [program, 'run', '--root', folder], {
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    });
    let output = '';
    const collect = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => done({ code, output }));
  });

test('a test that troupe blame writes passes without a key, and fails once the check or the agent is another', async () => {
  expect(written).toMatchObject({ code: 0, stderr: '' });
  const passed = await vitest();
  expect(passed.code, passed.output).toBe(0);
  expect(passed.output).toContain('2 passed');

  const check = join(folder, 'checks.ts');
  const was = readFileSync(check, 'utf8');
  writeFileSync(check, was.replace("includes('42')", "includes('24')"));
  expect((await vitest()).output).toContain('2 failed');
  writeFileSync(check, was);

  const team = join(folder, 'blamed.ts');
  writeFileSync(
    team,
    readFileSync(team, 'utf8').replace("name: 'writer'", "name: 'writer', instructions: 'Be brief.'"),
  );
  const diverged = await vitest();
  expect(diverged.output).toContain('2 failed');
  expect(diverged.output).toContain('DeterminismError');
});
