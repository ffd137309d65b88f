import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readerPages } from '../../scripts/pages.ts';
import { codeBlocks } from './markdown-blocks.ts';
import { root } from './run-script.ts';

/** Every ```tsx block of the README and of the guide is a module of components. */
export const pageComponents = readerPages().flatMap((page) =>
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

/** The server of the pages that have one. */
const server = `import { agent, answer, createGlobalEngine } from 'troupe';
import { serve } from 'troupe/server';

const clerk = agent({ name: 'clerk', decide: () => answer('It comes tomorrow.') });
export const service = serve(createGlobalEngine(), { agents: { clerk } });
`;

/** Writes the components of the pages, with what they import, into a folder that has nothing else. */
export const writePageComponents = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, code } of [
    ...pageComponents,
    { file: 'gardener.ts', code: gardener },
    { file: 'server.ts', code: server },
  ])
    writeFileSync(join(folder, file), code);
};
