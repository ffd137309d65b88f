import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { openPool } from '../../src/persistence/postgres/postgres-pool.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { answerRequest, openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { play } from '../cli/fake-terminal.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { isThorough, sampled } from '../support/thorough.ts';
import { AnotherProcess } from './kills/another-process.ts';
import { Killer } from './kills/kill-point.ts';
import type { KillPoint } from './kills/kill-point.ts';
import type { TillOrder } from './kills/till-process.ts';
import {
  ANOTHER_KEY,
  digestOf,
  INPUT,
  LOGIN,
  PAYMENT,
  RECEIPT,
  secretDigits,
  secretForms,
  till,
  TILL_KEY,
  TYPED,
} from './kills/till.ts';

const program = new AnotherProcess('till-process.ts');
let folder = '';

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-till-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const expectNothingSecretIn = (text: string, where: string): void => {
  const found = secretForms.filter((form) => text.includes(form));
  expect(found, where).toEqual([]);
  expect(secretDigits.exec(text)?.[0], where).toBeUndefined();
};

const secretBytes = secretForms.filter((form) => form.length > 2).map((form) => Buffer.from(form));

/** UTF-8 is not what all of a database is. */
const expectNothingSecretInBytes = (bytes: Buffer, where: string): void => {
  const found = secretBytes.filter((form) => bytes.includes(form));
  expect(found.map(String), where).toEqual([]);
};

/** A server removes files as it likes. */
const bytesOf = (file: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return Buffer.alloc(0);
    throw thrown;
  }
};

/** The files of a folder, however deep, but for the ledger of what its tools did. */
const filesIn = (place: string): readonly string[] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => join(place, name))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true);

const expectNothingSecretOnDisk = (): void => {
  const files = filesIn(folder);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const bytes = bytesOf(file);
    expectNothingSecretInBytes(bytes, file);
    expectNothingSecretIn(bytes.toString(), file);
  }
};

const orderFor = (place: Pick<TillOrder, 'file' | 'connectionString' | 'schema'>): TillOrder => ({
  ...place,
  ledger: join(folder, 'ledger'),
  traces: join(folder, 'traces'),
  secretKey: TILL_KEY,
});
const file = (): string => join(folder, 'runs.db');
const cashier = () => till({ ledger: join(folder, 'ledger'), killer: new Killer(undefined) });

const SEEN = [JSON.stringify({ user: 'ada', token: PAYMENT.token }), TYPED, `paid by ${PAYMENT.token}`];
const ENDED = JSON.stringify(['completed', digestOf(RECEIPT), digestOf({ seen: SEEN })]);

/** What the tools were called with; a call that was begun when its process was killed may stand there twice. */
const expectEachCallRestored = (): void => {
  const lines = new Set(readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n'));
  expect(lines).toEqual(new Set([`login ${digestOf(LOGIN)}`, `pay ${digestOf(PAYMENT)}`]));
};

const endOf = async (order: TillOrder): Promise<void> => {
  const { lines, failure } = await program.run(order);
  expect({ lines: lines.filter((line) => line !== 'asked'), failure }).toEqual({
    lines: [ENDED],
    failure: '',
  });
};

const KILLS: readonly (readonly [KillPoint, number])[] = [
  ...(isThorough ? [1, 2, 3, 4, 5, 6] : [6]).map((time) => ['after a commit, in the store', time] as const),
  ['before the effect', 1],
  ['after the effect', 1],
  ['before the effect', 2],
  ['after the effect', 2],
];

describe('a run of which nearly everything is secret', () => {
  test.each(sampled(KILLS, 8))(
    '[FIND-52] that is killed %s, time %d, has nothing of it on the disk, and ends in another process as it would have',
    async (point, time) => {
      const order = orderFor({ file: file() });
      const { wasKilled, failure } = await program.run({ ...order, kill: { point, time } });
      expect({ wasKilled, failure }).toEqual({ wasKilled: true, failure: '' });
      expectNothingSecretOnDisk();
      await endOf(order);
      expectNothingSecretOnDisk();
      expectEachCallRestored();
    },
  );

  test('[FIND-52] is shown, traced, replayed and forked without any of it, and with the key what it did is restored', async () => {
    await endOf(orderFor({ file: file() }));
    const environment = { TROUPE_SECRET_KEY: TILL_KEY };
    const trace = join(folder, 'traces', 'r.jsonl');
    const commands = [
      ['runs'],
      ['runs', '--json'],
      ['show', 'r'],
      ['show', 'r', '--json'],
      ...[0, 1, 2, 3].flatMap((step) => [
        ['show', 'r', '--step', `${step}`],
        ['show', 'r', '--call', `${step + 1}`],
      ]),
      ['trace', 'show', trace],
      ['trace', 'export', trace, '--html', '-'],
      ['trace', 'export', trace, '--mermaid', '-'],
      ['trace', 'export', trace, '--ndjson'],
      ['trace', 'show', 'r'],
      ['trace', 'export', 'r', '--html', '-'],
      ['trace', 'export', 'r', '--mermaid', '-'],
      ['trace', 'export', 'r', '--ndjson'],
      ['export', 'r', '-'],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await play([...command, '--store', file()], { environment });
      expect({ code, stderr }, command.join(' ')).toMatchObject({ code: 0 });
      expect(stdout, command.join(' ')).not.toBe('');
      expectNothingSecretIn(stdout + stderr, command.join(' '));
    }
    const store = sqliteStore(file());
    const replayed = await replay(cashier(), 'r', { store, secretKey: TILL_KEY });
    expect(replayed.result?.output).toEqual(RECEIPT);
    expectNothingSecretIn(JSON.stringify(replayed.events), 'events of a replay');
    const forked = await fork(cashier(), 'r', {
      store,
      runId: 'f',
      at: { step: 1 },
      secretKey: TILL_KEY,
      person: { answer: () => TYPED },
    });
    const { output, events } = await forked.result;
    expect(output).toEqual(RECEIPT);
    expectNothingSecretIn(JSON.stringify(events), 'events of a fork');
    expectEachCallRestored();
    await store.close();
    expectNothingSecretOnDisk();
  });

  if (isThorough)
    test('[FIND-52] is exported while it waits, imported elsewhere, and ends there by the answer that was posted there', async () => {
      const { wasKilled } = await program.run(
        { ...orderFor({ file: file() }), isSilent: true },
        {
          onLine: (line, kill) => {
            if (line === 'asked') kill();
          },
        },
      );
      expect(wasKilled).toBe(true);
      const copy = join(folder, 'r.journal');
      const other = join(folder, 'elsewhere.db');
      expect(await play(['export', 'r', copy, '--store', file()])).toMatchObject({ code: 0 });
      expect(await play(['import', copy, '--store', other])).toMatchObject({ code: 0 });
      const store = sqliteStore(other);
      const [request] = await openRequests(store, 'r');
      await answerRequest(store, 'r', { id: request?.id ?? '', text: TYPED }, { secretKey: TILL_KEY });
      await store.close();
      expectNothingSecretOnDisk();
      await endOf({ ...orderFor({ file: other }), secretKey: TILL_KEY });
      expectNothingSecretOnDisk();
      expectEachCallRestored();
    });

  if (isThorough)
    test('[FIND-52] refuses an answer that was sealed by another key, and goes on waiting for one that it can open', async () => {
      await program.run(
        { ...orderFor({ file: file() }), isSilent: true },
        {
          onLine: (line, kill) => {
            if (line === 'asked') kill();
          },
        },
      );
      const store = sqliteStore(file());
      const [request] = await openRequests(store, 'r');
      const answer = { id: request?.id ?? '', text: TYPED };
      await answerRequest(store, 'r', answer, { secretKey: ANOTHER_KEY });
      expectNothingSecretOnDisk();
      const handle = await resume(cashier(), 'r', { store, secretKey: TILL_KEY });
      for await (const { type } of handle)
        if (type === 'answer.refused') await answerRequest(store, 'r', answer, { secretKey: TILL_KEY });
      expect((await handle.result).output).toEqual(RECEIPT);
      await store.close();
      expectNothingSecretOnDisk();
    });

  test('[FIND-52] leaves the state of its thread sealed, with which the next run begins', async () => {
    await endOf(orderFor({ file: file() }));
    const store: JournalStore = sqliteStore(file());
    const kept = await threads(store.files('threads')).load('ada');
    expect(kept?.states).toMatchObject({ till: { kind: 'sealed' } });
    expectNothingSecretIn(JSON.stringify(kept), 'thread');
    const next = await cashier().run(INPUT, {
      store,
      runId: 'next',
      thread: 'ada',
      secretKey: TILL_KEY,
      person: { answer: () => TYPED },
    });
    expect(next.state).toEqual({ seen: [...SEEN, ...SEEN] });
    await store.close();
    expectNothingSecretOnDisk();
    const without = sqliteStore(file());
    await expect(
      cashier().run(INPUT, { store: without, runId: 'third', thread: 'ada', secretKey: ANOTHER_KEY }),
    ).rejects.toMatchObject({ code: 'secret.wrong-key' });
    await without.close();
  });

  test('[FIND-52] is kept in memory by the same rows as anywhere', async () => {
    const store = memoryStore();
    const { output } = await cashier().run(INPUT, {
      store,
      runId: 'r',
      secretKey: TILL_KEY,
      person: { answer: () => TYPED },
    });
    expect(output).toEqual(RECEIPT);
    expectNothingSecretIn(JSON.stringify([store.read('r'), store.entry('r')]), 'memory');
  });
});

if (isThorough)
  describeWithPostgres('the same in PostgreSQL', ({ connectionString, folder: place }) => {
    const dump = async (): Promise<string> => {
      const pool = await openPool(connectionString);
      const tables = await pool.query(
        "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      );
      const found = [];
      for (const { name } of tables.rows)
        if (typeof name === 'string')
          found.push(...(await pool.query(`select t::text as row from ${name} t`)).rows);
      await pool.query('checkpoint');
      await pool.end();
      return JSON.stringify(found);
    };
    const expectNothingSecretInDatabase = async (): Promise<void> => {
      const text = await dump();
      expect(text).toContain('till');
      expectNothingSecretIn(text, 'dump');
      for (const name of filesIn(place)) expectNothingSecretInBytes(bytesOf(name), name);
    };
    const kills = [
      ['after a commit, in the store', 3],
      ['before the effect', 1],
      ['after the effect', 2],
    ] as const;
    test.each(kills)('[FIND-52] killed %s, time %d', async (point, time) => {
      const order = orderFor({ connectionString, schema: `${point} ${time}` });
      const { wasKilled, failure } = await program.run({ ...order, kill: { point, time } });
      expect({ wasKilled, failure }).toEqual({ wasKilled: true, failure: '' });
      await expectNothingSecretInDatabase();
      await endOf(order);
      await expectNothingSecretInDatabase();
      expectNothingSecretOnDisk();
      expectEachCallRestored();
    });
  });
