import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from './support/markdown-blocks.ts';
import { root, runScript } from './support/run-script.ts';

/**
 * Every ```ts block of the README is a program of its own: it compiles, and it runs without a key. A block
 * marked ```ts no-run only compiles.
 */
const readme = join(root, 'README.md');
const folder = '.tmp/readme';
const programs = (existsSync(readme) ? codeBlocks(readFileSync(readme, 'utf8')) : [])
  .filter(({ language }) => language === 'ts' || language === 'typescript')
  .map((block) => ({ ...block, file: join(folder, `line-${block.line}.ts`) }));

describe('the code blocks of a Markdown text', () => {
  it('are found with their marks, their place and without the indent of a list', () => {
    const text =
      'a\n```ts\nx;\n```\n- b\n\n  ```ts no-run\n  y;\n    z;\n  ```\n\n````md\n```ts\nno\n```\n````\n';
    expect(codeBlocks(text)).toEqual([
      { language: 'ts', marks: [], code: 'x;\n', line: 3 },
      { language: 'ts', marks: ['no-run'], code: 'y;\n  z;\n', line: 8 },
      { language: 'md', marks: [], code: '```ts\nno\n```\n', line: 13 },
    ]);
  });
});

describe.skipIf(programs.length === 0)('the README', () => {
  beforeAll(() => {
    rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(join(root, folder), { recursive: true });
    // In the README, as at a reader's, the package's name leads to the package: here to its sources.
    writeFileSync(
      join(root, folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }),
    );
    for (const { file, code } of programs) writeFileSync(join(root, file), code);
  });

  it('has only code that compiles', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: root, encoding: 'utf8' });
    expect(run.status, run.stdout).toBe(0);
  });

  it.concurrent.each(programs.filter(({ marks }) => !marks.includes('no-run')))(
    'has a program in line $line that runs without a key',
    async ({ file }) => {
      const { exit, output } = await runScript(file);
      expect(exit, output).toBe(0);
    },
  );
});
