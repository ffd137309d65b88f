import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLinks } from '../scripts/dead-links.ts';

const root = resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly repository?: { readonly url?: string };
};

/** What `files` names, as npm packs it. */
const packed = (path: string): string[] => {
  const place = join(root, path);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [relative(root, place)];
  return readdirSync(place).flatMap((name) => packed(join(path, name)));
};

describe('the package', () => {
  test('[FIND-39] has what its README links to, and says where it is kept', () => {
    const files = manifest.files.filter((path) => path !== 'dist').flatMap((path) => packed(path));
    expect(deadLinks(readFileSync(join(root, 'README.md'), 'utf8'), files)).toEqual([]);
    expect(manifest.repository?.url).toMatch(/^git\+https:/);
  });

  test('[FIND-39] a link that leads nowhere is found', () => {
    const text = '[a](docs/a.md) [b](docs) [c](docs/gone.md#part) [d](https://x.test/d) [e](#e) ![f](f.png)';
    expect(deadLinks(text, ['docs/a.md'])).toEqual(['docs/gone.md#part', 'f.png']);
  });

  test('[FIND-39] depends on nothing that it does not import', () => {
    const sources = packed('src').filter((path) => /\.tsx?$/.test(path));
    const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const unused = Object.keys(manifest.dependencies).filter(
      (name) => !text.includes(`'${name}'`) && !text.includes(`'${name}/`),
    );
    expect(unused).toEqual([]);
  });
});
