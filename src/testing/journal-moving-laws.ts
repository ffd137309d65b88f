import type { SceneLaw } from './journal-scene.ts';
import { change, entry, fails, idsOf, law, letter, rows, same, wish } from './journal-scene.ts';

/** Laws of a store about runs that are moved to another store, or from one. */
export const movingLaws: readonly SceneLaw[] = [
  law('closes a run that was moved to all but the process that moves it', async ({ store, other }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.post(letter('early'));
    const moved = change({ status: 'moved' });
    await store.commit(lease, { rows: rows(0, 'zero'), change: moved });
    await store.release(lease);
    const second = await other();
    await fails('journal.moved', 'take it', () => second.acquire('r', wish('b', 9000)));
    await fails('journal.moved', 'post to it', () => second.post(letter('late')));
    same('its status', (await second.entry('r'))?.status, 'moved');
    same('its rows', await second.read('r'), rows(0, 'zero'));
    same('its letters', await second.letters('r'), [letter('early')]);
    same('what is due', await idsOf((await second.due?.(9000, 9)) ?? []), []);
    const again = await second.acquire('r', wish('b', 9000, { isMove: true }));
    await second.commit(again, { rows: rows(1, 'one'), change: change({ status: 'waiting' }) });
    await second.release(again);
    await store.post(letter('late'));
    await store.release(await store.acquire('r', wish('c', 9000)));
    same('its rows after all', await store.read('r'), rows(0, 'zero', 'one'));
  }),
  law('keeps a run that arrives from all but the process that moves it', async ({ store, other }) => {
    const lease = await store.create(entry('r', { status: 'arriving' }), wish('a'));
    await store.commit(lease, { rows: rows(0, 'zero'), change: change({ status: 'arriving' }) });
    await store.post(letter('l'));
    const second = await other();
    await fails('journal.moved', 'take it', () => second.acquire('r', wish('b', 9000)));
    await fails('journal.held', 'move it twice', () =>
      second.acquire('r', wish('b', 1499, { isMove: true })),
    );
    same('what is due', await idsOf((await second.due?.(9000, 9)) ?? []), []);
    same('pruned', await second.prune({ idleSince: 99_000 }), 0);
    const next = await second.acquire('r', wish('b', 9000, { isMove: true }));
    await fails('journal.fenced', 'commit', () => store.commit(lease, { rows: [], change: change() }));
    await second.commit(next, { rows: [], change: change() });
    await second.release(next);
    same('its letters', await store.letters('r'), [letter('l')]);
    await store.release(await store.acquire('r', wish('c', 9000)));
  }),
  law('prunes a run that was moved like one that has ended', async ({ store }) => {
    for (const [runId, status] of [
      ['gone', 'moved'],
      ['here', 'waiting'],
    ] as const) {
      const lease = await store.create(entry(runId), wish('a'));
      await store.commit(lease, { rows: rows(0, 'zero'), change: change({ status }) });
      await store.release(lease);
    }
    same('pruned', await store.prune({ idleSince: 9000 }), 1);
    same('what is left', await idsOf(store.list()), ['here']);
  }),
];
