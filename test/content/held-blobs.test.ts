import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReleasableBlobs } from '../../src/contracts/content/held-blobs.ts';
import { readHeld, releaseHeld, storeHeld } from '../../src/contracts/content/held-blobs.ts';
import { never } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';
import { plainBlobs } from './plain-blobs.ts';

const hash = 'a'.repeat(64);
const bytes = new Uint8Array([1, 2, 3]);
const DAY = 86_400_000;

/** The same blobs, with each operation at a time that the scheduler chooses; after `most` of them nothing is done any more. */
const scheduled = (blobs: ReleasableBlobs, scheduler: fc.Scheduler, most = Infinity): ReleasableBlobs => {
  let done = 0;
  const at = async <Value>(work: () => Value | Promise<Value>, label: string): Promise<Value> => {
    if ((done += 1) > most) return never<Value>();
    await scheduler.schedule(Promise.resolve(), label);
    return work();
  };
  return {
    name: blobs.name,
    put: (name, given) => at(() => blobs.put(name, given), `put ${name}`),
    get: (name) => at(() => blobs.get(name), `get ${name}`),
    remove: (name) => at(() => blobs.remove(name), `remove ${name}`),
    names: (start) => at(() => blobs.names(start), `names ${start}`),
  };
};

test('bytes of a hold are there, however its storing meets the removals of others, and whenever those die', async () => {
  const law = fc.asyncProperty(
    fc.scheduler(),
    fc.array(fc.record({ most: fc.integer({ min: 1, max: 9 }), dies: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    async (scheduler, removals) => {
      const { blobs, objects } = plainBlobs();
      await storeHeld(blobs, { hash, token: 'old' }, bytes);
      const storing = storeHeld(scheduled(blobs, scheduler), { hash, token: 'new' }, bytes);
      for (const { most, dies } of removals)
        void releaseHeld(scheduled(blobs, scheduler, dies ? most : Infinity), { hash, token: 'old' }, 0);
      await scheduler.waitFor(storing);
      expect(await readHeld(blobs, hash)).toEqual(bytes);
      await scheduler.waitIdle();
      expect(await readHeld(blobs, hash)).toEqual(bytes);

      // The next removal sweeps what was left, in the end also the marks of those that died.
      await releaseHeld(blobs, { hash, token: 'old' }, 1);
      expect(await readHeld(blobs, hash)).toEqual(bytes);
      await releaseHeld(blobs, { hash, token: 'outside' }, 2);
      expect(await releaseHeld(blobs, { hash, token: 'new' }, DAY)).toBe(true);
      expect([...objects.keys()]).toEqual([]);
    },
  );
  await fc.assert(law, { numRuns: sized(400, 10_000) });
});

test('two that store the same bytes at once have them both', async () => {
  const law = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { blobs } = plainBlobs();
    const both = ['one', 'two'].map((token) =>
      storeHeld(scheduled(blobs, scheduler), { hash, token }, bytes),
    );
    await scheduler.waitFor(Promise.all(both));
    await releaseHeld(blobs, { hash, token: 'one' }, 0);
    expect(await readHeld(blobs, hash)).toEqual(bytes);
  });
  await fc.assert(law, { numRuns: sized(50, 1_000) });
});

test('bytes that were stored without a hold stay', async () => {
  const { blobs, objects } = plainBlobs();
  await blobs.put(hash, bytes);
  await storeHeld(blobs, { hash, token: 'new' });
  await storeHeld(blobs, { hash, token: 'new' });
  await releaseHeld(blobs, { hash, token: 'new' }, 0);
  expect(objects.get(hash)).toEqual(bytes);
});

test('a removal that cannot be told to be over is repeated, until its mark is an hour old', async () => {
  const { blobs, objects } = plainBlobs();
  await storeHeld(blobs, { hash, token: 'old' }, bytes);
  let puts = 0;
  const dying = {
    ...blobs,
    put: async (name: string, given: Uint8Array) => {
      await blobs.put(name, given);
      if ((puts += 1) === 1) await never();
    },
  };
  void releaseHeld(dying, { hash, token: 'old' }, 1);
  await new Promise(setImmediate);
  expect(await releaseHeld(blobs, { hash, token: 'old' }, 2)).toBe(false);
  expect(objects.has(hash)).toBe(false);
  expect(await releaseHeld(blobs, { hash, token: 'old' }, DAY)).toBe(true);
  expect(objects.size).toBe(0);
});
