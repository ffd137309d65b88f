import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { replay } from '../../../src/runtime/journal/replay/replay.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { Inspector } from '../../../src/inspect/local/inspect.ts';
import { pdf } from '../../content/pictures.ts';
import { plainBlobs } from '../../content/plain-blobs.ts';
import { clerk, drawing, pixel, question } from './album.ts';
import { ask, askOpen, openInspector, portOf } from './local-kit.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const get = async ({ url, token }: Inspector, path: string) => {
  const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};

test.each(['of this process', 'of a store', 'of this process, and stored'])(
  'media of a run %s are read by their hash, byte for byte',
  async (where) => {
    const store = where.includes('store') ? memoryStore() : undefined;
    const inspector = await openInspector({ store, agents: [clerk()] });
    const inspect = where.includes('process') ? { inspect: inspector } : {};
    await clerk().run(question, { ...inspect, store, runId: 'a run/1' });
    const at = (bytes: Uint8Array, type: string) =>
      `/api/content/${encodeURIComponent('a run/1')}/${hashOf(bytes)}?type=${encodeURIComponent(type)}`;
    const picture = await get(inspector, at(pixel, 'image/png'));
    expect(picture.response.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(picture.bytes)).toEqual(pixel);
    const letter = await get(inspector, at(pdf(), 'application/pdf'));
    expect(Buffer.from(letter.bytes)).toEqual(Buffer.from(pdf()));
    expect(letter.response.headers.get('content-disposition')).toBe('attachment');
  },
);

test('what could run something is a file to keep, whatever type is asked for', async () => {
  const inspector = await openInspector();
  await clerk().run(question, { inspect: inspector, runId: 'r' });
  for (const type of ['image/svg+xml', 'text/html', 'image/png%0d%0ax: y', '']) {
    const { response } = await get(inspector, `/api/content/r/${hashOf(drawing)}?type=${type}`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toBe('attachment');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('media are for who has the token, of runs that are here, and to be read only', async () => {
  const inspector = await openInspector({ store: memoryStore() });
  await clerk().run(question, { inspect: inspector, runId: 'r' });
  const path = `/api/content/r/${hashOf(pixel)}`;
  expect((await ask(portOf(inspector), path)).status).toBe(403);
  expect((await askOpen(inspector, path, { method: 'POST' })).status).toBe(405);
  expect((await askOpen(inspector, `/api/content/r/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await askOpen(inspector, `/api/content/other/${hashOf(pixel)}`)).status).toBe(404);
  for (const odd of ['r', `r/${hashOf(pixel)}0`, `r/..%2f${hashOf(pixel)}`, `%zz/${hashOf(pixel)}`])
    expect((await askOpen(inspector, `/api/content/${odd}`)).status).toBe(404);
});

test('media that a store has are read from there, however many runs were recorded since, or replayed', async () => {
  const store = memoryStore();
  const inspector = await openInspector({ store, agents: [clerk()] });
  for (let run = 0; run < 22; run += 1)
    await clerk().run(question, { inspect: inspector, store, runId: `run-${run}` });
  await replay(clerk(), 'run-21', { store, inspect: inspector });
  for (const run of ['run-0', 'run-21'])
    expect((await get(inspector, `/api/content/${run}/${hashOf(pixel)}`)).response.status).toBe(200);
});

test('a recorder has the media of runs in progress, and of the last twenty that are over', async () => {
  const record = recorder();
  const waiting = clerk().stream(question, { inspect: record, runId: 'waiting', paused: true });
  for (let run = 0; run < 21; run += 1) await clerk().run(question, { inspect: record, runId: `run-${run}` });
  const part = { type: 'image', hash: hashOf(pixel), mediaType: 'image/png', size: pixel.length } as const;
  expect(Buffer.from(await record.bytesOf('run-20', part))).toEqual(pixel);
  expect(Buffer.from(await record.bytesOf('run-1', part))).toEqual(pixel);
  expect(Buffer.from(await record.bytesOf('waiting', part))).toEqual(pixel);
  waiting.abort();
  await waiting.result.catch(() => undefined);
  await expect(record.bytesOf('run-0', part)).rejects.toMatchObject({ code: 'content.missing' });
  await expect(record.bytesOf('run-20', { ...part, hash: '0'.repeat(64) })).rejects.toMatchObject({
    code: 'content.missing',
  });
});

test('media that are elsewhere are read where the inspector is told, and else it says where they were sought', async () => {
  const { blobs } = plainBlobs('s3:album');
  const store = memoryStore();
  await clerk().run(question, { store, content: { blobs }, runId: 'r' });
  const path = `/api/content/r/${hashOf(pixel)}`;
  const told = await openInspector({ store, content: { blobs }, agents: [clerk()] });
  expect(Buffer.from((await get(told, path)).bytes)).toEqual(pixel);
  expect(JSON.parse((await askOpen(told, `${path}?check`)).text)).toEqual({ ok: true });

  const untold = await openInspector({ store, agents: [clerk()] });
  const missing = await askOpen(untold, path);
  expect(missing.status).toBe(404);
  const { status, text } = await askOpen(untold, `${path}?check`);
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      error: {
        code: 'content.missing',
        message:
          'Cannot show these bytes as they are not in memory: open the inspector with the place that has them (`content.blobs`; on the command line --blobs FOLDER)',
      },
    },
  ]);
});
