import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLinks } from '../scripts/dead-links.ts';
import { llmsText, pagesInOrder } from '../scripts/llms.ts';
import { guidePages, readerPages } from '../scripts/pages.ts';

const root = resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly repository?: { readonly url?: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly provenance?: boolean };
};

const excluded = manifest.files.flatMap((path) => (path.startsWith('!') ? [path.slice(1)] : []));

/** What `files` names, as npm packs it. */
const packed = (path: string): string[] => {
  if (excluded.includes(path)) return [];
  const place = join(root, path);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [relative(root, place)];
  return readdirSync(place).flatMap((name) => packed(join(path, name)));
};

/** All files of the package but those that the build makes. */
const files = manifest.files
  .filter((path) => path !== 'dist' && !path.startsWith('!'))
  .flatMap((path) => packed(path));

/** Headings of a page, as they are linked to. */
const anchors = (text: string): readonly string[] =>
  Array.from(text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the package', () => {
  test('[FIND-39] has what its README links to, and says where it is kept', () => {
    expect(deadLinks(readFileSync(join(root, 'README.md'), 'utf8'), files)).toEqual([]);
    expect(manifest.repository?.url).toMatch(/^git\+https:/);
  });

  test('[FIND-39] a link that leads nowhere is found', () => {
    const text = '[a](docs/a.md) [b](docs) [c](docs/gone.md#part) [d](https://x.test/d) [e](#e) ![f](f.png)';
    expect(deadLinks(text, ['docs/a.md'])).toEqual(['docs/gone.md#part', 'f.png']);
    expect(deadLinks('[a](../a.md) [b](b.md)', ['docs/a.md'], 'docs/guide/index.md')).toEqual(['b.md']);
  });

  test.each(readerPages())('has what %s links to', (page) => {
    expect(deadLinks(readFileSync(join(root, page), 'utf8'), files, page)).toEqual([]);
  });

  test('has the headings that its pages link to', () => {
    const texts = new Map(readerPages().map((page) => [page, readFileSync(join(root, page), 'utf8')]));
    const lost = [...texts].flatMap(([page, text]) =>
      Array.from(text.matchAll(/\]\(([^()\s#]*)#([^()\s]+)\)/g)).flatMap(([, target = '', anchor = '']) => {
        if (/^[a-z]+:/.test(target)) return [];
        const path = target === '' ? page : relative(root, resolve(root, page, '..', target));
        return anchors(texts.get(path) ?? '').includes(anchor) ? [] : [`${page}: ${target}#${anchor}`];
      }),
    );
    expect(lost).toEqual([]);
  });

  test('has a guide whose first page leads to every page', () => {
    const texts = new Map(guidePages().map((page) => [page, readFileSync(join(root, page), 'utf8')]));
    const reached = new Set(['docs/guide/index.md']);
    for (const page of reached) {
      for (const [, target = ''] of (texts.get(page) ?? '').matchAll(/\]\(([^()\s#:]+\.md)/g)) {
        const path = relative(root, resolve(root, page, '..', target));
        if (texts.has(path)) reached.add(path);
      }
    }
    expect([...texts.keys()].filter((page) => !reached.has(page))).toEqual([]);
  });

  test('has nothing of what builds the site', () => {
    expect(files.filter((path) => /node_modules|\.vitepress|^docs\/package/.test(path))).toEqual([]);
  });

  test('has a list of its pages for agents (else: npx tsx scripts/llms.ts --update)', () => {
    expect(readFileSync(join(root, 'docs/llms.txt'), 'utf8')).toBe(llmsText());
    expect(guidePages().filter((page) => !pagesInOrder().includes(page))).toEqual([]);
    expect(deadLinks(llmsText(), files, 'docs/llms.txt')).toEqual([]);
  });

  test('has a README of at most 150 lines', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(
      150,
    );
  });

  test('[FIND-39] depends on nothing that it does not import', () => {
    const sources = packed('src').filter((path) => /\.tsx?$/.test(path));
    const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const unused = Object.keys(manifest.dependencies).filter(
      (name) => !text.includes(`'${name}'`) && !text.includes(`'${name}/`),
    );
    expect(unused).toEqual([]);
  });

  test('runs nothing when it is installed, says where it was built, and locks what it is built of by digests', () => {
    const atInstall = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];
    expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
    expect(manifest.publishConfig?.provenance).toBe(true);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<
        Record<
          string,
          { readonly resolved?: string; readonly integrity?: string; readonly inBundle?: boolean }
        >
      >;
    };
    // Without a place of its own, a package comes from the registry.
    const loose = Object.entries(packages).filter(
      ([path, { resolved, integrity = '', inBundle = false }]) =>
        path !== '' && !inBundle && (resolved !== undefined || !integrity.startsWith('sha512-')),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  test('is made projects of by a package of its own, of the same version and for the same peers', () => {
    const { version, dependencies } = JSON.parse(
      readFileSync(join(root, 'create-troupe/package.json'), 'utf8'),
    ) as { readonly version: string; readonly dependencies: Readonly<Record<string, string>> };
    expect(version).toBe(manifest.version);
    const { troupe, ...peers } = dependencies;
    expect(troupe).toBe(`^${version}`);
    for (const [name, range] of Object.entries(peers))
      expect(range, name).toBe(manifest.peerDependencies[name]);
  });

  test('has a clone install nothing that only judges need, and a bounded number of packages', () => {
    const read = (path: string) =>
      JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        readonly devDependencies: Readonly<Record<string, string>>;
        readonly packages: Readonly<Record<string, unknown>>;
      };
    const locked = Object.keys(read('package-lock.json').packages);
    const judges = Object.keys(read('test/judges/package.json').devDependencies);
    // The first three are peers of the package; the last comes with the SDK of OpenTelemetry, which tests use.
    expect(judges.filter((name) => locked.includes(`node_modules/${name}`))).toEqual([
      '@a2a-js/sdk',
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/server',
      '@opentelemetry/semantic-conventions',
    ]);
    expect(locked.length).toBeLessThanOrEqual(520);
  });

  test('has everybody install at most four small packages beside xstate, rxjs and zod', () => {
    const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(installed.length).toBeLessThanOrEqual(4);
    for (const name of installed) {
      const folder = join(root, 'node_modules', name);
      const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        readonly dependencies?: Readonly<Record<string, string>>;
      };
      expect(Object.keys(dependencies), name).toEqual([]);
      const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
      expect(bytes, name).toBeLessThan(1_000_000);
    }
    const needed = Object.keys(manifest.peerDependencies).filter(
      (name) => !(name in manifest.peerDependenciesMeta),
    );
    expect(needed).toEqual(['rxjs', 'xstate', 'zod']);
  });

  test.each(['xstate', 'rxjs', 'zod'])(
    '[FIND-13] leaves %s to the app, so that there is one copy, and is tested with the newest of its range',
    (name) => {
      expect(manifest.dependencies).not.toHaveProperty([name]);
      // It is needed: package managers install it where the app has none.
      expect(manifest.peerDependenciesMeta).not.toHaveProperty([name]);
      const [, least = ''] = /^\^(\d+\.\d+\.\d+)$/.exec(manifest.peerDependencies[name] ?? '') ?? [];
      const installed = JSON.parse(
        readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
      ) as { readonly version: string };
      expect(manifest.devDependencies[name]).toBe(installed.version);
      expect(installed.version.split('.')[0]).toBe(least.split('.')[0]);
    },
  );
});
