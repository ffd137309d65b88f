import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { patternLaws, type PatternSubject } from '../../src/testing/pattern-laws.ts';
import { codeBlocks } from '../support/markdown-blocks.ts';

const root = resolve(import.meta.dirname, '../..');

/** The face of the guide's pattern, as far as the laws need it. */
interface Council {
  (
    setup: Parameters<PatternSubject['make']>[1] & { name: string; members: object },
  ): ReturnType<PatternSubject['make']>;
  readonly machine: () => AnyStateMachine;
}

/** The pattern that the guide's page begins with, as a reader would copy it. */
const councilOfTheGuide = async (): Promise<Council> => {
  const page = readFileSync(join(root, 'docs/guide/your-own-pattern.md'), 'utf8');
  const { code = '' } = codeBlocks(page).find((block) => block.code.includes("name: 'council'")) ?? {};
  const folder = join(root, '.tmp/guide');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'council.ts');
  writeFileSync(file, `${code.split('\nconst says')[0]}\nexport { council };\n`);
  const { council } = (await import(file)) as { readonly council: Council };
  return council;
};

describe('the pattern of the guide', async () => {
  const council = await councilOfTheGuide();
  const laws = patternLaws({
    machine: council.machine,
    make: (members, beside) => council({ name: 'hall', ...beside, members }),
    says: () => 'yes',
    output: 'passed',
  });

  test.each(laws.map(({ name, check }) => ({ name, check })))('keeps the law: $name', async ({ check }) => {
    await expect(check()).resolves.toBeUndefined();
  });
});
