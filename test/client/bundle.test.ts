import { gzipSync } from 'node:zlib';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** A page that imports these names, as a bundler makes it. */
const bundled = async (entry: string, names: string) => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${names} } from './${entry}';`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    bytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    files: inputs.map(([path]) => path).sort(),
  };
};

const all =
  'foldProgress, noProgress, progressLine, followRun, readRun, readEvent, partialJson, partialOutput, openRequests, openTools, messagesOf, isOver';

test('what a page needs that only shows a run takes at most 12 kB, and is this', async () => {
  const { bytes, files } = await bundled('src/client/index.ts', all);
  expect(bytes).toBeLessThanOrEqual(12_000);
  expect(files).toEqual([
    'src/client/follow-run.ts',
    'src/client/partial-json.ts',
    'src/client/read-event.ts',
    'src/client/read-run.ts',
    'src/client/read-sse.ts',
    'src/client/run-address.ts',
    'src/client/select-progress.ts',
    'src/contracts/announced-request.ts',
    'src/contracts/clock.ts',
    'src/contracts/error.ts',
    'src/contracts/json.ts',
    'src/contracts/no-totals.ts',
    'src/events/activity.ts',
    'src/events/add-totals.ts',
    'src/events/agent-progress.ts',
    'src/events/printable.ts',
    'src/events/progress-message.ts',
    'src/events/progress-request.ts',
    'src/events/progress.ts',
    'src/events/speech.ts',
  ]);
});

test('what only folds takes less', async () => {
  const { bytes, files } = await bundled('src/client/index.ts', 'foldProgress, noProgress');
  expect(bytes).toBeLessThanOrEqual(9_000);
  expect(files.filter((path) => path.startsWith('src/client'))).toEqual([]);
});
