import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { never, settled, start } from '../support/runs.ts';

const newFiles = (): KeyValueFiles => memoryStore().files('threads');

const said = (turns: readonly Turn[] | undefined): readonly string[] =>
  (turns ?? []).map(({ role, text }) => `${role}: ${text}`);

/** A promise that somebody else resolves. */
const signalled = <T>() => {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((go) => {
    resolve = go;
  });
  return { promise, resolve };
};

const turnsIn = async (kept: KeyValueFiles, id = 'talk') =>
  ((await threads(kept).load(id))?.turns ?? []).map(({ role, text, runId, status }) => ({
    said: `${role}: ${text}`,
    runId,
    ...(status === undefined ? {} : { status }),
  }));

describe('a run in a thread', () => {
  test('goes on from what was said before, and adds what it was asked and answered', async () => {
    const files = newFiles();
    const model = scriptedModel(['Hello Ada.', 'You are Ada.', 'Who?']);
    const clerk = agent({ name: 'clerk', model });
    const run = (input: string, thread: string, runId: string) =>
      start(clerk, input, { thread, threads: threads(files), runId }).result;
    await run('I am Ada.', 'talk', 'r1');
    await run('Who am I?', 'talk', 'r2');
    expect(said(model.requests[1]?.messages)).toEqual([
      'user: I am Ada.',
      'assistant: Hello Ada.',
      'user: Who am I?',
    ]);
    await run('Who am I?', 'other', 'r3');
    expect(said(model.requests[2]?.messages)).toEqual(['user: Who am I?']);
    expect(await turnsIn(files)).toEqual([
      { said: 'user: I am Ada.', runId: 'r1' },
      { said: 'assistant: Hello Ada.', runId: 'r1', status: 'completed' },
      { said: 'user: Who am I?', runId: 'r2' },
      { said: 'assistant: You are Ada.', runId: 'r2', status: 'completed' },
    ]);
  });

  test('with a history of its own goes on from that, and is added all the same', async () => {
    const files = newFiles();
    const model = scriptedModel(['one', 'two']);
    const clerk = agent({ name: 'clerk', model });
    const options = { thread: 'talk', threads: threads(files) };
    await start(clerk, 'a', options).result;
    const history = [{ role: 'user', text: 'before' }] as const;
    await start(clerk, 'b', { ...options, history }).result;
    expect(said(model.requests[1]?.messages)).toEqual(['user: before', 'user: b']);
    expect(await turnsIn(files)).toHaveLength(4);
  });

  test('without an answer says how it ended', async () => {
    const files = newFiles();
    const model = scriptedModel([new Error('no power')]);
    const talks = threads(files);
    const broken = start(agent({ name: 'a', model }), 'x', { thread: 'talk', threads: talks });
    const { error } = await settled(broken);
    const slow = agent({ name: 'b', decide: () => never() });
    const handle = start(slow, 'y', { thread: 'talk', threads: talks });
    handle.abort('enough');
    await handle.result;
    expect((await turnsIn(files)).map((turn) => [turn.said, turn.status])).toEqual([
      ['user: x', undefined],
      [`assistant: (no answer: failed, ${error?.code})`, 'failed'],
      ['user: y', undefined],
      ['assistant: (no answer: aborted)', 'aborted'],
    ]);
  });

  test('is told of as text: a structured input and output, and a task where the input says nothing', async () => {
    const files = newFiles();
    const options = { thread: 'talk', threads: threads(files) };
    const sum = agent({
      name: 'sum',
      input: z.object({ a: z.number() }),
      output: z.object({ b: z.number() }),
      decide: () => ({ kind: 'answer', answer: { b: 2 } }),
    });
    await start(sum, { a: 1 }, options).result;
    const plain = agent({ name: 'plain', decide: () => ({ kind: 'answer', answer: 'done' }) });
    await start(plain, '', { ...options, task: 'Mend it' }).result;
    expect((await turnsIn(files)).map((turn) => turn.said)).toEqual([
      'user: {"a":1}',
      'assistant: {"b":2}',
      'user: Mend it',
      'assistant: done',
    ]);
  });

  test('of a team is told to its members, and has the answer of the team', async () => {
    const files = newFiles();
    const first = scriptedModel(['draft 1', 'draft 2']);
    const second = scriptedModel(['final 1', 'final 2']);
    const team = pipeline({
      name: 'team',
      stages: [agent({ name: 'first', model: first }), agent({ name: 'second', model: second })],
    });
    const options = { thread: 'talk', threads: threads(files) };
    await start(team, 'one', options).result;
    await start(team, 'two', options).result;
    expect(said(first.requests[1]?.messages)).toEqual(['user: one', 'assistant: final 1', 'user: two']);
    expect(said(second.requests[1]?.messages).slice(0, 2)).toEqual(['user: one', 'assistant: final 1']);
    expect((await turnsIn(files)).map((turn) => turn.said)).toEqual([
      'user: one',
      'assistant: final 1',
      'user: two',
      'assistant: final 2',
    ]);
  });

  test('[TENEX-U9] sees calls that another run of the thread has under way as calls with a result to come', async () => {
    const started = signalled<void>();
    const release = signalled<string>();
    const build = tool({
      name: 'build',
      description: 'Builds.',
      input: z.object({ what: z.string() }),
      execute: () => {
        started.resolve();
        return release.promise;
      },
    });
    const model = scriptedModel([
      calls({ name: 'build', input: { what: 'house' } }),
      'It is being built.',
      'Built.',
      'It stands.',
    ]);
    const builder = agent({ name: 'builder', model, tools: [build] });
    const options = { thread: 'talk', threads: threads(newFiles()) };
    const first = start(builder, 'Build a house.', options);
    await started.promise;
    await start(builder, 'How is it going?', options).result;
    const [asked, call, result, prompt, ...rest] = model.requests[1]?.messages ?? [];
    expect(asked).toEqual({ role: 'user', text: 'Build a house.' });
    expect(call).toMatchObject({
      role: 'assistant',
      calls: [{ name: 'build', input: { what: 'house' } }],
    });
    const id = call?.role === 'assistant' ? call.calls?.[0]?.id : undefined;
    expect(result).toMatchObject({ role: 'tool', callId: id, tool: 'build' });
    expect(result?.text).toMatch(/^\(pending: /);
    expect(prompt).toMatchObject({ text: 'How is it going?' });
    expect(rest).toEqual([]);
    release.resolve('done');
    await first.result;
    await start(builder, 'And now?', options).result;
    expect(said(model.requests[3]?.messages)).toEqual([
      'user: How is it going?',
      'assistant: It is being built.',
      'user: Build a house.',
      'assistant: ',
      'tool: done',
      'assistant: Built.',
      'user: And now?',
    ]);
  });

  test('does not begin where its thread cannot be read', async () => {
    const files = newFiles();
    await files.write('default/talk/thread.json', '{"v":9}');
    const model = scriptedModel([]);
    const handle = start(agent({ name: 'clerk', model }), 'x', { thread: 'talk', threads: threads(files) });
    await expect(handle.result).rejects.toMatchObject({ code: 'thread.version' });
    expect(model.requests).toEqual([]);
    expect(await files.names()).toEqual(['default/talk/thread.json']);
  });

  test('ends all the same where its thread cannot be written, and says so', async () => {
    const files = newFiles();
    const talks = threads({ ...files, append: () => Promise.reject(new Error('disk full')) });
    const clerk = agent({ name: 'clerk', model: scriptedModel(['fine']) });
    const { output, events } = await start(clerk, 'x', { thread: 'talk', threads: talks }).result;
    expect(output).toBe('fine');
    expect(events.filter(({ type }) => type === 'memory.failed')).toMatchObject([
      { memory: 'thread talk', work: 'remember' },
    ]);
  });

  test('of which nobody keeps a thread, nothing is added anywhere', async () => {
    const model = scriptedModel(['one', 'two']);
    const clerk = agent({ name: 'clerk', model });
    await start(clerk, 'a', { thread: 'talk' }).result;
    await start(clerk, 'b', { thread: 'talk' }).result;
    expect(said(model.requests[1]?.messages)).toEqual(['user: b']);
  });
});

test('a run that is aborted before its thread is read ends at once', async () => {
  const files = newFiles();
  const talks = threads({ ...files, read: () => never() });
  const clerk = agent({ name: 'clerk', decide: () => ({ kind: 'answer', answer: 'x' }) });
  const handle = clerk.stream('x', { thread: 'talk', threads: talks });
  handle.abort('enough');
  expect((await handle.result).status).toBe('aborted');
});

test('runs of an engine belong to threads, too', async () => {
  const model = scriptedModel(['one', 'two']);
  const clerk = agent({ name: 'clerk', model });
  await using engine = createGlobalEngine();
  const options = { thread: 'talk', threads: threads(newFiles()) };
  await engine.execute(clerk, 'a', options);
  await engine.execute(clerk, 'b', options);
  expect(said(model.requests[1]?.messages)).toEqual(['user: a', 'assistant: one', 'user: b']);
});

describe('a stored run in a thread', () => {
  test('finds it in its store, and has what it went on from in its journal', async () => {
    const store = memoryStore();
    const model = scriptedModel(['one', 'two']);
    const clerk = agent({ name: 'clerk', model });
    await clerk.run('a', { store, thread: 'talk' });
    await clerk.run('b', { store, thread: 'talk', runId: 'r2' });
    expect(said(model.requests[1]?.messages)).toEqual(['user: a', 'assistant: one', 'user: b']);
    expect((await recordsIn(store, 'r2')).began.history).toEqual([
      { role: 'user', text: 'a' },
      { role: 'assistant', text: 'one' },
    ]);
    expect(await turnsIn(store.files('threads'))).toHaveLength(4);
  });

  test.each([
    ['an agent', false],
    ['a team', true],
  ])('of %s is added exactly once, from whatever record it is gone on with', async (_, isTeam) => {
    const make = () => {
      const clerk = agent({
        name: 'clerk',
        decide: ({ step, transcript }) =>
          step < 2
            ? { kind: 'act', calls: [{ name: 'look', input: {} }] }
            : { kind: 'answer', answer: `after ${transcript.at(0)?.text}` },
        tools: [
          tool({
            name: 'look',
            description: 'Looks.',
            input: z.object({}),
            execute: () => Promise.resolve('seen'),
          }),
        ],
      });
      return isTeam ? pipeline({ name: 'clerk', stages: [clerk] }) : clerk;
    };
    const store = new PlainStore();
    await threads(store.files('threads')).append('talk', { turns: [{ role: 'user', text: 'the start' }] });
    const whole = await make().run('go', { store, runId: 'r', thread: 'talk' });
    expect(whole.output).toBe('after the start');
    const after = await turnsIn(store.files('threads'));
    // A team's members talk each by itself: its thread has what it was asked and answered.
    expect(after).toHaveLength(isTeam ? 3 : 7);
    const kept = (await threads(store.files('threads')).load('talk'))?.turns ?? [];
    const { records } = await recordsIn(store, 'r');
    for (const isWritten of [true, false])
      for (let length = 1; length <= records.length; length += 1) {
        const cut = PlainStore.with('r', records.slice(0, length));
        const talks = threads(cut.files('threads'));
        await talks.append('talk', { turns: [{ role: 'user', text: 'the start' }] });
        // Whether it is there already: it is written before the record that says so.
        const isPast = records
          .slice(0, length)
          .some((record) => record.kind === 'arrived' && record.arrival.type === 'closed');
        if (isWritten || isPast)
          await talks.append('talk', {
            runId: 'r',
            turns: kept.filter(({ runId }) => runId === 'r'),
          });
        const resumed = await (await resume(make(), 'r', { store: cut })).result;
        expect(resumed.output).toBe('after the start');
        expect(await turnsIn(cut.files('threads'))).toEqual(after);
      }
  });

  test('is added once all that made its answer is written, and before its end is', async () => {
    const store = new PlainStore();
    const log: string[] = [];
    const files = store.files('threads');
    const talks = threads({
      ...files,
      append: (name, text) => {
        log.push('thread');
        return files.append(name, text);
      },
    });
    store.beforeCommit = ({ rows }) => {
      log.push(rows.some(({ text }) => text.includes('run.ended')) ? 'end' : 'commit');
    };
    const clerk = agent({ name: 'clerk', model: scriptedModel(['one']) });
    await clerk.run('a', { store, thread: 'talk', threads: talks });
    expect(log.slice(log.indexOf('thread') - 1)).toEqual(['commit', 'thread', 'end']);
  });

  test('whose store fails adds nothing: it may go on elsewhere', async () => {
    const store = new PlainStore();
    store.beforeCommit = () => {
      throw new Error('the disk is gone');
    };
    const clerk = agent({ name: 'clerk', model: scriptedModel(['one']) });
    await expect(clerk.run('a', { store, thread: 'talk' })).rejects.toMatchObject({ code: 'journal.failed' });
    expect(await turnsIn(store.files('threads'))).toEqual([]);
  });
});
