import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documents } from '../../src/tools/built-in/documents/documents.ts';
import { perform } from './tool-context.ts';

const WORDS =
  'amber basin cedar delta ember fjord grove harbor inlet jetty knoll ledge marsh north orbit prism quartz ridge'.split(
    ' ',
  );

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-large-'));
  // A small generator of its own: the same files every time.
  let seed = 1;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let file = 0; file < 1_000; file += 1) {
    const lines: string[] = [`# File ${file}`, ''];
    for (let size = 0; size < 50_000; size += lines.at(-2)?.length ?? 0) {
      lines.push(
        Array.from({ length: 12 }, () => `${WORDS[next(WORDS.length)] ?? ''}${next(5_000)}`).join(' '),
        '',
      );
    }
    if (file === 777) lines.push('The lighthouse keeper was called Ottilie Brandt.');
    const place = join(folder, `part-${file % 10}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, `file-${file}.md`), lines.join('\n'));
  }
  for (let file = 0; file < 20; file += 1)
    await writeFile(join(folder, `image-${file}.bin`), new Uint8Array(100));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('1,000 files of 50 MB are indexed while the event loop goes on, and one sentence is found in them', async () => {
  const library = documents(folder);
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 5);
  const report = await library.report();
  clearInterval(ticking);
  expect(report).toMatchObject({ files: 1_000, skipped: { length: 20 } });
  expect(report.passages).toBeGreaterThan(20_000);
  expect(turns).toBeGreaterThan(50);
  const [search] = library.tools;
  if (search === undefined) throw new Error('there is no search');
  expect(await perform(search, { query: 'who was the lighthouse keeper', limit: 1 })).toMatchObject({
    value: [{ path: 'part-7/file-777.md' }],
  });
});
