import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import { isThorough } from '../../support/thorough.ts';
import type { EmbedderOrder } from './kills/embedder.ts';

const program = new AnotherProcess('../../runtime/embed/kills/embedder.ts');
beforeAll(() => program.build());
afterAll(() => {
  program.remove();
});

interface Manner {
  readonly isInApp: boolean;
  readonly hasStore: boolean;
  readonly isIdempotent: boolean;
}

/** Runs embedders, each from the snapshot of the one before, that die where they are told; the last one lives. */
const through = async (
  { isInApp, hasStore, isIdempotent }: Manner,
  deaths: readonly (readonly number[])[],
) => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-embedder-'));
  const ledger = join(folder, 'ledger');
  const place = { file: join(folder, 'snapshot.json'), ledger, isInApp, isIdempotent };
  const order = { ...place, store: hasStore ? join(folder, 'runs.sqlite') : undefined };
  try {
    for (const [diesAt, turns = 0] of deaths) {
      const given: EmbedderOrder = { ...order, diesAt, turns };
      const { wasKilled, failure } = await program.run(given);
      expect({ wasKilled, failure }).toEqual({ wasKilled: true, failure: '' });
      expect(existsSync(place.file)).toBe(true);
    }
    const { lines, failure } = await program.run({ ...order, diesAt: undefined, turns: 0 });
    expect(failure).toBe('');
    const made = readFileSync(ledger, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((key) => key.slice(key.indexOf('/')));
    return { end: lines.at(-1), made };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const manners: readonly Manner[] = [false, true].flatMap((isInApp) =>
  [false, true].flatMap((hasStore) =>
    [false, true].map((isIdempotent) => ({ isInApp, hasStore, isIdempotent })),
  ),
);
// In the ordinary gate each of two is tried once.
const tried = isThorough
  ? manners
  : manners.filter(
      ({ isInApp, hasStore, isIdempotent }) => isInApp === hasStore && hasStore === isIdempotent,
    );
const named = tried.map(
  (manner) =>
    [
      `${manner.isInApp ? 'inside of an app' : 'alone'}, ${manner.hasStore ? 'with' : 'without'} a store, by a tool that ${manner.isIdempotent ? 'may' : 'must not'} be called twice`,
      manner,
    ] as const,
);

describe('a process that is killed right after it wrote down its snapshot', () => {
  test.each(named)(
    '[FIND-08] another one goes on: %s',
    async (_, manner) => {
      const uncut = await through(manner, []);
      expect(uncut.end).toBe('completed: done in 4');
      // In the midst of a call, a moment after it, and in the midst of one that comes later.
      const cut = await through(manner, [
        [1, 1],
        [2, 5],
        [1, 2],
      ]);
      // The same calls, each made at all, and again only where its tool allows that.
      expect(cut.end).toBe(uncut.end);
      expect([...new Set(cut.made)].toSorted()).toEqual(uncut.made.toSorted());
      const again = cut.made.length - new Set(cut.made).size;
      expect(again).toBeLessThanOrEqual(manner.isIdempotent ? 6 : 0);
    },
    120_000,
  );
});
