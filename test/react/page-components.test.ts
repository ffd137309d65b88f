import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createElement } from 'react';
import type { FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { readerPages } from '../../scripts/pages.ts';
import { codeBlocks } from '../support/markdown-blocks.ts';
import { root } from '../support/run-script.ts';

const folder = join(root, '.tmp/page-components');

/** Every ```tsx block of the README and of the guide is a module of components. */
const modules = readerPages().flatMap((page) =>
  codeBlocks(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => language === 'tsx')
    .map(({ code, line }) => ({
      place: `${page}:${line}`,
      file: `${page.replaceAll(/[^\w-]/g, '-')}-${line}.tsx`,
      code,
    })),
);

/** The agent that the pages' components import. */
const gardener = `import { agent, answer } from 'troupe';
export const gardener = agent({ name: 'gardener', decide: () => answer('Green.') });
`;

describe('the components of the pages', () => {
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const tsconfig = { extends: '../../src/react/tsconfig.json', include: ['.'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    for (const { file, code } of [...modules, { file: 'gardener.ts', code: gardener }])
      writeFileSync(join(folder, file), code);
  });

  it('compile', () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: root, encoding: 'utf8' });
    expect(run.status, run.stdout).toBe(0);
  }, 300_000);

  it.each(modules)('are rendered: $place', async ({ file }) => {
    const exported = Object.values<unknown>(await import(join(folder, file)));
    expect(exported).not.toEqual([]);
    for (const each of exported) {
      const html = renderToString(createElement(each as FunctionComponent<{ id: string }>, { id: 'r1' }));
      expect(html).toMatch(/^<[a-z]+>/);
    }
  });
});
