import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { questions } from './questions.ts';
import { sized } from './thorough.ts';

const packages = resolve(import.meta.dirname, '../../node_modules');

/** How many files there are. */
export const SIZE = sized(150, 1_000);
const LARGEST = 200_000;

/**
 * Real files by path: Markdown and source of installed packages, the same ones for the same lock file.
 *
 * The files that answer the questions are among them; the others are spread over all packages by a hash of their
 * path, so that a package that only one platform installs shifts nothing.
 */
export const readQuestionCorpus = async (): Promise<Record<string, string>> => {
  const paths = await textFiles(packages);
  const answering = paths.filter((path) => questions.some(({ file }) => path === file));
  const others = paths
    .filter((path) => !answering.includes(path))
    .map((path) => ({ path, order: hash(path) }))
    .sort((a, b) => a.order - b.order || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
  const corpus: Record<string, string> = {};
  for (const path of [...answering, ...others].slice(0, SIZE).sort()) {
    corpus[path] = await readFile(join(packages, path), 'utf8');
  }
  return corpus;
};

/** Nested copies of packages would answer the same question twice. */
const textFiles = async (folder: string): Promise<string[]> => {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) {
      found.push(...(await textFiles(place)));
    } else if (entry.isFile() && /\.(?:md|d\.ts|js|mjs)$/.test(entry.name)) {
      const { size } = await stat(place);
      if (size > 0 && size <= LARGEST) found.push(relative(packages, place).replaceAll(sep, '/'));
    }
  }
  return found;
};

const hash = (text: string): number => {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1)
    value = Math.imul(value ^ text.charCodeAt(at), 16_777_619) >>> 0;
  return value;
};
