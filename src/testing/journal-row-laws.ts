import type { Lease } from '../contracts/journals/journal.ts';
import type { SceneLaw } from './journal-scene.ts';
import { change, entry, fails, HARD, idsOf, law, letter, rows, same, wish } from './journal-scene.ts';

/** Laws of a store about rows and entries. */
export const rowLaws: readonly SceneLaw[] = [
  law('gives back rows as they were, in their order, from any and as many as wanted', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    same('a new run', await store.read('r'), []);
    await store.commit(lease, { rows: rows(0, 'zero'), change: change() });
    await store.commit(lease, { rows: rows(1, 'one', 'two', 'three'), change: change() });
    same('all', await store.read('r'), rows(0, 'zero', 'one', 'two', 'three'));
    same('from 2', await store.read('r', 2), rows(2, 'two', 'three'));
    same('one from 1', await store.read('r', 1, 1), rows(1, 'one'));
    same(
      'none',
      [...(await store.read('r', 0, 0)), ...(await store.read('r', 4)), ...(await store.read('r', 9))],
      [],
    );
  }),
  law('keeps any text to the last bit', async ({ store, other }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.commit(lease, { rows: rows(0, ...HARD), change: change() });
    same('the rows', await (await other()).read('r'), rows(0, ...HARD));
    for (const [index, text] of HARD.entries()) {
      const runId = `run ${text}`;
      const strange = entry(runId, {
        title: text,
        agent: text,
        thread: text,
        forkedFrom: text,
        createdAt: index,
      });
      const held = await store.create(strange, wish(`holder ${text}`));
      await store.commit(held, { rows: rows(0, text), change: change({ updatedAt: 1000 }) });
      same('the row of a strange run', await store.read(runId), rows(0, text));
      same('a strange entry', await store.entry(runId), strange);
      same('runs of a strange thread', await idsOf(store.list({ thread: text })), [runId]);
      await store.post(letter(text, runId, text));
      same('a strange letter', await store.letters(runId), [letter(text, runId, text)]);
    }
  }),
  law('keeps rows of 5 MB', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    const large = 'Grüße 🙂 '.repeat(500_000);
    await store.commit(lease, { rows: rows(0, large, 'small'), change: change() });
    same(
      'the rows',
      (await store.read('r')).map(({ text }) => text === large || text),
      [true, 'small'],
    );
  }),
  law('refuses rows that do not follow, and then has changed nothing', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.post(letter('l'));
    await store.commit(lease, { rows: rows(0, 'zero'), change: change() });
    for (const wrong of [
      rows(0, 'again'),
      rows(2, 'gap'),
      [...rows(1, 'one'), ...rows(3, 'three')],
      rows(-1, 'x'),
    ]) {
      const commit = { rows: wrong, change: change({ status: 'failed', updatedAt: 9 }), taken: ['l'] };
      await fails('journal.conflict', `add ${wrong.map(({ n }) => n).join(' and ')} after 0`, () =>
        store.commit(lease, commit),
      );
    }
    const gap = await fails('journal.conflict', 'add a gap', () =>
      store.commit(lease, { rows: rows(7, 'gap'), change: change() }),
    );
    same('its details', gap.data.details, { expected: 1, found: 7 });
    same('the rows', await store.read('r'), rows(0, 'zero'));
    same('the entry', await store.entry('r'), entry('r', { updatedAt: 2000 }));
    same('the letters', await store.letters('r'), [letter('l')]);
  }),
  law('changes of an entry what a commit changes, also without rows', async ({ store }) => {
    const full = entry('r', { dueAt: 5000, thread: 't', forkedFrom: 'q' });
    const lease = await store.create(full, wish('a'));
    same('as it was created', await store.entry('r'), full);
    await store.commit(lease, { rows: [], change: change({ status: 'waiting', dueAt: 7000.5 }) });
    same('changed', await store.entry('r'), { ...full, status: 'waiting', updatedAt: 2000, dueAt: 7000.5 });
    await store.commit(lease, { rows: [], change: change({ status: 'completed', updatedAt: 3000 }) });
    const over = entry('r', { status: 'completed', updatedAt: 3000, thread: 't', forkedFrom: 'q' });
    same('with nothing due', await store.entry('r'), over);
  }),
  law('does not change what was read before', async ({ store }) => {
    const lease = await store.create(entry('r'), wish('a'));
    await store.commit(lease, { rows: rows(0, 'zero'), change: change() });
    await store.post(letter('l'));
    const before = [
      await store.read('r'),
      await store.entry('r'),
      await store.list(),
      await store.letters('r'),
    ];
    const seen = JSON.stringify(before);
    await store.commit(lease, { rows: rows(1, 'one'), change: change({ status: 'failed' }), taken: ['l'] });
    same('what was read', JSON.stringify(before), seen);
  }),
  law('does not change with what it was given', async ({ store }) => {
    const given = { ...entry('r') };
    const lease = await store.create(given, wish('a'));
    const row = { n: 0, text: 'zero' };
    await store.commit(lease, { rows: [row], change: change() });
    const posted = { ...letter('l') };
    await store.post(posted);
    Object.assign(given, { title: 'another' });
    Object.assign(row, { text: 'another' });
    Object.assign(posted, { text: 'another' });
    same('the entry', (await store.entry('r'))?.title, 'Add up');
    same('the row', await store.read('r'), rows(0, 'zero'));
    same('the letter', await store.letters('r'), [letter('l')]);
  }),
  law('says of a run that it does not know it', async ({ store }) => {
    const lease: Lease = { runId: 'x', holder: 'a', fence: 1, expiresAt: 9999 };
    same('its entry', await store.entry('x'), undefined);
    same('its letters', await store.letters('x'), []);
    for (const [what, attempt] of Object.entries({
      read: () => store.read('x'),
      acquire: () => store.acquire('x', wish('a')),
      renew: () => store.renew(lease, wish('a')),
      commit: () => store.commit(lease, { rows: [], change: change() }),
      post: () => store.post(letter('l', 'x')),
    }))
      await fails('journal.unknown', what, attempt);
    await store.release(lease);
    await store.create(entry('r'), wish('a'));
    await fails('journal.exists', 'create it twice', () =>
      store.create(entry('r', { title: 'b' }), wish('b')),
    );
    same('the first', await store.entry('r'), entry('r'));
  }),
];
