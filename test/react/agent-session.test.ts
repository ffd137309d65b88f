import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { AgentSession } from '../../src/react/agent-session.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { resume } from '../../src/index.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred, quiet } from '../support/runs.ts';

/** A clerk whose tool waits for the test. */
const clerk = (idempotent = true) => {
  const gate = deferred<string>();
  const signals: AbortSignal[] = [];
  const fetch = tool({
    name: 'fetch',
    description: 'Fetches.',
    input: z.object({}),
    idempotent,
    execute: (_, { signal }) => {
      signals.push(signal);
      return gate.promise;
    },
  });
  const model = scriptedModel([calls({ name: 'fetch', input: {} }), 'First.', 'Second.']);
  return { gate, signals, model, one: agent({ name: 'clerk', tools: [fetch], model }) };
};

const until = async (
  session: { getSnapshot(): { readonly status: string } },
  status: string,
): Promise<void> => {
  await expect.poll(() => session.getSnapshot().status).toBe(status);
};

describe('a session', () => {
  test('is idle until somebody says something, and then one conversation', async () => {
    const model = scriptedModel(['Hello Ada.', 'Ada.']);
    const session = new AgentSession(agent({ name: 'greeter', model }), {});
    session.attach();
    expect(session.getSnapshot()).toMatchObject({ status: 'idle', messages: [], error: undefined });
    expect(session.getSnapshot().stop()).toBe(false);
    expect(session.send('I am Ada.')).toBe(true);
    expect(session.getSnapshot().status).toBe('running');
    await until(session, 'completed');
    session.send('Who am I?');
    expect(session.getSnapshot()).toMatchObject({ status: 'running', output: undefined });
    await until(session, 'completed');
    expect(session.getSnapshot().output).toBe('Ada.');
    expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual([
      'I am Ada.',
      'Hello Ada.',
      'Who am I?',
      'Ada.',
    ]);
    const shown = [...(model.requests[1]?.messages ?? [])].map(({ text }) => text);
    expect(shown.join('|')).toContain('I am Ada.|Hello Ada.|Who am I?');
  });

  test('keeps what was said of an answer when it is stopped, and gives it to no later run', async () => {
    const model = scriptedModel([
      async (_request, { delta }) => {
        delta({ type: 'text', text: 'Once upon a ' });
        return new Promise<never>(() => undefined);
      },
      'The end.',
    ]);
    const session = new AgentSession(agent({ name: 'teller', model }), { input: 'Tell me.' });
    session.attach();
    await expect.poll(() => session.getSnapshot().text).toBe('Once upon a ');
    expect(session.getSnapshot().stop()).toBe(true);
    await until(session, 'aborted');
    const { messages, text, isStreaming } = session.getSnapshot();
    expect(messages.map((message) => [message.text, message.isCut])).toEqual([
      ['Tell me.', undefined],
      ['Once upon a ', true],
    ]);
    expect([text, isStreaming]).toEqual(['Once upon a ', false]);
    session.send('And then?');
    await until(session, 'completed');
    expect(session.getSnapshot().messages.map((message) => message.text)).toEqual([
      'Tell me.',
      'Once upon a ',
      'And then?',
      'The end.',
    ]);
    expect(JSON.stringify(model.requests[1])).not.toContain('Once upon a');
  });

  test('left and come back to at once is not disturbed', async () => {
    const { one, gate, signals } = clerk();
    const session = new AgentSession(one, { input: 'go' });
    const leave = session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('ACT');
    await quiet();
    leave();
    session.attach();
    await quiet();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    gate.resolve('there');
    await until(session, 'completed');
    expect(session.getSnapshot().progress.totals).toMatchObject({ toolCalls: 1, modelCalls: 2 });
  });

  test('left for longer rests with what it does aborted, and goes on to the same end', async () => {
    const { one, gate, signals, model } = clerk();
    const session = new AgentSession(one, { input: 'go' });
    const leave = session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('ACT');
    await quiet();
    leave();
    await quiet();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    session.attach();
    gate.resolve('there');
    await until(session, 'completed');
    expect(model.requests).toHaveLength(2);
    expect(session.getSnapshot().output).toBe('First.');
    expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual(['go', '', 'First.']);
  });

  test('[FIND-07] left for longer with a store is suspended there, and goes on to the same end', async () => {
    const { one, gate, model } = clerk();
    const store = memoryStore();
    const session = new AgentSession(one, { input: 'go', store });
    const leave = session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('ACT');
    await quiet();
    leave();
    await quiet();
    session.attach();
    gate.resolve('there');
    await until(session, 'completed');
    expect(model.requests).toHaveLength(2);
    expect(session.getSnapshot().output).toBe('First.');
  });

  test("is aborted in its store by onStop: 'abort'", async () => {
    const { one, gate } = clerk();
    const store = memoryStore();
    const session = new AgentSession(one, { input: 'go', store, onStop: 'abort' });
    const leave = session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('ACT');
    await quiet();
    leave();
    await quiet();
    session.attach();
    gate.resolve('there');
    await until(session, 'aborted');
  });

  test('asks a person about a call that was cut and may not be made again', async () => {
    const { one, gate, signals } = clerk(false);
    const session = new AgentSession(one, { input: 'go' });
    const leave = session.attach();
    await expect.poll(() => signals.length).toBe(1);
    await quiet();
    leave();
    await quiet();
    session.attach();
    await expect.poll(() => session.getSnapshot().requests.map(({ kind }) => kind)).toEqual(['ambiguous']);
    session.getSnapshot().approve(session.getSnapshot().requests[0]?.id ?? '');
    gate.resolve('there');
    await until(session, 'completed');
    expect(signals).toHaveLength(2);
  });

  test('told something before anybody looks begins when somebody does', async () => {
    const model = scriptedModel(['Here.']);
    const session = new AgentSession(agent({ name: 'a', model }), {});
    session.send('go');
    await quiet();
    expect(model.requests).toHaveLength(0);
    session.attach();
    await until(session, 'completed');
  });

  test('hands a text to the run that is under way, holds it, and answers what it wants to know', async () => {
    const risky = tool({
      name: 'risky',
      description: 'Does it.',
      input: z.object({}),
      approval: true,
      execute: () => 'done',
    });
    const model = scriptedModel([calls({ name: 'risky', input: {} }), 'Done.']);
    const session = new AgentSession(agent({ name: 'a', tools: [risky], model }), { input: 'go' });
    session.attach();
    await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
    expect(session.send('Hurry.')).toBe(true);
    session.getSnapshot().pause();
    await until(session, 'paused');
    session.getSnapshot().resume();
    await until(session, 'running');
    session.getSnapshot().approve(session.getSnapshot().requests[0]?.id ?? '');
    await until(session, 'completed');
    expect(session.getSnapshot().requests).toEqual([]);
    expect(session.getSnapshot().messages.map(({ role, text }) => `${role}: ${text}`)).toContain(
      'user: Hurry.',
    );
  });

  test('a text sent while the answer is composed is answered, and part of the conversation', async () => {
    const gate = deferred<string>();
    const model = scriptedModel([() => gate.promise, 'Both.', 'Three.']);
    const session = new AgentSession(agent({ name: 'a', model }), { input: 'one' });
    session.attach();
    await expect.poll(() => model.requests.length).toBe(1);
    expect(session.send('two')).toBe(true);
    gate.resolve('One.');
    await until(session, 'completed');
    expect(session.getSnapshot().output).toBe('Both.');
    session.send('three');
    await expect.poll(() => session.getSnapshot().output).toBe('Three.');
    const shown = [...(model.requests[2]?.messages ?? [])].map(({ text }) => text).join('|');
    expect(shown).toContain('two');
    expect(shown).toContain('Both.');
  });

  test('is given what is wrong with it, as data', async () => {
    const adder = agent({ name: 'adder', input: z.object({ a: z.number() }), model: scriptedModel(['1']) });
    const session = new AgentSession(adder, {});
    session.attach();
    // @ts-expect-error what JavaScript may give
    session.send({ a: 'one' });
    await until(session, 'failed');
    expect(session.getSnapshot().error?.code).toBe('input.invalid');
    const other = new AgentSession(adder, { onStop: 'suspend' });
    other.attach();
    expect(other.send({ a: 1 })).toBe(false);
    expect(other.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'agent.invalid' } });
  });

  test('refuses by name what is no text while its run is under way', async () => {
    const { gate } = clerk();
    const model = scriptedModel([() => gate.promise]);
    const adder = agent({ name: 'adder', input: z.object({ a: z.number() }), model });
    const session = new AgentSession(adder, { input: { a: 1 } });
    session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('DECIDE');
    expect(session.send({ a: 2 })).toBe(false);
    expect(session.getSnapshot()).toMatchObject({ status: 'running', error: { code: 'message.invalid' } });
    gate.resolve('2');
    await until(session, 'completed');
  });

  test('left for good with a store is suspended there, and anybody can resume it', async () => {
    const { one, gate } = clerk();
    const store = memoryStore();
    const session = new AgentSession(one, { input: 'go', store, onStop: 'suspend' });
    const leave = session.attach();
    await expect.poll(() => session.getSnapshot().phase).toBe('ACT');
    await quiet();
    leave();
    gate.resolve('there');
    const { runId = '' } = session.getSnapshot().progress;
    await expect
      .poll(async () => {
        try {
          return (await (await resume(one, runId, { store })).result).output;
        } catch {
          return undefined;
        }
      })
      .toBe('First.');
  });

  test('gives the same view as long as nothing changes, and tells once of all that comes at once', async () => {
    const session = new AgentSession(agent({ name: 'a', model: scriptedModel(['Here.']) }), { input: 'go' });
    let told = 0;
    session.subscribe(() => {
      told += 1;
    });
    session.attach();
    await until(session, 'completed');
    const view = session.getSnapshot();
    await quiet();
    expect(session.getSnapshot()).toBe(view);
    expect(told).toBeLessThan(10);
    expect(told).toBeGreaterThan(0);
  });

  test('is a team as well as an agent', async () => {
    const assignments = [{ member: 'ann', task: 'look' }];
    const supervisor = {
      model: scriptedModel([
        JSON.stringify({ assignments, answer: null }),
        JSON.stringify({ assignments: [], answer: 'All done.' }),
      ]),
    };
    const ann = agent({ name: 'ann', model: scriptedModel(['Looked.']) });
    const session = new AgentSession(supervisorWorker({ name: 'desk', supervisor, workers: { ann } }), {
      input: 'go',
    });
    session.attach();
    await until(session, 'completed');
    expect(Object.keys(session.getSnapshot().progress.agents).length).toBeGreaterThan(1);
    expect(session.getSnapshot().messages.at(-1)?.text).toBe('All done.');
  });
});

describe('a session that continues a conversation', () => {
  const history = [
    { role: 'user', text: 'I am Ada.' },
    { role: 'assistant', text: 'Hello Ada.' },
  ] as const;

  test('shows the turns of its history, and remembers what came after them', async () => {
    const model = scriptedModel(['Yes.', 'Two.', 'Three.']);
    const session = new AgentSession(agent({ name: 'a', model }), { history });
    session.attach();
    expect(session.getSnapshot().messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: I am Ada.',
      'assistant: Hello Ada.',
    ]);
    for (const [text, output] of [
      ['one', 'Yes.'],
      ['two', 'Two.'],
      ['three', 'Three.'],
    ] as const) {
      // A render gives options anew.
      session.update(agent({ name: 'a', model }), { history: [...history] });
      session.send(text);
      await expect.poll(() => session.getSnapshot().output).toBe(output);
    }
    const shown = model.requests.map(({ messages }) => [...messages].map(({ text }) => text));
    expect(shown.map(({ length }) => length)).toEqual([3, 5, 7]);
    expect(shown[2]).toEqual(['I am Ada.', 'Hello Ada.', 'one', 'Yes.', 'two', 'Two.', 'three']);
    expect(session.getSnapshot().messages.map(({ text }) => text)).toEqual([...(shown[2] ?? []), 'Three.']);
  });
});

describe('an answer to a request', () => {
  test('that is not open, or that does not fit, is false, and the error says why', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ euros: z.number() }),
      approval: true,
      execute: ({ euros }) => `paid ${euros}`,
    });
    const model = scriptedModel([calls({ name: 'pay', input: { euros: 5 } }), 'Done.']);
    const session = new AgentSession(agent({ name: 'a', tools: [pay], model }), { input: 'go' });
    session.attach();
    await expect.poll(() => session.getSnapshot().requests.length).toBe(1);
    const { approve, deny, reply, requests } = session.getSnapshot();
    const id = requests[0]?.id ?? '';
    for (const answer of [
      () => approve('nope'),
      () => approve(5 as never),
      () => approve(undefined as never),
      () => deny('nope'),
      () => reply('blue'),
      () => reply('blue', id),
    ]) {
      expect(answer()).toBe(false);
      expect(session.getSnapshot()).toMatchObject({ status: 'running', error: { code: 'request.unknown' } });
    }
    expect(approve(id, { input: { euros: 'many' } })).toBe(false);
    expect(session.getSnapshot().error).toMatchObject({ code: 'tool.input-invalid' });
    expect(approve(id, { input: { euros: 7 } })).toBe(true);
    expect(session.getSnapshot().error).toBeUndefined();
    await until(session, 'completed');
    expect(approve(id)).toBe(false);
    expect(session.getSnapshot().messages.flatMap((message) => message.calls)).toMatchObject([
      { text: 'paid 7' },
    ]);
  });
});
