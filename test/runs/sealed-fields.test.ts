import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  act,
  agent,
  answer,
  answerRequest,
  askPerson,
  fork,
  openRequests,
  replay,
  resume,
  tool,
  type EmbeddableAgent,
  type Json,
  type RunHandle,
} from 'troupe';
import { threads } from 'troupe/memory';
import { memoryStore, sqliteStore } from 'troupe/stores';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { AgentChart } from '../../src/runtime/embed/agent-types.ts';

const secret = () => z.string().meta({ writeOnly: true });

describe('a stored run whose schemas mark fields as secret', () => {
  const KEY_A = 'ab'.repeat(32);
  const KEY_B = Buffer.from(new Uint8Array(32).fill(7)).toString('base64');
  const seen: unknown[] = [];
  const spend = tool({
    name: 'spend',
    description: 'Spends.',
    input: z.object({
      card: secret(),
      pin: z.number().meta({ writeOnly: true }),
      cvc: secret(),
      amount: z.number(),
    }),
    safety: 'write',
    approval: true,
    execute: (input) => {
      seen.push(input);
      return `paid by ${input.card}`;
    },
  });
  const payment = { card: '4929 "5312" 0981', pin: 4711, cvc: '17', amount: 42 };
  const clerk = (): EmbeddableAgent<{ key: string }, string, Json, AgentChart> =>
    agent({
      name: 'clerk',
      input: z.object({ key: secret() }),
      decide: ({ step, input }) =>
        step === 0 ? act({ name: 'spend', input: payment }) : answer(`Done by ${JSON.stringify(input)}.`),
      tools: [spend],
    });
  const INPUT = { key: 'the-key-of-ada' };
  const rowsIn = async (store: JournalStore, runId = 'r'): Promise<string> =>
    JSON.stringify([await store.read(runId), await store.entry(runId)]);
  // Digits that stand apart: times and digests hold any others.
  const secretsOf = [/the-key-of-ada/, /(?<![\w+/])5312(?![\w+/])/, /(?<![\w+/])4711(?![\w+/])/, /"17\\*"/];

  const suspended = async (store: JournalStore, secretKey: string | readonly string[] = KEY_A) => {
    seen.length = 0;
    const handle = clerk().stream(INPUT, { store, runId: 'r', secretKey });
    for await (const event of handle) if (event.type === 'tool.approval-requested') break;
    await handle.suspend();
    await free(store);
    return store;
  };
  /** Its lease is given back a moment later. */
  const free = async (store: JournalStore): Promise<void> => {
    const wish = { holder: 'test', ttlMs: 1_000, now: Date.now() };
    for (;;)
      try {
        await store.release(await store.acquire('r', wish));
        return;
      } catch (thrown) {
        if (!isTroupeError(thrown, 'journal.held')) throw thrown;
        await new Promise(setImmediate);
      }
  };
  const finished = async (handle: RunHandle<unknown, unknown>) => {
    for await (const event of handle)
      if (event.type === 'tool.approval-requested') handle.approve(event.callId);
    return handle.result;
  };

  test('[FIND-52] is refused without a key, before anything is kept, with what to give', async () => {
    const store = memoryStore();
    const refused = clerk().run(INPUT, { store, runId: 'r' });
    await expect(refused).rejects.toMatchObject({
      code: 'secret.missing',
      message: expect.stringMatching(/spend\.card.*secretKey.*TROUPE_SECRET_KEY/),
    });
    expect(store.entry('r')).toBeUndefined();
  });

  test('[FIND-52] says of a key that is none what was found, but not the key', async () => {
    for (const secretKey of ['too-short', 'z'.repeat(64), 17 as never, []]) {
      const refused = clerk().run(INPUT, { store: memoryStore(), secretKey });
      await expect(refused).rejects.toMatchObject({
        code: 'secret.invalid',
        message: expect.stringMatching(
          /found (?:a text of \d+ characters|a value of type number|an empty list)/,
        ),
      });
    }
  });

  test('[FIND-52] has the values in no row, and calls its tool with them when it is resumed', async () => {
    const store = await suspended(memoryStore());
    for (const each of secretsOf) expect(await rowsIn(store)).not.toMatch(each);
    const result = await finished(await resume(clerk(), 'r', { store, secretKey: KEY_A }));
    expect(seen).toEqual([payment]);
    expect(result.output).toBe(`Done by ${JSON.stringify(INPUT)}.`);
    for (const each of secretsOf) expect(await rowsIn(store)).not.toMatch(each);
    const replayed = await replay(clerk(), 'r', { store, secretKey: KEY_A });
    expect(replayed.events).toEqual(result.events);
    expect(replayed.result?.output).toBe(result.output);
    for (const each of secretsOf.slice(0, 3)) expect(JSON.stringify(result.events)).not.toMatch(each);
  });

  test('[FIND-52] is read without the key as `[redacted FIELD]`, and not gone on with', async () => {
    const store = await suspended(memoryStore());
    const missing = { code: 'secret.missing', message: expect.stringContaining('secretKey') };
    await expect(resume(clerk(), 'r', { store })).rejects.toMatchObject(missing);
    await expect(fork(clerk(), 'r', { store })).rejects.toMatchObject(missing);
    const { events } = await replay(clerk(), 'r', { store });
    expect(JSON.stringify(events)).toContain('[redacted card]');
    const wrong = { code: 'secret.wrong-key' };
    await expect(resume(clerk(), 'r', { store, secretKey: KEY_B })).rejects.toMatchObject(wrong);
    await expect(fork(clerk(), 'r', { store, secretKey: KEY_B })).rejects.toMatchObject(wrong);
    await expect(replay(clerk(), 'r', { store, secretKey: KEY_B })).rejects.toMatchObject(wrong);
    expect(seen).toEqual([]);
    await finished(await resume(clerk(), 'r', { store, secretKey: KEY_A }));
    expect(seen).toEqual([payment]);
  });

  test('[FIND-52] goes on with a new key beside the one before, by the variable, too', async () => {
    const store = await suspended(memoryStore());
    process.env['TROUPE_SECRET_KEY'] = KEY_A;
    try {
      const other = await fork(clerk(), 'r', { store, runId: 'f', secretKey: [KEY_B, KEY_A] });
      await finished(other);
      expect(seen).toEqual([payment]);
      for (const each of secretsOf) expect(await rowsIn(store, 'f')).not.toMatch(each);
      // What the fork wrote is sealed by the new key alone.
      await expect(replay(clerk(), 'f', { store, secretKey: KEY_A })).rejects.toMatchObject({
        code: 'secret.wrong-key',
      });
      expect((await replay(clerk(), 'f', { store, secretKey: KEY_B })).result?.status).toBe('completed');
      await finished(await resume(clerk(), 'r', { store }));
      expect(seen).toEqual([payment, payment]);
    } finally {
      delete process.env['TROUPE_SECRET_KEY'];
    }
  });

  test('[FIND-52] fails before a value is written that no schema told of at its start', async () => {
    const store = memoryStore();
    const late = agent({
      name: 'late',
      decide: ({ step }) => (step === 0 ? act({ name: 'spend', input: payment }) : answer('Done.')),
    });
    const handle = late.stream('go', { store, runId: 'r', paused: true });
    await handle.addTools([spend]);
    handle.resume();
    await expect(handle.result).rejects.toMatchObject({ code: 'secret.missing' });
    for (const each of secretsOf) expect(await rowsIn(store)).not.toMatch(each);
  });

  test('[FIND-52] is kept in a database, and read by another connection', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-fields-'));
    try {
      const path = join(folder, 'runs.db');
      const store = sqliteStore(path);
      await suspended(store);
      await store.close();
      for (const name of await readdir(folder)) {
        const bytes = (await readFile(join(folder, name))).toString('latin1');
        for (const each of secretsOf.slice(0, 2)) expect(bytes, name).not.toMatch(each);
      }
      const again = sqliteStore(path);
      const result = await finished(await resume(clerk(), 'r', { store: again, secretKey: KEY_A }));
      expect(result.status).toBe('completed');
      expect(seen).toEqual([payment]);
      await again.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('what is kept beside a journal', () => {
  const KEY = 'cd'.repeat(32);
  const SHOP = 'shop-4217-Zx81-key';
  const desk = (): EmbeddableAgent<
    string,
    string,
    { seen: readonly string[] },
    AgentChart<{ seen: readonly string[] }>
  > =>
    agent({
      name: 'desk',
      state: { seen: [] as readonly string[] },
      tools: [
        tool({
          name: 'ask_password',
          description: 'Asks.',
          input: z.object({}),
          output: secret(),
          execute: (_, context) => context.ask('Your password?'),
        }),
      ],
      decide: ({ results: [said] }) =>
        said === undefined ? act({ name: 'ask_password', input: {} }) : answer(said.text),
      reduce: ({ state, results }) => ({ seen: [...state.seen, ...results.map(({ text }) => text), SHOP] }),
    });
  const asking = async (store: JournalStore, options: Parameters<EmbeddableAgent['stream']>[1]) => {
    const handle = desk().stream('go', { store, runId: 'r', ...options });
    for await (const event of handle) if (event.type === 'person.asked') break;
    await handle.suspend();
    const [request] = await openRequests(store, 'r');
    return request?.id ?? '';
  };

  test('[FIND-52] an answer that waits for its run is sealed, and is what was typed when the run takes it in', async () => {
    const store = memoryStore();
    const id = await asking(store, { secretKey: KEY });
    await answerRequest(store, 'r', { id, text: 'typed-by-ada' }, { secretKey: KEY });
    expect(JSON.stringify(await store.letters('r'))).not.toContain('typed-by-ada');
    expect((await openRequests(store, 'r'))[0]?.isAnswered).toBe(true);
    const result = await (await resume(desk(), 'r', { store, secretKey: KEY })).result;
    expect(result.output).toBe('typed-by-ada');
    expect(JSON.stringify(await store.read('r'))).not.toContain('typed-by-ada');
    expect(await store.letters('r')).toEqual([]);
  });

  test('[FIND-52] an answer with a secret that is known refers to it where there is no key', async () => {
    const store = memoryStore();
    const plain = agent({
      name: 'plain',
      tools: [askPerson],
      decide: ({ results: [said] }) =>
        said === undefined ? act({ name: 'ask_person', input: { question: 'Key?' } }) : answer(said.text),
    });
    const secrets = { SHOP };
    const handle = plain.stream('go', { store, runId: 'r', secrets });
    for await (const event of handle) if (event.type === 'person.asked') break;
    await handle.suspend();
    const [request] = await openRequests(store, 'r');
    await answerRequest(store, 'r', { id: request?.id ?? '', text: `It is ${SHOP}.` }, { secrets });
    const letters = JSON.stringify(await store.letters('r'));
    expect(letters).toContain('{{secret:SHOP:}}');
    expect(letters).not.toContain(SHOP);
    expect((await openRequests(store, 'r'))[0]?.isAnswered).toBe(true);
    const result = await (await resume(plain, 'r', { store, secrets })).result;
    expect(result.output).toBe(`It is ${SHOP}.`);
  });

  test('[FIND-52] the states of a thread are sealed, and the next run begins with what they were', async () => {
    for (const store of [memoryStore(), undefined]) {
      const files = memoryStore().files('threads');
      const options = { thread: 'ada', threads: threads(files), secrets: { SHOP }, secretKey: KEY, store };
      const person = { answer: () => 'typed-by-ada' };
      await desk().run('go', { ...options, person });
      const kept = JSON.stringify(await threads(files).load('ada'));
      for (const each of ['typed-by-ada', SHOP]) expect(kept).not.toMatch(each);
      const { state, events } = await desk().run('go', {
        ...options,
        runId: 'next',
        person: { answer: () => 'other' },
      });
      expect(state).toMatchObject({ seen: ['typed-by-ada', SHOP, SHOP, 'other', SHOP, SHOP] });
      expect(JSON.stringify(events)).not.toContain('typed-by-ada');
      const rows = store === undefined ? '' : JSON.stringify(store.read('next'));
      expect(rows).not.toContain('typed-by-ada');
      await expect(
        desk().run('go', { ...options, runId: 'third', secretKey: 'ef'.repeat(32) }),
      ).rejects.toMatchObject({
        code: 'secret.wrong-key',
      });
    }
  });
});
