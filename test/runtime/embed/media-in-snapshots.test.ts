import { createActor, toPromise } from 'xstate';
import type { Snapshot } from 'xstate';
import { expect, test } from 'vitest';
import { agent, tool } from '../../../src/index.ts';
import type { BlobStore } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { z } from 'zod';
import { quiet, deferred } from '../../support/runs.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const bytes = Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0));
const input = [{ type: 'image' as const, data: bytes, name: 'photo.png' }];

/** An agent that waits in a tool, and then says how many bytes its model can read. */
const seer = () => {
  const waiting = deferred<void>();
  const gate = deferred<string>();
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    idempotent: true,
    execute: () => {
      waiting.resolve();
      return gate.promise;
    },
  });
  const model = scriptedModel([
    async ({ messages }, { bytesOf }) => {
      if (messages.length === 1) return calls({ name: 'look', input: {} });
      const [image] = messages.flatMap(({ parts = [] }) => parts).filter((part) => 'hash' in part);
      return image === undefined ? 'none' : `${(await bytesOf?.(image))?.length} bytes`;
    },
    async ({ messages }, { bytesOf }) => {
      const [image] = messages.flatMap(({ parts = [] }) => parts).filter((part) => 'hash' in part);
      return image === undefined ? 'none' : `${(await bytesOf?.(image))?.length} bytes`;
    },
  ]);
  return { made: agent({ name: 'seer', model, tools: [look] }), waiting: waiting.promise, gate };
};

/** What is left of an actor in another process: JSON. */
const persist = (actor: { getPersistedSnapshot(): unknown }): Snapshot<unknown> =>
  JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;

const kept = async (options: Parameters<ReturnType<typeof seer>['made']['logicWith']>[0] = {}) => {
  const { made, waiting } = seer();
  const actor = createActor(made.logicWith(options), { input });
  actor.start();
  await waiting;
  await quiet();
  const snapshot = persist(actor);
  actor.stop();
  await quiet();
  return snapshot;
};

const restored = async (snapshot: Snapshot<unknown>, options: Parameters<typeof kept>[0] = {}) => {
  const { made, gate } = seer();
  gate.resolve('seen');
  const actor = createActor(made.logicWith(options), { snapshot, input });
  actor.start();
  return toPromise(actor);
};

test('[FIND-08] a snapshot has the bytes of the media of its run, which are lost with the process otherwise', async () => {
  const snapshot = await kept();
  expect(JSON.stringify(snapshot).split(PIXEL)).toHaveLength(2);
  expect(await restored(snapshot)).toMatchObject({ status: 'completed', output: `${bytes.length} bytes` });
});

test('[FIND-08] a snapshot from before the start of its run has them, too', async () => {
  const { made } = seer();
  const snapshot = persist(createActor(made.logic, { input }).start());
  expect(await restored(snapshot)).toMatchObject({ status: 'completed', output: `${bytes.length} bytes` });
});

test('[FIND-08] an actor that is stopped and started again has them', async () => {
  const { made, waiting, gate } = seer();
  const actor = createActor(made.logic, { input });
  actor.start();
  await waiting;
  await quiet();
  const snapshot = actor.getPersistedSnapshot();
  actor.stop();
  await quiet();
  gate.resolve('seen');
  const again = createActor(made.logic, { snapshot, input });
  again.start();
  expect(persist(again)).toHaveProperty('troupe.blobs');
  expect(await toPromise(again)).toMatchObject({ output: `${bytes.length} bytes` });
});

test('bytes that have a place of their own are not in a snapshot', async () => {
  const place = new Map<string, Uint8Array>();
  const blobs: BlobStore = {
    name: 'elsewhere',
    put: (hash, given) => void place.set(hash, given),
    get: (hash) => place.get(hash),
  };
  const snapshot = await kept({ content: { blobs } });
  expect(JSON.stringify(snapshot)).not.toContain(PIXEL);
  expect(await restored(snapshot, { content: { blobs } })).toMatchObject({ output: `${bytes.length} bytes` });
});

test('bytes that were changed in a snapshot are refused', async () => {
  const text = JSON.stringify(await kept()).replace(PIXEL, `${PIXEL.slice(0, -8)}AAAAAA==`);
  const outcome = await restored(JSON.parse(text) as Snapshot<unknown>);
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'journal.corrupt' } });
  expect(JSON.stringify(outcome)).toContain('the media in its snapshot');
});

test('an actor that has not started has references in its context, not bytes', () => {
  const { made } = seer();
  const history = [{ role: 'user' as const, text: 'Look.', parts: input }];
  const actor = createActor(made.logicWith({ history }), { input });
  const context = JSON.stringify(actor.getSnapshot().context);
  expect(context).toMatch(/"hash":"[0-9a-f]{64}"/);
  expect(context).not.toContain('"0":137');
});
