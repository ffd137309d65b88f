import { describe, expect, test } from 'vitest';
import type { JournalStore, Letter } from '../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import type { JournalStoreWorld } from '../../src/testing/journal-store-laws.ts';
import { journalStoreLaws } from '../../src/testing/journal-store-laws.ts';

/** The names of the laws that do not hold. */
const brokenLaws = async (make: () => JournalStoreWorld): Promise<readonly string[]> => {
  const broken: string[] = [];
  for (const law of journalStoreLaws(make))
    await law.check().catch((error: unknown) => {
      expect(error).toMatchObject({
        code: 'journal.failed',
        message: expect.stringContaining('Cannot call the store sound as this does not hold'),
      });
      broken.push(law.name);
    });
  return broken;
};

/** A store in memory that does one thing otherwise. */
const storeWith = (change: (store: JournalStore) => Partial<JournalStore>) => (): JournalStoreWorld => {
  const sound = memoryStore();
  const bound: JournalStore = {
    name: sound.name,
    create: (...given) => sound.create(...given),
    acquire: (...given) => sound.acquire(...given),
    renew: (...given) => sound.renew(...given),
    release: (...given) => sound.release(...given),
    leases: () => sound.leases(),
    commit: (...given) => sound.commit(...given),
    read: (...given) => sound.read(...given),
    entry: (...given) => sound.entry(...given),
    list: (...given) => sound.list(...given),
    post: (...given) => sound.post(...given),
    letters: (...given) => sound.letters(...given),
    prune: (...given) => sound.prune(...given),
    files: (...given) => sound.files(...given),
    close: () => sound.close(),
  };
  return { store: { ...bound, ...change(bound) } };
};

describe('the laws of stores', () => {
  test('hold for one that is sound', async () => {
    expect(await brokenLaws(storeWith(() => ({})))).toEqual([]);
  });

  test.each<readonly [string, (store: JournalStore) => Partial<JournalStore>, string]>([
    [
      'forgets where to begin',
      (s) => ({ read: (runId, _, limit) => s.read(runId, 0, limit) }),
      'gives back rows',
    ],
    [
      'trims what it keeps',
      (s) => ({
        commit: (lease, { rows, ...rest }) =>
          s.commit(lease, { ...rest, rows: rows.map(({ n, text }) => ({ n, text: text.trim() })) }),
      }),
      'keeps any text',
    ],
    [
      'takes gaps',
      (s) => ({
        commit: async (lease, { rows, ...rest }) => {
          const next = (await s.read(lease.runId)).length;
          await s.commit(lease, {
            ...rest,
            rows: rows.map(({ text }, index) => ({ n: next + index, text })),
          });
        },
      }),
      'refuses rows that do not follow',
    ],
    [
      'takes the letters of a commit that it refuses',
      (s) => ({
        commit: async (lease, commit) => {
          await s.commit(lease, { ...commit, rows: [] });
          await s.commit(lease, commit);
        },
      }),
      'refuses rows that do not follow',
    ],
    [
      'knows no fence',
      (s) => ({
        commit: async (lease, commit) => {
          const free = { holder: 'any', ttlMs: 500, now: 0, isGone: () => true };
          await s.commit(await s.acquire(lease.runId, free), commit);
        },
      }),
      'takes no rows from a holder that was taken over',
    ],
    [
      'gives a run to anybody',
      (s) => ({ acquire: (runId, wish) => s.acquire(runId, { ...wish, isGone: () => true }) }),
      'gives a run to one holder',
    ],
    [
      'never believes that somebody is gone',
      (s) => ({ acquire: (r, wish) => s.acquire(r, { ...wish, isGone: undefined }) }),
      'known',
    ],
    [
      'takes a run to say who has it',
      (s) => ({
        leases: async () => {
          const free = { holder: 'any', ttlMs: 500, now: 0, isGone: () => true };
          for (const { runId } of await s.list()) await s.acquire(runId, free);
          return s.leases();
        },
      }),
      'names the holders of runs',
    ],
    ['does not renew', () => ({ renew: (lease) => lease }), 'renews a lease'],
    [
      'keeps letters twice',
      (s) => {
        let count = 0;
        const post = (letter: Letter) => s.post({ ...letter, id: `${letter.id}${(count += 1)}` });
        return { post };
      },
      'keeps letters in the order',
    ],
    [
      'never removes letters',
      (s) => ({ commit: (l, commit) => s.commit(l, { ...commit, taken: [] }) }),
      'removes letters',
    ],
    [
      'lists the oldest first',
      (s) => ({ list: async (q) => [...(await s.list(q))].reverse() }),
      'lists runs',
    ],
    ['forgets a limit', (s) => ({ list: (query) => s.list({ ...query, limit: undefined }) }), 'lists runs'],
    ['prunes by nothing', (s) => ({ prune: () => s.prune({}) }), 'removes runs that have ended'],
    ['has one room only', (s) => ({ files: () => s.files('one') }), 'keeps named texts'],
  ])('find one that %s', async (_, change, name) => {
    expect(await brokenLaws(storeWith(change))).toContainEqual(expect.stringContaining(name));
  });

  test('dispose of a world also where they do not hold', async () => {
    let disposed = 0;
    const make = () => ({
      ...storeWith(() => ({ list: () => [] }))(),
      dispose: () => {
        disposed += 1;
      },
    });
    await brokenLaws(make);
    expect(disposed).toBe(journalStoreLaws(make).length);
  });
});
