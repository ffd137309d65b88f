import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The pages that people and agents read, from the root of the project: the README, the reference pages, the guide. */
export const readerPages = (): readonly string[] => [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
  ...guidePages(),
];

/** The pages of the guide, from the root of the project. */
export const guidePages = (): readonly string[] =>
  readdirSync(join(root, 'docs/guide'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => relative(root, join(root, 'docs/guide', name)).replaceAll('\\', '/'))
    .toSorted();
