import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { root } from '../support/run-script.ts';

let folder = '';

beforeAll(() => {
  // Beside the packages that a test imports.
  mkdirSync(join(root, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(root, '.tmp/expect-'));
  const alias = entryPointsOf().map(({ name, source }) => ({
    find: name,
    replacement: resolve(root, source),
  }));
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `const alias = ${JSON.stringify(alias)}.map((each) => ({ ...each, find: new RegExp('^' + each.find + '$') }));
export default { resolve: { alias }, test: { include: ['*.test.ts'] } };`,
  );
  writeFileSync(
    join(folder, 'clerk.test.ts'),
    `import { agent } from 'troupe';
import { extendExpect, scriptedModel } from 'troupe/testing';
import { expect as plain, test } from 'vitest';

const expect = extendExpect(plain);
const ask = () => agent({ name: 'clerk', model: scriptedModel(['It rains.']) }).run('The weather?');

test('holds', async () => {
  const result = await ask();
  expect(result).toAnswer(/rains/);
  expect(result).not.toHaveCalled('weather');
  await expect(ask()).resolves.toEndFor('answered');
});
test('fails', async () => {
  expect(await ask()).toAnswer('It snows.');
});
`,
  );
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

test('a project of its own adds the matchers by one line, and vitest says what was found', async () => {
  const { code, output } = await vitest();
  expect(code, output).toBe(1);
  expect(output).toContain('1 failed | 1 passed');
  expect(output).toContain('expected the run to answer "It snows.": found It rains., expected It snows.');
});
