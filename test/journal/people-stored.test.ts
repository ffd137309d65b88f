import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Letter } from '../../src/contracts/journals/journal.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import {
  agent,
  answerRequest,
  openRequests,
  resume,
  tool,
  toolset,
  type Decision,
  type RunResult,
  type RuntimeEvent,
} from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { quiet } from '../support/runs.ts';

const typesOf = ({ events }: { readonly events: readonly RuntimeEvent[] }, pattern: RegExp) =>
  events.map(({ type }) => type).filter((type) => pattern.test(type));

const acting = (
  name: string,
  tools: readonly ReturnType<typeof tool>[],
  call: string,
  input: { amount?: number },
) =>
  agent({
    name,
    tools: [...tools],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: call, input }] }
        : { kind: 'answer', answer: results.map(({ text }) => text).join(' | ') },
  });

/** Asks before it pays; what was paid is counted by key, as a ledger does. */
const payer = () => {
  const ledger = new Map<string, number>();
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'write',
    idempotent: true,
    approval: true,
    input: z.object({ amount: z.number() }),
    execute: ({ amount }, { key }) => {
      ledger.set(key, amount);
      return amount;
    },
  });
  return { made: acting('payer', [pay], 'pay', { amount: 5 }), ledger };
};

/** A store as it is at this moment: what another process finds when this one is killed. */
const killed = async (store: PlainStore, runId = 'r'): Promise<PlainStore> => {
  const left = PlainStore.with(runId, (await recordsIn(store, runId)).records);
  left.posted = [...store.posted];
  return left;
};

/** Begins a run, and gives the store as it is when the run waits and its process is killed. */
const interrupted = async (made: ReturnType<typeof acting>, options: object = {}): Promise<PlainStore> => {
  const store = new PlainStore();
  const handle = made.stream('go', { ...options, store, runId: 'r' });
  await quiet();
  const left = await killed(store);
  handle.abort();
  await handle.result;
  return left;
};

const idIn = async (store: PlainStore): Promise<string> => (await openRequests(store, 'r'))[0]?.id ?? '';

describe('letters', () => {
  test('[KAIZEN-75] a request is seen and answered from the store, without the code of the agent', async () => {
    const store = memoryStore();
    const { made, ledger } = payer();
    const running = made.run('go', { store, runId: 'r' });
    // The first run of a process loads what storing takes.
    do await quiet();
    while ((await openRequests(store)).length === 0);
    const [request] = await openRequests(store);
    expect(request).toMatchObject({
      runId: 'r',
      kind: 'approval',
      path: 'payer',
      callId: 'call_0_0',
      tool: 'pay',
      input: { amount: 5 },
      isAnswered: false,
    });
    const id = request?.id ?? '';
    await expect(answerRequest(store, 'r', { id: 'other', yes: true })).rejects.toMatchObject({
      code: 'request.unknown',
    });
    await expect(answerRequest(store, 'r', { id, text: 'yes' })).rejects.toMatchObject({
      code: 'input.invalid',
    });
    await answerRequest(store, 'r', { id, yes: true, input: { amount: 3 } });
    expect(await openRequests(store, 'r')).toMatchObject([{ id, isAnswered: true }]);
    await expect(answerRequest(store, 'r', { id, yes: false })).rejects.toMatchObject({
      code: 'request.answered',
    });
    const result = await running;
    expect([...ledger.values()]).toEqual([3]);
    expect(typesOf(result, /approv|refused/)).toEqual(['tool.approval-requested', 'tool.approved']);
    expect(await openRequests(store)).toEqual([]);
    expect(await store.letters('r')).toEqual([]);
  });

  test('[KAIZEN-75] what cannot be read, was not asked or does not fit changes nothing, and is on record', async () => {
    const store = new PlainStore();
    const { made, ledger } = payer();
    const handle = made.stream('go', { store, runId: 'r' });
    await quiet();
    const id = await idIn(store);
    const post = (letter: string, content: string): void => {
      store.post({ id: letter, runId: 'r', at: 0, text: content });
    };
    post('1', '{');
    post('2', JSON.stringify({ kind: 'approve', id: 'other' }));
    post('3', JSON.stringify({ kind: 'approve', id, input: { amount: 'all' } }));
    post('4', JSON.stringify({ kind: 'deny', id, reason: 'no' }));
    post('5', JSON.stringify({ kind: 'approve', id }));
    const result = await handle.result;
    await quiet();
    expect(ledger.size).toBe(0);
    expect(result.events.filter(({ type }) => type === 'answer.refused')).toMatchObject([
      { reason: 'it cannot be read' },
      { id: 'other', reason: 'nobody asked for that' },
      { id, reason: expect.stringContaining('do not fit') },
      { id, reason: 'it is answered or withdrawn already' },
    ]);
    expect(typesOf(result, /approv|denied/)).toEqual(['tool.approval-requested', 'tool.denied']);
  });

  test('an answer to a run that runs nowhere is taken in when it is resumed, and it is asked for once', async () => {
    const { made, ledger } = payer();
    const left = await interrupted(made);
    await answerRequest(left, 'r', { id: await idIn(left), yes: true });
    const result = await (await resume(made, 'r', { store: left })).result;
    expect([...ledger.values()]).toEqual([5]);
    expect(typesOf(result, /approv/)).toEqual(['tool.approval-requested', 'tool.approved']);
    expect(left.posted).toEqual([]);
  });

  test('wherever its process is killed, an answer is neither lost nor used twice', async () => {
    const { made, ledger } = payer();
    const left = await interrupted(made);
    await answerRequest(left, 'r', { id: await idIn(left), yes: true });
    const moments: { records: readonly JournalRecord[]; posted: readonly Letter[] }[] = [];
    const keep = async (): Promise<void> => {
      moments.push({ records: (await recordsIn(left, 'r')).records, posted: [...left.posted] });
    };
    await keep();
    const commit = left.commit.bind(left);
    const kept: Promise<void>[] = [];
    left.commit = (...given) => {
      commit(...given);
      kept.push(keep());
    };
    const whole: RunResult = await (await resume(made, 'r', { store: left })).result;
    await Promise.all(kept);
    expect(moments.length).toBeGreaterThan(2);
    for (const { records, posted } of moments) {
      const store = PlainStore.with('r', records);
      store.posted = [...posted];
      const result = await (await resume(made, 'r', { store })).result;
      expect(result.output).toBe(whole.output);
      expect(typesOf(result, /approv|refused/)).toEqual(['tool.approval-requested', 'tool.approved']);
      expect(store.posted).toEqual([]);
    }
    expect(ledger.size).toBe(1);
  });

  test('an answer that comes before its request is waited for again stays in the store until it is on record', async () => {
    const opening: Promise<void>[] = [];
    const send = tool({
      name: 'send',
      description: 'Sends.',
      approval: true,
      input: z.object({}),
      execute: () => 'sent',
    });
    const post = toolset({ name: 'post', tools: [send], setup: () => opening.pop() ?? Promise.resolve() });
    const made = agent({
      name: 'clerk',
      tools: [post],
      decide: ({ step }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'post.send', input: {} }] }
          : { kind: 'answer', answer: 'sent' },
    });
    const left = await interrupted(made);
    await answerRequest(left, 'r', { id: await idIn(left), yes: true });
    let resolve = (): void => undefined;
    opening.push(
      new Promise((opened) => {
        resolve = opened;
      }),
    );
    const handle = await resume(made, 'r', { store: left });
    await quiet();
    expect(left.posted).toHaveLength(1);
    expect(handle.requests, 'it is answered').toEqual([]);
    resolve();
    expect(typesOf(await handle.result, /approv/)).toEqual(['tool.approval-requested', 'tool.approved']);
    expect(left.posted).toEqual([]);
  });

  test('[KAIZEN-64] the time of a request goes on while no process has the run: an answer in time counts, a late one does not', async () => {
    const from = 1_000;
    const run = async (at: number) => {
      const { made, ledger } = payer();
      const left = await interrupted(made, {
        clock: virtualClock(from),
        requests: { expireAfterMs: 60_000 },
      });
      expect(left.entries.get('r')).toBeDefined();
      const answering = answerRequest(left, 'r', { id: await idIn(left), yes: true }, { now: () => at });
      const said = await answering.then(
        () => 'taken',
        (error: { code: string }) => error.code,
      );
      const clock = virtualClock(from + 3_600_000);
      const handle = await resume(made, 'r', { store: left, clock });
      await clock.advance(1);
      const result = await handle.result;
      return { said, paid: [...ledger.values()], types: typesOf(result, /approv|denied/) };
    };
    expect(await run(from + 59_999)).toEqual({
      said: 'taken',
      paid: [5],
      types: ['tool.approval-requested', 'tool.approved'],
    });
    expect(await run(from + 60_000)).toEqual({
      said: 'request.expired',
      paid: [],
      types: ['tool.approval-requested', 'tool.denied'],
    });
  });

  test('a run that is suspended while it waits leaves its requests open', async () => {
    const { made } = payer();
    const store = new PlainStore();
    const handle = made.stream('go', { store, runId: 'r' });
    await quiet();
    await handle.suspend();
    expect(await openRequests(store, 'r')).toHaveLength(1);
    await answerRequest(store, 'r', { id: await idIn(store), yes: true });
    const result = await (await resume(made, 'r', { store })).result;
    expect(typesOf(result, /approv|request\./)).toEqual(['tool.approval-requested', 'tool.approved']);
  });

  test('a run that waits until somebody is late says in its entry when', async () => {
    const store = memoryStore();
    const clock = virtualClock(5);
    const handle = payer().made.stream('go', { store, runId: 'r', clock, requests: { expireAfterMs: 100 } });
    await quiet();
    expect(await store.entry('r')).toMatchObject({ status: 'waiting', dueAt: 105 });
    await clock.advance(100);
    await handle.result;
    expect((await store.entry('r'))?.dueAt).toBeUndefined();
  });

  test('[QITOS-88] a tool that is done again is told what it was told, in the order of its questions', async () => {
    const heard: string[][] = [];
    const interview = tool({
      name: 'interview',
      description: 'Asks twice.',
      input: z.object({}),
      execute: async (_, { ask }) => {
        const answers = [await ask('Name?'), await ask('Town?')];
        heard.push(answers);
        return answers.join(' of ');
      },
    });
    const made = acting('clerk', [interview], 'interview', {});
    const store = new PlainStore();
    const handle = made.stream('go', { store, runId: 'r' });
    await quiet();
    expect(handle.reply('Ada')).toBe(true);
    await quiet();
    const left = await killed(store);
    handle.abort();
    await handle.result;
    expect(await openRequests(left, 'r')).toMatchObject([
      { kind: 'question', question: 'Town?', callId: 'call_0_0' },
    ]);
    await answerRequest(left, 'r', { id: await idIn(left), text: 'London' });
    const result = await (await resume(made, 'r', { store: left })).result;
    expect(heard).toEqual([['Ada', 'London']]);
    expect(result.output).toBe('Ada of London');
    expect(result.events.flatMap((event) => (event.type === 'person.asked' ? [event.question] : []))).toEqual(
      ['Name?', 'Town?'],
    );
    expect(result.events.flatMap((event) => (event.type === 'person.answered' ? [event.text] : []))).toEqual([
      'Ada',
      'London',
    ]);
  });
});

test.each([
  [['run-1', 'yes'], "its options are not an object: found 'yes'"],
  [['run-1'], 'its options are not an object: found nothing'],
  [['run-1', { id: 'a', text: 7 }], 'its text is not a string: found 7'],
  [['run-1', { text: 'yes' }], 'its id is not a non-empty string: found nothing'],
  [[{ id: 'a', yes: true }], 'its options are not an object: found nothing'],
])('an answer that is none is refused with what to pass: %j', async (given, message) => {
  const refused = Reflect.apply(answerRequest, undefined, [memoryStore(), ...given]) as Promise<void>;
  await expect(refused).rejects.toMatchObject({
    code: 'input.invalid',
    message: expect.stringContaining(message) as string,
  });
  await expect(refused).rejects.toThrow('Cannot answer the request as ');
});
