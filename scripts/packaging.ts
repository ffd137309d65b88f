/**
 * Checks the package as it would be published, after a build: what is in it, whether its manifest and types
 * resolve, whether a project that installed it can use it, and whether it runs in a browser.
 *
 *   tsx scripts/packaging.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import { build } from 'esbuild';
import { deadLinks } from './dead-links.ts';
import { readerPages } from './pages.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.tmp/package');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: Record<string, string>;
  exports: Record<string, string | { default?: string; types: string }>;
  peerDependenciesMeta: Record<string, unknown>;
};

/** Runs a command and answers with what it printed. It throws that, if the command fails. */
const run = (command: string, args: readonly string[], cwd = root): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed\n${stdout}${stderr}`);
  return stdout;
};
const tool = (name: string, ...args: readonly string[]): string =>
  run(join(root, 'node_modules/.bin', name), args);

/** Packs what `files` names, and sees that the entry points are in and that nothing else slipped in. */
const pack = (): { tarball: string; report: string } => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The build has just run; without scripts nothing but JSON is printed.
  const json = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const parsed = JSON.parse(json) as PackReport[] | Record<string, PackReport>;
  const packed = Object.values(parsed)[0];
  if (packed === undefined) throw new Error('Cannot check the package as npm pack reported nothing');
  const files = packed.files.map(({ path }) => path);

  const needed = [
    'README.md',
    'LICENSE',
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((each) =>
      typeof each === 'string' ? each : Object.values(each),
    ),
  ]
    .filter((path) => !path.includes('*'))
    .map((path) => path.replace(/^\.\//, ''));
  const missing = needed.filter((path) => !files.includes(path));
  if (missing.length > 0) throw new Error(`Missing in the package: ${missing.join(', ')}`);

  const foreign = files.filter(
    (path) =>
      !/^((dist|src|docs|examples)\/|(package\.json|[A-Z]+\.md|LICENSE)$)/.test(path) ||
      /\/(?:node_modules|\.vitepress)\//.test(path),
  );
  if (foreign.length > 0) throw new Error(`Not meant to be in the package: ${foreign.join(', ')}`);

  for (const page of readerPages()) {
    const dead = deadLinks(readFileSync(join(root, page), 'utf8'), files, page);
    if (dead.length > 0) throw new Error(`Dead links in ${page} of the package: ${dead.join(', ')}`);
  }

  const report = `${files.length} files, ${kilobytes(packed.size)} packed, ${kilobytes(packed.unpackedSize)} unpacked`;
  return { tarball: join(folder, packed.filename), report };
};

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;

/** Uses the package from a project that has it in node_modules: every entry point and the command. */
const useAsConsumer = (tarball: string): string => {
  const home = join(folder, 'consumer');
  const installed = join(home, 'node_modules/troupe');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1']);
  // Its own manifest, so that `troupe` is the package there and not this project.
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
  const names = Object.keys(manifest.exports)
    .filter((path) => !/\.json$|\*/.test(path))
    .map((path) => path.replace('.', 'troupe'));
  const count = `console.log(${names.map((name) => `Object.keys(await import('${name}')).length`).join(', ')})`;
  const exported = run(process.execPath, ['--input-type=module', '--eval', count], home).trim().split(' ');
  for (const path of Object.values(manifest.bin)) {
    run(process.execPath, [join(installed, path), '--help'], home);
  }
  return `${names.map((name, index) => `${name} has ${exported[index]} exports`).join(', ')}; the command starts`;
};

/** Packs the unpacked package without what has no types: attw looks at each file of a package for each way to resolve it. */
const packWithTypes = (): string => {
  const tarball = join(folder, 'types.tgz');
  const left = ['src', 'docs', 'examples'].map((name) => `--exclude=troupe/${name}`);
  run('tar', ['-czf', tarball, ...left, '--exclude=*.map', 'troupe'], join(folder, 'consumer/node_modules'));
  return tarball;
};

/** How everything here is bundled for a browser: anything of Node is refused. */
const forBrowser = (contents: string): BuildOptions & { write: false } => ({
  absWorkingDir: root,
  stdin: { contents, resolveDir: root, loader: 'ts' },
  bundle: true,
  write: false,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  logLevel: 'silent',
  // Optional peers are whoever's who uses them; troupe loads them on demand.
  external: Object.keys(manifest.peerDependenciesMeta),
  plugins: [
    {
      name: 'nothing-of-node',
      setup: (bundler) => {
        bundler.onResolve({ filter: /.*/ }, ({ path, importer }) =>
          path.startsWith('node:') || builtinModules.includes(path)
            ? { errors: [{ text: `${importer} imports ${path}, which no browser has` }] }
            : undefined,
        );
      },
    },
  ],
});

/** Bundles `contents` as one script, with a global `troupe`. */
const bundleForBrowser = async (contents: string): Promise<string> => {
  const { outputFiles } = await build({ ...forBrowser(contents), format: 'iife', globalName: 'troupe' });
  return outputFiles[0]?.text ?? '';
};

/** Bundles `contents` as modules, and returns those that a page loads before the first line of it runs. */
const bundleAtOnce = async (contents: string): Promise<readonly Uint8Array[]> => {
  const { outputFiles, metafile } = await build({
    ...forBrowser(contents),
    format: 'esm',
    splitting: true,
    metafile: true,
    outdir: '.tmp/weighed',
  });
  const entry = Object.keys(metafile.outputs).find(
    (path) => metafile.outputs[path]?.entryPoint === '<stdin>',
  );
  const needed = new Set([entry]);
  for (const path of needed) {
    for (const { kind, path: next } of metafile.outputs[path ?? '']?.imports ?? []) {
      if (kind === 'import-statement') needed.add(next);
    }
  }
  return outputFiles
    .filter(({ path }) => needed.has(relative(root, path)))
    .map(({ contents: module }) => module);
};

/**
 * `agent` alone, compressed, in kB: all that it may load (0.1: 268), and what a page loads at once (0.1: 235). Zod's large face (15 kB) comes
 * with the first schema of an app that is made by it, and its 50 languages (60 kB) with one `import { z }`, which bundlers cannot shake.
 */
const MAX_AGENT = { all: 266, atOnce: 219 };

const AGENT = `export { agent } from './src/index.ts'`;

const weighAgent = async (): Promise<string> => {
  const all = gzipSync(await bundleForBrowser(AGENT)).length;
  const atOnce = (await bundleAtOnce(AGENT)).reduce((sum, module) => sum + gzipSync(module).length, 0);
  if (all > MAX_AGENT.all * 1000 || atOnce > MAX_AGENT.atOnce * 1000) {
    throw new Error(
      `An agent in a browser has ${kilobytes(all)} compressed, ${kilobytes(atOnce)} of it at once: at most ${MAX_AGENT.all} and ${MAX_AGENT.atOnce} kB`,
    );
  }
  return `${kilobytes(all)} compressed, ${kilobytes(atOnce)} of it at once`;
};

/** Runs an agent of the whole package where there is no Node. */
const runInBrowser = async (): Promise<string> => {
  const bundle = await bundleForBrowser(`export * from './src/index.ts'`);
  const page = createContext(
    Object.fromEntries(webGlobals.map((name) => [name, Reflect.get(globalThis, name)])),
  );
  runInContext('globalThis.window = globalThis.self = globalThis', page);
  runInContext(bundle, page, { filename: 'troupe.js' });
  const agent = `troupe.agent({ name: 'guest', instructions: 'Greet.' }).run('Hello')`;
  const stopped: unknown = await runInContext(`${agent}.then((result) => result.stopReason.kind)`, page);
  const size = `${kilobytes(bundle.length)} minified, ${kilobytes(gzipSync(bundle).length)} compressed`;
  return `${size}; an agent ran without Node and stopped: ${String(stopped)}`;
};

const webGlobals = `
  console setTimeout clearTimeout setInterval clearInterval queueMicrotask performance
  AbortController AbortSignal DOMException Event EventTarget structuredClone crypto fetch Headers
  Request Response URL URLSearchParams Blob FormData atob btoa TextEncoder TextDecoder ReadableStream
  WritableStream TransformStream
`
  .trim()
  .split(/\s+/);

const check = async (name: string, work: () => string | Promise<string>): Promise<void> => {
  console.log(`${name}: ${await work()}`);
};

try {
  const { tarball, report } = pack();
  await check('pack', () => report);
  await check('publint', () => {
    tool('publint', 'run', tarball, '--strict');
    return 'no remarks';
  });
  await check('consumer', () => useAsConsumer(tarball));
  await check('types', () => {
    tool(
      'attw',
      packWithTypes(),
      '--profile',
      'esm-only',
      '--no-definitely-typed',
      '--no-emoji',
      '--no-color',
    );
    return 'resolve as ESM';
  });
  await check('browser', runInBrowser);
  await check('agent in a browser', weighAgent);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
