import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { builtFile } from '../support/built-package.ts';

const root = resolve(import.meta.dirname, '../..');

/** A page that imports these names, as a bundler makes it. */
const bundled = (entry: string, names: string) => bundledPage(`export { ${names} } from './${entry}';`);

/** A page as a bundler makes it: what it loads at once, without what it loads when it is needed. */
const bundledPage = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    splitting: true,
    outdir: 'page',
    format: 'esm',
    platform: 'browser',
    external: ['react'],
    metafile: true,
    logLevel: 'silent',
  });
  const loaded = new Set(['page/stdin.js']);
  for (const chunk of loaded)
    for (const { path, kind } of metafile.outputs[chunk]?.imports ?? [])
      if (kind === 'import-statement' && path in metafile.outputs) loaded.add(path);
  const inputs = [...loaded].flatMap((chunk) => Object.entries(metafile.outputs[chunk]?.inputs ?? {}));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const chunks = outputFiles.filter(({ path }) => [...loaded].some((chunk) => path.endsWith(chunk)));
  return {
    bytes: chunks.reduce((sum, { contents: code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    files: used.map(([path]) => path).sort(),
  };
};

const all =
  'foldProgress, noProgress, progressLine, followRun, readRun, readEvent, partialOutput, waitingRequests, runningTools, messagesOf, isOver';

test('[FIND-40] what a page needs that only shows a run takes at most 10.8 kB, and is this', async () => {
  const { bytes, files } = await bundled('src/client/index.ts', all);
  expect(bytes).toBeLessThanOrEqual(10_800);
  expect(files).toEqual([
    'src/base/bytes.ts',
    'src/base/clock.ts',
    'src/base/json/json.ts',
    'src/base/json/partial-json.ts',
    'src/base/json/without-undefined.ts',
    'src/base/text/printable.ts',
    'src/base/try-read.ts',
    'src/client/follow-run.ts',
    'src/client/pause.ts',
    'src/client/read-event.ts',
    'src/client/read-run.ts',
    'src/client/read-sse.ts',
    'src/client/run-address.ts',
    'src/client/select-progress.ts',
    'src/contracts/errors/error.ts',
    'src/contracts/errors/thrown-by.ts',
    'src/contracts/events/is-logged.ts',
    'src/contracts/events/no-totals.ts',
    'src/contracts/people/announced-request.ts',
    'src/contracts/people/approval-terms.ts',
    'src/events/progress/activity.ts',
    'src/events/progress/add-totals.ts',
    'src/events/progress/agent-progress.ts',
    'src/events/progress/progress-message.ts',
    'src/events/progress/progress-request.ts',
    'src/events/progress/progress.ts',
    'src/events/progress/speech.ts',
  ]);
});

test('a page that starts and controls runs, too, takes at most 4.5 kB for that, and with all there is at most 12 kB', async () => {
  const { bytes, files } = await bundled('src/client/index.ts', 'connect');
  expect(bytes).toBeLessThanOrEqual(4_500);
  expect(files.filter((path) => path.startsWith('src/client'))).toEqual([
    'src/client/connect.ts',
    'src/client/pause.ts',
    'src/client/read-event.ts',
    'src/client/read-run.ts',
    'src/client/read-sse.ts',
    'src/client/remote-agent.ts',
    'src/client/remote-run.ts',
    'src/client/remote-server.ts',
    'src/client/run-address.ts',
  ]);
  const whole = await bundled('src/client/index.ts', `connect, ${all}`);
  expect(whole.bytes).toBeLessThanOrEqual(12_000);
  expect(whole.files.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('[FIND-40] as published it imports no package, and nothing that does', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"([^"]+)"/g))
      if (from.startsWith('.')) visit(resolve(dirname(file), from));
      else packages.add(from);
  };
  visit(builtFile('client/index.js'));
  expect([...packages]).toEqual([]);
});

test('what only folds takes less', async () => {
  const { bytes, files } = await bundled('src/client/index.ts', 'foldProgress, noProgress');
  expect(bytes).toBeLessThanOrEqual(7_100);
  expect(files.filter((path) => path.startsWith('src/client'))).toEqual([]);
});

test('a page that uses agents of a server by hooks takes at most 19 kB, and nothing of the runtime, zod or XState', async () => {
  const { bytes, files } = await bundledPage(
    "export { connect } from './src/client/index.ts'; export { useAgent, useRun } from './src/react/index.ts';",
  );
  expect(bytes).toBeLessThanOrEqual(19_000);
  expect(files.filter((path) => !/^src\/(base|client|contracts|events|react)\//.test(path))).toEqual([]);
});
