import { BLOB_ROOM } from '../contracts/content/blob-store.ts';
import type { BlobHolder, JournalStore } from '../contracts/journals/journal.ts';
import type { SceneLaw } from './journal-scene.ts';
import { change, entry, fails, HARD, idsOf, law, letter, rows, same, wish } from './journal-scene.ts';

/** Laws of a store about letters. */
export const letterLaws: readonly SceneLaw[] = [
  law('keeps letters in the order in which they came, each once', async ({ store, other }) => {
    await store.create(entry('r'), wish('a'));
    await store.create(entry('s'), wish('a'));
    const second = await other();
    for (const each of [letter('2'), letter('1'), letter('3')]) await second.post(each);
    await store.post(letter('1', 'r', '"another text"'));
    await store.post(letter('1', 's'));
    same('the letters', await store.letters('r'), [letter('2'), letter('1'), letter('3')]);
    same('those of another run', await store.letters('s'), [letter('1', 's')]);
  }),
  law('removes letters with the rows that take them in, for good', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.create(entry('s'), wish('a'));
    for (const each of [letter('1'), letter('2'), letter('1', 's')]) await store.post(each);
    await store.commit(lease, { rows: rows(0, 'zero'), change: change(), taken: ['1', 'nowhere'] });
    same('the letters', await store.letters('r'), [letter('2')]);
    same('those of another run', await store.letters('s'), [letter('1', 's')]);
    await store.post(letter('1'));
    same('posted again', await store.letters('r'), [letter('2')]);
  }),
];

/** Laws of a store about runs that wait for a process. */
export const dueLaws: readonly SceneLaw[] = [
  law('says which runs wait for a process, where it can', async ({ store, other }) => {
    if (store.due === undefined) return;
    const made = [
      entry('left', { createdAt: 4 }),
      entry('held', { createdAt: 3 }),
      entry('expired', { createdAt: 2 }),
      entry('resting', { createdAt: 1, status: 'waiting' }),
      entry('addressed', { createdAt: 5, status: 'waiting' }),
      entry('answered', { createdAt: 5, status: 'waiting' }),
      entry('early', { createdAt: 6, status: 'waiting', dueAt: 3000 }),
      entry('timed', { createdAt: 7, status: 'waiting', dueAt: 2000 }),
      entry('over', { createdAt: 8, status: 'completed' }),
    ];
    for (const each of made) {
      const lease = await store.create(
        each,
        wish('a', 1000, { ttlMs: each.runId === 'expired' ? 1000 : 9000 }),
      );
      await store.post(letter('read', each.runId));
      const { status, dueAt } = each;
      const taken = each.runId === 'addressed' ? [] : ['read'];
      await store.commit(lease, { rows: [], change: { status, updatedAt: 1, dueAt }, taken });
      if (each.runId !== 'held' && each.runId !== 'expired') await store.release(lease);
    }
    const dueOf = async (now: number, limit: number) => idsOf((await other()).due?.(now, limit) ?? []);
    same('at a time', await dueOf(2000, 9), ['expired', 'left', 'addressed', 'timed']);
    same('before', await dueOf(1999, 9), ['left', 'addressed']);
    same('later', await dueOf(3000, 9), ['expired', 'left', 'addressed', 'early', 'timed']);
    same('the first two', await dueOf(2000, 2), ['expired', 'left']);
  }),
  law('notifies of runs that are left or have a letter, where it can', async ({ store, other }) => {
    if (store.watch === undefined) return;
    const second = await other();
    let notify = (): void => undefined;
    const end = await store.watch(() => {
      notify();
    });
    const noticeOf = async (work: () => Promise<void>): Promise<void> => {
      const noticed = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await work();
      await noticed;
    };
    const lease = await second.create(entry('r'), wish('a'));
    await noticeOf(async () => second.post(letter('l')));
    await noticeOf(async () => second.release(lease));
    await end();
    notify = () => {
      throw new Error('notified after its end');
    };
    await second.post(letter('late'));
    same('the letters', await second.letters('r'), [letter('l'), letter('late')]);
  }),
  law('passes texts to the subscribers of their topic, in order, where it can', async ({ store, other }) => {
    if (store.subscribe === undefined) return;
    const second = await other();
    const received: string[] = [];
    let last = (): void => undefined;
    const end = await store.subscribe('a', (text) => {
      received.push(text);
      if (text === 'last') last();
    });
    const endOther = await store.subscribe('b', (text) => received.push(`b: ${text}`));
    const large = 'é'.repeat(3_500);
    const isOver = new Promise<void>((resolve) => {
      last = resolve;
    });
    for (const text of ['first', large, '', '\\u0000 "\n', 'first']) await second.publish?.('a', text);
    await second.publish?.('c', 'of no subscriber');
    await second.publish?.('b', 'other');
    await second.publish?.('a', 'last');
    await isOver;
    same('the texts', received, ['first', large, '', '\\u0000 "\n', 'first', 'b: other', 'last']);
    await end();
    await second.publish?.('a', 'late');
    const isHeard = new Promise<void>((resolve) => {
      void store
        .subscribe?.('end', () => {
          resolve();
        })
        .then(() => second.publish?.('end', ''));
    });
    await isHeard;
    await endOther();
    same('nothing after its end', received.length, 7);
  }),
];

/** Laws of a store about queries and removal. */
export const keepingLaws: readonly SceneLaw[] = [
  law('lists runs newest first, and those that are wanted', async ({ store }) => {
    const made = [
      entry('a', { createdAt: 1, updatedAt: 10 }),
      entry('b', { createdAt: 3, updatedAt: 20, status: 'waiting', dueAt: 100, thread: 't' }),
      entry('c', { createdAt: 2, updatedAt: 30, status: 'waiting', dueAt: 200 }),
      entry('d', { createdAt: 3, updatedAt: 40, status: 'completed', thread: 't' }),
    ];
    for (const each of made) await store.create(each, wish('h'));
    same('all', await store.list(), [made[3], made[1], made[2], made[0]]);
    same('nothing wanted', await idsOf(store.list({})), ['d', 'b', 'c', 'a']);
    same('by status', await idsOf(store.list({ status: ['running', 'waiting'] })), ['b', 'c', 'a']);
    same('by no status', await idsOf(store.list({ status: [] })), []);
    same('by thread', await idsOf(store.list({ thread: 't' })), ['d', 'b']);
    same('due', await idsOf(store.list({ dueBy: 100 })), ['b']);
    same('due later', await idsOf(store.list({ dueBy: 200 })), ['b', 'c']);
    same('idle', await idsOf(store.list({ idleSince: 20 })), ['b', 'a']);
    same('the first two', await idsOf(store.list({ limit: 2 })), ['d', 'b']);
    same('none', await idsOf(store.list({ limit: 0 })), []);
    same('any number', await idsOf(store.list({ limit: Infinity })), ['d', 'b', 'c', 'a']);
    same('by all', await idsOf(store.list({ status: ['waiting'], thread: 't', dueBy: 200, limit: 1 })), [
      'b',
    ]);
  }),
  law('removes runs that have ended, and no others', async ({ store }) => {
    const ended = ['completed', 'stopped', 'aborted', 'failed'] as const;
    for (const [index, status] of (['running', 'waiting', ...ended] as const).entries()) {
      const made = entry(status, { status, createdAt: index, updatedAt: index, thread: 't' });
      const lease = await store.create(made, wish('h'));
      await store.commit(lease, { rows: rows(0, status), change: { status, updatedAt: index } });
      await store.post(letter('l', status));
      if (status !== 'failed') await store.release(lease);
    }
    same('of another thread', await store.prune({ thread: 'u' }), 0);
    same('that were idle', await store.prune({ idleSince: 2 }), 1);
    same('the newest that is free', await store.prune({ limit: 1 }), 1);
    same('all', await store.prune({}), 1);
    same('what is left', await idsOf(store.list()), ['failed', 'waiting', 'running']);
    same('a run under lease', await store.prune({ idleSince: 1499 }), 0);
    same('one whose lease has run out', await store.prune({ idleSince: 1500 }), 1);
    await fails('journal.unknown', 'read what was removed', () => store.read('stopped'));
    same('its letters', await store.letters('stopped'), []);
    same('what was not', await store.read('running'), rows(0, 'running'));
    await store.create(entry('stopped'), wish('h'));
    same('a new run of that name', await store.read('stopped'), []);
    same('and its letters', await store.letters('stopped'), []);
  }),
  law('keeps named texts in rooms of their own', async ({ store, other }) => {
    const [first, second] = [store.files('one'), (await other()).files('two')];
    same('nothing', [await first.read('a'), await first.names()], [undefined, []]);
    await first.write('a', 'text');
    await first.append('a', ' and more');
    await first.append('b', 'new');
    await second.write('a', 'other');
    await second.write('a', 'another');
    same('what is there', [await first.read('a'), await first.read('b')], ['text and more', 'new']);
    same('what is in the other', await second.read('a'), 'another');
    same('names', [await first.names(), await second.names()], [['a', 'b'], ['a']]);
    await first.remove('a');
    await first.remove('nowhere');
    same('what is left', [await first.names(), await second.read('a')], [['b'], 'another']);
    same('the same room', await (await other()).files('one').read('b'), 'new');
    for (const text of HARD) await first.append(`hard ${text}`, text + text);
    for (const text of HARD) same('a hard text', await first.read(`hard ${text}`), text + text);
    await first.write('pair', 'x\ud83d');
    await first.append('pair', '\ude42');
    same('a pair in two parts', await first.read('pair'), 'x🙂');
  }),
  law('keeps what it has confirmed', async ({ store, other }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.commit(lease, { rows: rows(0, 'zero'), change: change() });
    await store.post(letter('l'));
    await store.files('one').write('a', 'text');
    const second = await other();
    if (second !== store) await store.close();
    same('the rows', await second.read('r'), rows(0, 'zero'));
    same('the entry', await second.entry('r'), entry('r', { updatedAt: 2000 }));
    same('the letters', await second.letters('r'), [letter('l')]);
    same('the files', await second.files('one').read('a'), 'text');
    await fails('journal.held', 'take what is held', () => second.acquire('r', wish('b')));
    await second.commit(lease, { rows: rows(1, 'one'), change: change() });
  }),
];

/** Laws of a store that knows who refers to bytes; for one that does not there are none. */
export const holdingLaws: readonly SceneLaw[] = [
  law('removes bytes with the last run or named text that holds them', async ({ store, other }) => {
    if (store.hold === undefined) return;
    const [first, second] = [store, await other()];
    const blobs = first.files(BLOB_ROOM);
    for (const run of ['a', 'b', 'c']) await end(first, run);
    const turns = { room: 'threads', name: 'turns' };
    await first.files(turns.room).write(turns.name, 'text');
    const unknown = await hold(first, { runId: 'a' }, [ONE, SHARED]);
    same('what is not there', isStoredOf(unknown), [false, false]);
    for (const hash of [ONE, SHARED, SAID, UNHELD]) await blobs.write(hash, 'Ynl0ZXM=');
    const again = await hold(first, { runId: 'a' }, [ONE, SHARED]);
    same('what is there', isStoredOf(again), [true, true]);
    same('a hold that is made again', tokensOf(again), tokensOf(unknown));
    await hold(second, { runId: 'b' }, [SHARED, SAID]);
    await hold(second, turns, [SAID]);
    await fails('journal.unknown', 'hold for no run', () => first.hold?.({ runId: 'none' }, [ONE]) ?? []);

    await end(first, 'a', 1);
    same('the first run', await second.prune({ idleSince: 1 }), 1);
    same('what is left of it', await blobs.names(), [SHARED, SAID, UNHELD].toSorted());
    await end(first, 'b', 2);
    same('the second run', await second.prune({ idleSince: 2 }), 1);
    same('what a text still holds', await blobs.names(), [SAID, UNHELD].toSorted());
    await first.files(turns.room).remove(turns.name);
    same('no run', await second.prune({ idleSince: 2 }), 0);
    same('what nobody has held', await blobs.names(), [UNHELD]);
    await end(first, 'd', 3);
    same('a run of now', isStoredOf(await hold(first, { runId: 'd' }, [SHARED])), [false]);
  }),
  law('leaves the names of holds on bytes elsewhere, until they are released', async ({ store }) => {
    if (store.hold === undefined) return;
    await end(store, 'a', 1);
    const holds = await hold(store, { runId: 'a' }, [ONE, SHARED], 'folder');
    await hold(store, 'outside', [SHARED], 'folder');
    const room = store.files('released');
    same('before', await room.names(), []);
    await store.prune({});
    same('after', await room.names(), tokensOf(holds).toSorted());
    const [first] = holds;
    same('what is said', JSON.parse((await room.read(first?.token ?? '')) ?? ''), {
      hash: ONE,
      place: 'folder',
    });
  }),
];

const [ONE = '', SHARED = '', SAID = '', UNHELD = ''] = ['1', '2', '3', '4'].map((digit) => digit.repeat(64));

/** Makes a run that has ended and is free. */
const end = async (store: JournalStore, runId: string, updatedAt = 1000): Promise<void> => {
  const known = await store.entry(runId);
  const lease =
    known === undefined ? await store.create(entry(runId), wish('h')) : await store.acquire(runId, wish('h'));
  await store.commit(lease, { rows: [], change: { status: 'completed', updatedAt } });
  await store.release(lease);
};

const hold = async (store: JournalStore, holder: BlobHolder, hashes: readonly string[], place?: string) => {
  const holds = (await store.hold?.(holder, hashes, place)) ?? [];
  return hashes.flatMap((hash) => holds.filter((each) => each.hash === hash));
};

type Held = Awaited<ReturnType<typeof hold>>;

const isStoredOf = (holds: Held): readonly boolean[] => holds.map(({ isStored }) => isStored);
const tokensOf = (holds: Held): readonly string[] => holds.map(({ token }) => token);
