import type { JournalStore } from '../contracts/journals/journal.ts';
import type { SceneLaw } from './journal-scene.ts';
import { change, entry, fails, law, letter, rows, same, wish } from './journal-scene.ts';

/** Laws of a store about leases. */
export const leaseLaws: readonly SceneLaw[] = [
  law('gives a run to one holder at a time, until it is given back', async ({ store, other }) => {
    const lease = await store.create(entry('r'), wish('a'));
    same('the lease', lease, { runId: 'r', holder: 'a', fence: lease.fence, expiresAt: 1500 });
    const held = await fails('journal.held', 'take it', async () =>
      (await other()).acquire('r', wish('b', 1499)),
    );
    same('who has it', held.data.details, { holder: 'a', expiresAt: 1500 });
    await fails('journal.held', 'take it twice', () => store.acquire('r', wish('a', 1499)));
    await store.release(lease);
    await store.release(lease);
    const next = await (await other()).acquire('r', wish('b', 1100));
    same('the next', next, { runId: 'r', holder: 'b', fence: lease.fence + 1, expiresAt: 1600 });
    await store.release(lease);
    await fails('journal.held', 'take it after a late release', () => store.acquire('r', wish('c', 1100)));
  }),
  law('takes no rows from a holder that was taken over, and nothing else', async ({ store, other }) => {
    const lost = await store.create(entry('r'), wish('a'));
    await store.post(letter('l'));
    const lease = await (await other()).acquire('r', wish('b', 1500));
    const late = { rows: rows(0, 'late'), change: change({ status: 'failed' }), taken: ['l'] };
    await fails('journal.fenced', 'commit', () => store.commit(lost, late));
    await fails('journal.fenced', 'renew', () => store.renew(lost, wish('a', 1500)));
    await fails('journal.fenced', 'commit nothing', () => store.commit(lost, { rows: [], change: change() }));
    same('the rows', await store.read('r'), []);
    same('the entry', await store.entry('r'), entry('r'));
    same('the letters', await store.letters('r'), [letter('l')]);
    await (await other()).commit(lease, { rows: rows(0, 'mine'), change: change() });
    same('the rows of the new one', await store.read('r'), rows(0, 'mine'));
    await (await other()).release(lease);
    await fails('journal.fenced', 'commit after a release', () => store.commit(lease, late));
    await fails('journal.fenced', 'renew after a release', () => store.renew(lease, wish('b', 1600)));
  }),
  law('renews a lease, also a late one that nobody took', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    const longer = await store.renew(lease, wish('a', 1400));
    same('renewed', longer, { ...lease, expiresAt: 1900 });
    await fails('journal.held', 'take it', () => store.acquire('r', wish('b', 1899)));
    await store.commit(lease, { rows: rows(0, 'by the old lease'), change: change() });
    const late = await store.renew(longer, wish('a', 5000, { ttlMs: 100 }));
    same('renewed late', late.expiresAt, 5100);
    await fails('journal.held', 'take it', () => store.acquire('r', wish('b', 5099)));
    const next = await store.acquire('r', wish('b', 5100));
    same('its fence is higher', next.fence > late.fence, true);
  }),
  law('takes a run over from who is known to be gone, and asks of nobody else', async ({ store }) => {
    await store.create(entry('r'), wish('a'));
    const asked: string[] = [];
    const isGone = (answer: boolean) => (holder: string) => {
      asked.push(holder);
      return answer;
    };
    await fails('journal.held', 'take it', () =>
      store.acquire('r', wish('b', 1100, { isGone: isGone(false) })),
    );
    const lease = await store.acquire('r', wish('b', 1100, { isGone: isGone(true) }));
    same('who was asked of', asked, ['a', 'a']);
    await store.acquire('r', wish('c', 1600, { isGone: isGone(true) }));
    await fails('journal.fenced', 'renew', () => store.renew(lease, wish('b', 1600)));
    same('nobody of a late holder', asked.length, 2);
  }),
  law('gives a run to exactly one of many who want it at once', async ({ store, other }) => {
    const second = await other();
    const attempts = async (take: (on: JournalStore, holder: string) => unknown) => {
      const holders = Array.from({ length: 10 }, (_, index) => `h${index}`);
      const settled = await Promise.allSettled(
        holders.map(async (holder, index) => take(index % 2 === 0 ? store : second, holder)),
      );
      return settled.filter(({ status }) => status === 'fulfilled').length;
    };
    same('created', await attempts((on, holder) => on.create(entry('r'), wish(holder))), 1);
    for (const now of [1500, 2000, 2500])
      same(`taken at ${now}`, await attempts((on, holder) => on.acquire('r', wish(holder, now))), 1);
  }),
  law('takes the rows of exactly one of two commits for one place', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    const settled = await Promise.allSettled(
      ['x', 'y'].map(async (text) => store.commit(lease, { rows: rows(0, text), change: change() })),
    );
    same('how many', settled.filter(({ status }) => status === 'fulfilled').length, 1);
    same('one row', (await store.read('r')).length, 1);
  }),
  law('names the holders of runs to all who ask, and takes nothing from them', async ({ store, other }) => {
    const second = await other();
    same('none at first', await store.leases(), []);
    const lease = await store.create(entry('r'), wish('a'));
    await store.release(await store.create(entry('free'), wish('b')));
    const longer = await store.renew(lease, wish('a', 1400));
    for (const each of [store, second]) same('the leases', await each.leases(), [longer]);
    await store.commit(lease, { rows: rows(0, 'still mine'), change: change() });
    const next = await second.acquire('r', wish('c', 9000));
    for (const each of [store, second]) same('the next holder', await each.leases(), [next]);
    same('its rows', await store.read('r'), rows(0, 'still mine'));
    await second.release(next);
    same('none at last', await store.leases(), []);
  }),
  law('is somebody else each time it is opened, and is not gone', async ({ store, other }) => {
    const second = await other();
    const [one, two] = [store.identity, second.identity];
    if (one === undefined || two === undefined || second === store) return;
    same('two holders', one.holder === two.holder, false);
    for (const { holder } of [one, two])
      same(
        `${holder} is gone`,
        [one, two].map((each) => each.isGone(holder)),
        [false, false],
      );
  }),
];
