import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer } from '../../src/index.ts';
import type { MediaPart } from '../../src/contracts/content/part.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { folderBlobs, sqliteStore } from '../../src/persistence/index.ts';
import { RunContent } from '../../src/runtime/content/run-content.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { sampled, sized } from '../support/thorough.ts';
import { png } from './pictures.ts';

const program = resolve(import.meta.dirname, '../../.tmp/dying-process', `${process.pid}.mjs`);
const home = mkdtempSync(join(tmpdir(), 'troupe-dying-'));

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, 'dying-process.ts')];
  await build({
    entryPoints,
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
});

afterAll(() => {
  rmSync(program, { force: true });
  rmSync(home, { recursive: true, force: true });
});

const seer = agent({ name: 'seer', decide: () => answer('Seen.') });
const pictures = [0, 1, 2].map((index) => png(4, 4, index));
const parts = pictures.map((bytes): MediaPart => {
  return { type: 'image', hash: sha256(bytes), mediaType: 'image/png', size: bytes.byteLength };
});

const placeIn = (folder: string) => ({
  store: sqliteStore(join(folder, 'runs.db')),
  content: { blobs: folderBlobs(join(folder, 'blobs')) },
});

/** Runs the process until it is over, or was killed at an operation; true if it was. */
const isKilled = (task: 'write' | 'prune', folder: string, at: number, when: string): boolean => {
  const { signal, stdout, stderr } = spawnSync(process.execPath, [program, task, folder, String(at), when], {
    encoding: 'utf8',
  });
  if (signal === null && stdout !== 'over') throw new Error(stderr);
  return signal === 'SIGKILL';
};

const expectRead = async (folder: string, indexes: readonly number[]): Promise<void> => {
  const place = placeIn(folder);
  for (const index of indexes) {
    const part = parts[index];
    if (part !== undefined)
      expect(new Uint8Array(await new RunContent(place).bytesOf(part))).toEqual(pictures[index]);
  }
  await place.store.close();
};

/** Prunes all, and expects that nothing is left: marks of the process that died excepted, which are empty. */
const sweep = async (folder: string): Promise<void> => {
  const { store, content } = placeIn(folder);
  await store.prune({}, content);
  const left = readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true });
  expect(left.filter((each) => each.isFile() && !each.name.startsWith('removing.'))).toEqual([]);
  await store.close();
};

const STEP = sized(100, 1);

test('a prune that is killed anywhere leaves each run its bytes, and the next one sweeps the rest', async () => {
  for (const when of sampled(['before', 'after'], 2))
    for (let at = 1, isOver = false; !isOver; at += STEP) {
      const folder = join(home, `prune-${when}-${at}`);
      const { store, content } = placeIn(folder);
      const show = (index: number) => ({ type: 'image' as const, data: pictures[index] ?? png() });
      await seer.run([show(0), show(1)], { store, content, runId: 'old' });
      const handle = seer.stream([show(1), show(2)], { store, content, runId: 'kept', paused: true });
      await handle.suspend();
      await handle.result.catch(() => undefined);
      await store.close();
      isOver = !isKilled('prune', folder, at, when);
      await expectRead(folder, [1, 2]);
      const again = placeIn(folder);
      expect((await (await resume(seer, 'kept', again)).result).output).toBe('Seen.');
      await again.store.close();
      await sweep(folder);
    }
}, 300_000);

test('a run that is killed anywhere as it stores bytes refers to none that are not there', async () => {
  for (const when of sampled(['before', 'after'], 2, 1))
    for (let at = 1, isOver = false; !isOver; at += STEP) {
      const folder = join(home, `write-${when}-${at}`);
      isOver = !isKilled('write', folder, at, when);
      const { store, content } = placeIn(folder);
      const rows = await store.read('new');
      const shown = pictures.slice(0, 2).map((data) => ({ type: 'image' as const, data }));
      if (rows.length > 0) await expectRead(folder, [0, 1]);
      // Nothing was committed: it is started once more, over what its first start has left.
      else await seer.run(shown, { store, content, runId: 'new' });
      await store.close();
      await expectRead(folder, [0, 1]);
      await sweep(folder);
    }
}, 300_000);
