import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, answerRequest, openRequests, tool, type Decision } from '../../src/index.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { listRuns } from '../../src/inspect/local/session-board.ts';
import { recorder } from '../../src/inspect/recording/recorder.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { sqliteStore } from '../../src/persistence/index.ts';
import { openSqlite } from '../../src/persistence/sqlite/sqlite-driver.ts';
import { play } from '../cli/fake-terminal.ts';
import { root } from '../cli/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-unreadable-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let places = 0;
const place = (): string => join(folder, `${(places += 1)}.db`);

/** Waits for a yes, and answers. */
const payer = agent({
  name: 'payer',
  tools: [
    tool({
      name: 'pay',
      description: 'Pays.',
      safety: 'write',
      approval: true,
      input: z.object({}),
      execute: () => 'paid',
    }),
  ],
  decide: ({ step }): Decision =>
    step === 0 ? { kind: 'act', calls: [{ name: 'pay', input: {} }] } : { kind: 'answer', answer: 'done' },
});

/** Runs that wait for a yes each. */
const waiting = async (store: JournalStore, ...runIds: readonly string[]) => {
  const handles = runIds.map((runId) => payer.stream('go', { store, runId }));
  for (const handle of handles)
    for await (const event of handle) if (event.type === 'tool.approval-requested') break;
  return handles;
};

const change = (file: string, sql: string): void => {
  const database = openSqlite(file);
  database.exec(sql);
  database.close();
};

describe('[FIND-02] a run that cannot be read', () => {
  test('leaves the requests of all others open to be answered, and is named with the reason', async () => {
    const file = place();
    const store = sqliteStore(file);
    const [, , good] = await waiting(store, 'damaged', 'later', 'good');
    change(
      file,
      `update rows set text = replace(text, 'payer', 'thief') where run = (select id from runs where run = 'damaged');
       update rows set text = replace(text, '{"v":1,', '{"v":9,') where run = (select id from runs where run = 'later')`,
    );
    const open = await openRequests(store);
    expect(open.map(({ runId }) => runId)).toEqual(['good']);
    expect(open.unreadable.toSorted((a, b) => a.id.localeCompare(b.id))).toMatchObject([
      { id: 'damaged', error: { code: 'journal.corrupt' } },
      { id: 'later' },
    ]);
    const [request] = open;
    await answerRequest(store, 'good', { id: request?.id ?? '', yes: true });
    expect((await good?.result)?.output).toBe('done');
    await expect(openRequests(store, 'damaged')).rejects.toMatchObject({ code: 'journal.corrupt' });
    await store.close();
  });

  test('hides no other from the lists of the store, of the command line and of the inspector', async () => {
    const file = place();
    const store = sqliteStore(file);
    await waiting(store, 'odd', 'good');
    change(file, `update runs set agent = x'ff' where run = 'odd'`);
    const entries = await store.list();
    expect(entries.map(({ runId }) => runId)).toEqual(['good']);
    expect(entries.unreadable).toMatchObject([{ id: 'odd', error: { code: 'journal.corrupt' } }]);
    expect((await openRequests(store)).unreadable.map(({ id }) => id)).toEqual(['odd']);
    const shown = await listRuns(recorder(), store);
    expect(shown.map(({ run, status }) => `${run} ${status}`)).toEqual(['good waiting', 'odd unreadable']);
    const { code, stdout, stderr } = await play(['runs', '--store', file], { folder: root });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^good /);
    expect(stderr).toMatch(/^✗ Cannot read run odd: .*column 'agent'/);
    await store.close();
  });

  test('of a thread, hides no other thread', async () => {
    const store = sqliteStore(place());
    const files = store.files('threads');
    for (const id of ['one', 'two'])
      await threads(files).append(id, { turns: [{ role: 'user', text: `about ${id}` }] });
    await files.write('default/one/thread.json', '{"v":1,');
    const found = await threads(files).list();
    expect(found.map(({ id }) => id)).toEqual(['two']);
    expect(found.unreadable).toMatchObject([{ id: 'one', error: { code: 'thread.corrupt' } }]);
    expect((await threads(files).search('about')).unreadable.map(({ id }) => id)).toEqual(['one']);
    await store.close();
  });
});
