import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { delegate, fork, replay, TroupeError } from '../../../src/index.ts';
import type { RunHandle, RunResult } from '../../../src/index.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { Model, ModelRequest } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { race } from '../../../src/patterns/race.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { keyValueMemory } from '../../../src/memory/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { blame } from '../../../src/testing/blame/blame.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

const usage = { input: 100, output: 10, billedUsd: 0.01 };

const lastOf = ({ messages }: ModelRequest): string => messages.at(messages.length - 1)?.text ?? '';

/** A model that answers its n-th request, and counts them. */
const modelOf = (
  id: string,
  answer: (request: ModelRequest, asked: number) => string,
  asked = { count: 0 },
): Model => ({
  provider: 'acme',
  id,
  answer: (request) => {
    asked.count += 1;
    return modelAnswer({ text: answer(request, asked.count), usage });
  },
});

const counter = () => ({ count: 0 });

/** A clerk that is wrong the first time, a writer that passes on what it reads, and a printer that does so, too. */
const desk = (
  asked = { clerk: counter(), writer: counter(), printer: counter() },
  price = (n: number) => (n === 1 ? 24 : 42),
) =>
  pipeline({
    name: 'desk',
    stages: [
      agent({ name: 'clerk', model: modelOf('clerk-1', (_, n) => `It is ${price(n)}.`, asked.clerk) }),
      agent({
        name: 'writer',
        model: modelOf('writer-1', (request) => `Dear reader: ${lastOf(request)}`, asked.writer),
      }),
      agent({
        name: 'printer',
        model: modelOf('printer-1', (request) => `[${lastOf(request)}]`, asked.printer),
      }),
    ],
  });

const isWrong = ({ output }: RunResult): boolean => !JSON.stringify(output ?? '').includes('42');

const recorded = async (team: {
  run: (input: string, options: { store: JournalStore; runId: string }) => Promise<unknown>;
}) => {
  const store = memoryStore();
  await team.run('The price?', { store, runId: 'r' });
  return { store, runId: 'r' };
};

const rowsIn = async (store: JournalStore) =>
  Promise.all((await store.list()).map(async ({ runId }) => [runId, await store.read(runId)]));

describe('blame', () => {
  test('names the one change that turns a run, what followed from it, and how often it did', async () => {
    const team = desk();
    const of = await recorded(team);
    const found = await blame(team, { ...of, fails: isWrong, live: true });
    expect(found).toMatchObject({
      verdict: 'found',
      changes: [
        {
          kind: 'answer',
          agent: 'clerk',
          path: 'desk/clerk-1',
          step: 0,
          recorded: { text: 'It is 24.' },
          changed: { text: 'It is 42.' },
          origin: 'model',
        },
      ],
      followed: [
        { path: 'desk/writer-2', changed: { text: 'Dear reader: It is 42.' } },
        { path: 'desk/printer-3', changed: { text: '[Dear reader: It is 42.]' } },
      ],
      output: { recorded: '[Dear reader: It is 24.]', changed: '[Dear reader: It is 42.]' },
      turned: { count: 3, of: 3, value: 1, high: 1 },
      // Printer 1, writer 2, all 3: that turns it. The writer three times more, then the clerk alone, whose followers are known by then.
      tried: { points: 3, forks: 9, modelCalls: 15 },
      stopped: undefined,
      untried: [],
    });
    expect(found.turned?.low).toBeCloseTo(0.4385, 3);
  });

  test('asks only what follows from the change, and counts what it asked', async () => {
    const asked = { clerk: counter(), writer: counter(), printer: counter() };
    const team = parallel({
      name: 'crowd',
      members: {
        ann: agent({
          name: 'ann',
          model: modelOf('ann-1', (_, n) => (n === 1 ? 'a=24' : 'a=42'), asked.clerk),
        }),
        bob: agent({ name: 'bob', model: modelOf('bob-1', () => 'b=1', asked.writer) }),
      },
      aggregator: agent({
        name: 'reader',
        model: modelOf('reader-1', (request) => lastOf(request), asked.printer),
      }),
    });
    const of = await recorded(team);
    const repair = ({ agent: who, recorded: { text } }: { agent: string; recorded: { text: string } }) =>
      who === 'ann' ? text.replace('24', '42') : undefined;
    const before = [asked.clerk.count, asked.writer.count];
    const { changes, tried } = await blame(team, { ...of, fails: isWrong, repair, samples: 1, live: true });
    expect(changes).toMatchObject([{ agent: 'ann', origin: 'repair' }]);
    // Ann was repaired, and never asked; Bob only where everything after a point was asked again.
    expect(asked.clerk.count).toBe(before[0]);
    const all = asked.clerk.count + asked.writer.count + asked.printer.count;
    expect(tried.modelCalls).toBe(all - 3);
    expect(tried.costUsd).toBeCloseTo(tried.modelCalls * 0.01);
  });

  test('leaves the store as it is, and gives the fork in one of its own, to replay and to fork', async () => {
    const team = desk();
    const of = await recorded(team);
    const before = await rowsIn(of.store);
    const { fork: turned } = await blame(team, { ...of, fails: isWrong, live: true });
    expect(await rowsIn(of.store)).toEqual(before);
    if (turned === undefined) throw new Error('it was not found');
    const again = await replay(team, turned.runId, { store: turned.store });
    expect(again.result?.output).toBe('[Dear reader: It is 42.]');
    expect((await replay(team, 'r', { store: turned.store })).result?.output).toBe(
      '[Dear reader: It is 24.]',
    );
    const third = await fork(team, turned.runId, { store: turned.store, at: { seq: 1 } });
    expect((await third.result).output).toBe('[Dear reader: It is 42.]');
  });

  test('asks no model without `live`: another run of the store has another answer to an equal request', async () => {
    const asked = { clerk: counter(), writer: counter(), printer: counter() };
    const team = desk(asked);
    const of = await recorded(team);
    const alone = await blame(team, { ...of, fails: isWrong });
    expect(alone).toMatchObject({
      verdict: 'none',
      changes: [],
      turned: undefined,
      tried: { modelCalls: 0 },
    });
    expect(alone.untried).toContain("no other answer of 'clerk' is on record, and no model was asked");
    await team.run('The price?', { store: of.store, runId: 'other' });
    const before = asked.clerk.count + asked.writer.count + asked.printer.count;
    const found = await blame(team, { ...of, fails: isWrong, live: { budgetUsd: 0 } });
    expect(found.changes).toMatchObject([{ path: 'desk/clerk-1', origin: 'record' }]);
    expect(found.tried.modelCalls).toBe(0);
    expect(found.stopped).toBe('the budget of 0 US dollars is spent');
    const repair = ({ recorded: { text } }: { recorded: { text: string } }) => text.replace('24', '42');
    // What follows from the change would have to be asked, unless it is repaired as well.
    const repaired = await blame(team, { ...of, fails: isWrong, repair, limit: 0 });
    expect(repaired.changes).toMatchObject([{ path: 'desk/printer-3', origin: 'repair' }]);
    expect(asked.clerk.count + asked.writer.count + asked.printer.count).toBe(before);
  });
});

/** A clerk that looks a price up, and says it; its tool says something else from the second time on. */
const lookingUp = (safety: 'read' | 'write' | undefined, executed = counter()) => {
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks a price up.',
    input: z.object({ what: z.string() }),
    ...(safety === undefined ? {} : { safety }),
    execute: ({ what }) => {
      executed.count += 1;
      return `${what}: ${executed.count === 1 ? 24 : 42}`;
    },
  });
  const model: Model = {
    provider: 'acme',
    id: 'clerk-1',
    answer: (request) =>
      modelAnswer(
        request.messages.toArray().some(({ role }) => role === 'tool')
          ? { text: `It is ${lastOf(request)}.`, usage }
          : { calls: [{ id: 'c', name: 'look_up', input: { what: 'tea' } }], usage },
      ),
  };
  return agent({ name: 'clerk', model, tools: [lookUp] });
};

describe('a result of a tool', () => {
  test('is found by executing the tool again, if it is declared to only read, and that is allowed', async () => {
    const executed = counter();
    const clerk = lookingUp('read', executed);
    const of = await recorded(clerk);
    const without = await blame(clerk, { ...of, fails: isWrong, live: true });
    expect([without.verdict, executed.count]).toEqual(['none', 1]);
    expect(without.untried).toEqual([
      "no other result of 'look_up' is on record, and it was not executed: `live: { tools: 'read' }` does",
    ]);
    const found = await blame(clerk, { ...of, fails: isWrong, live: { tools: 'read' } });
    expect(found.changes).toMatchObject([
      {
        kind: 'result',
        tool: 'look_up',
        step: 0,
        recorded: { text: 'tea: 24' },
        changed: { text: 'tea: 42' },
        origin: 'tool',
      },
    ]);
    expect(found.followed).toMatchObject([{ kind: 'answer', step: 1, changed: { text: 'It is tea: 42.' } }]);
  });

  test.each(['write', undefined] as const)('is never executed again with safety %s', async (safety) => {
    const executed = counter();
    const clerk = lookingUp(safety, executed);
    const of = await recorded(clerk);
    const found = await blame(clerk, { ...of, fails: isWrong, live: { tools: 'read' } });
    expect([found.verdict, executed.count]).toEqual(['none', 1]);
    expect(found.untried).toEqual([
      "no other result of 'look_up' is on record, and it is not declared to only read",
    ]);
  });

  test('may be repaired, or be that of an equal call in another run', async () => {
    const clerk = lookingUp('write');
    const of = await recorded(clerk);
    const repaired = await blame(clerk, {
      ...of,
      fails: isWrong,
      live: true,
      repair: ({ kind, input, tool: name }) =>
        kind === 'result' && name === 'look_up' ? `${JSON.stringify(input)} is 42` : undefined,
    });
    expect(repaired.changes).toMatchObject([
      { kind: 'result', changed: { text: '{"what":"tea"} is 42' }, origin: 'repair' },
    ]);
    await clerk.run('The price?', { store: of.store, runId: 'other' });
    const found = await blame(clerk, { ...of, fails: isWrong });
    expect(found.changes).toMatchObject([{ kind: 'result', changed: { text: 'tea: 42' }, origin: 'record' }]);
    expect(found.tried.modelCalls).toBe(0);
  });
});

describe('blame of a team', () => {
  test('finds the smallest set, where one change is not enough', async () => {
    const wrongAtFirst = (name: string) =>
      agent({ name, model: modelOf(`${name}-1`, (_, n) => `${name}=${n === 1 ? 24 : 42}`) });
    const right = agent({ name: 'c', model: modelOf('c-1', (_, n) => `c=42, ${'!'.repeat(n)}`) });
    const team = parallel({
      name: 'crowd',
      members: { a: wrongAtFirst('a'), b: wrongAtFirst('b'), c: right },
      aggregator: agent({ name: 'reader', model: modelOf('reader-1', lastOf) }),
    });
    const of = await recorded(team);
    const fails = ({ output }: RunResult): boolean => JSON.stringify(output ?? '').includes('24');
    const found = await blame(team, { ...of, fails, live: true });
    expect(found.changes.map(({ agent: name }) => name)).toEqual(['a', 'b']);
    expect(found.turned).toMatchObject({ count: 3, of: 3 });
  });

  test('does not rest on luck: a later member that mends it seldom is not the one', async () => {
    const team = pipeline({
      name: 'desk',
      stages: [
        agent({ name: 'clerk', model: modelOf('clerk-1', (_, n) => (n === 1 ? '24' : '42')) }),
        // Asked again for the first time, it happens to say the right thing.
        agent({
          name: 'writer',
          model: modelOf('writer-1', (request, n) => (n === 2 ? '42' : `It is ${lastOf(request)}.`)),
        }),
      ],
    });
    const of = await recorded(team);
    const { changes, turned } = await blame(team, { ...of, fails: isWrong, live: true });
    expect(changes).toMatchObject([{ agent: 'clerk' }]);
    expect(turned).toMatchObject({ count: 3, of: 3 });
  });

  test('gives equal members that are asked the same their own answers back', async () => {
    const said = ['42', '24', '42'];
    const member = (name: string) =>
      agent({ name, model: modelOf('twin', () => said.shift() ?? '42'), instructions: 'Vote.' });
    const team = parallel({
      name: 'votes',
      members: { a: member('a'), b: member('b'), c: member('c') },
    });
    const of = await recorded(team);
    const fails = ({ output }: RunResult): boolean => JSON.stringify(output).includes('24');
    const { changes, turned } = await blame(team, { ...of, fails, live: true });
    expect(changes).toMatchObject([{ path: 'votes/b-2', recorded: { text: '24' } }]);
    expect(turned).toMatchObject({ count: 3, of: 3 });
  });

  test('looks into agents that a call runs', async () => {
    const sub = agent({ name: 'sub', model: modelOf('sub-1', (_, n) => `It is ${n === 1 ? 24 : 42}.`) });
    const lead = agent({
      name: 'lead',
      model: {
        provider: 'acme',
        id: 'lead-1',
        answer: (request) =>
          modelAnswer(
            request.messages.length === 1
              ? { calls: [{ id: 'c', name: 'delegate', input: { to: 'sub', task: 'The price?' } }], usage }
              : { text: `They say: ${lastOf(request)}`, usage },
          ),
      },
      tools: [delegate({ to: [sub] })],
    });
    const of = await recorded(lead);
    const found = await blame(lead, { ...of, fails: isWrong, live: true });
    expect(found.changes).toMatchObject([{ kind: 'answer', path: 'lead/sub-0', agent: 'sub' }]);
    expect(found.followed.map(({ kind, path }) => `${kind} of ${path}`)).toEqual([
      'result of lead',
      'answer of lead',
    ]);
  });

  test('leaves out who was dismissed before it had answered', async () => {
    let askTwice: () => void = () => undefined;
    const second = new Promise<void>((resolve) => {
      askTwice = resolve;
    });
    let asked = 0;
    const slow = agent({
      name: 'slow',
      critics: [{ name: 'strict', critique: () => ({ verdict: 'revise', note: 'Once more.' }) }],
      model: {
        provider: 'acme',
        id: 'slow-1',
        answer: (_, { signal }) => {
          asked += 1;
          if (asked === 1) return modelAnswer({ text: 'a draft', usage });
          askTwice();
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('withdrawn'));
            });
          });
        },
      },
    });
    let answered = 0;
    const quick: Model = {
      provider: 'acme',
      id: 'quick-1',
      answer: async () => {
        await second;
        answered += 1;
        return modelAnswer({ text: answered === 1 ? '24' : '42', usage });
      },
    };
    const members = { quick: agent({ name: 'quick', model: quick }), slow };
    const team = race({ name: 'race', members, hedgeAfterMs: 0 });
    const of = await recorded(team);
    const fails = ({ output }: RunResult): boolean => !JSON.stringify(output).includes('42');
    const found = await blame(team, { ...of, fails, live: true });
    expect(found.tried.points).toBe(1);
    expect(found.changes).toMatchObject([{ agent: 'quick' }]);
  });

  test('blames the message from outside, if that is repaired, and says what came before it', async () => {
    const running: { handle?: RunHandle<string, unknown> } = {};
    const wait = tool({
      name: 'wait',
      description: 'Waits for news.',
      input: z.object({}),
      safety: 'read',
      execute: () => {
        running.handle?.send('The price is 24.');
        return 'there is news';
      },
    });
    const clerk = agent({
      name: 'clerk',
      tools: [wait],
      model: {
        provider: 'acme',
        id: 'clerk-1',
        answer: (request) =>
          modelAnswer(
            request.messages.length === 1
              ? { calls: [{ id: 'c', name: 'wait', input: {} }], usage }
              : {
                  text: `Heard: ${request.messages
                    .toArray()
                    .map(({ text }) => text)
                    .join(' ')}`,
                  usage,
                },
          ),
      },
    });
    const store = memoryStore();
    running.handle = clerk.stream('The price?', { store, runId: 'r' });
    await running.handle.result;
    const found = await blame(clerk, {
      store,
      runId: 'r',
      fails: isWrong,
      live: true,
      repair: ({ kind }) => (kind === 'message' ? 'The price is 42.' : undefined),
    });
    expect(found.changes).toMatchObject([
      {
        kind: 'message',
        recorded: { text: 'The price is 24.' },
        changed: { text: 'The price is 42.' },
        origin: 'repair',
      },
    ]);
    expect(found.untried).toEqual([
      expect.stringMatching(/^\d points? before the last message from outside: it would be lost$/),
    ]);
  });

  test('asks a model again that fails in between', async () => {
    let asked = 0;
    const model: Model = {
      provider: 'acme',
      id: 'clerk-1',
      answer: () => {
        asked += 1;
        // From the second time on, each first attempt fails.
        if (asked % 2 === 0) throw new TroupeError('model.unavailable', 'busy', { retryable: 'yes' });
        return modelAnswer({ text: asked === 1 ? 'It is 24.' : 'It is 42.', usage });
      },
    };
    const clerk = agent({ name: 'clerk', model, failures: { retry: { initialWaitMs: 1 } } });
    const of = await recorded(clerk);
    const { changes, turned } = await blame(clerk, { ...of, fails: isWrong, live: true });
    expect(changes).toMatchObject([{ changed: { text: 'It is 42.' }, origin: 'model' }]);
    expect(turned).toMatchObject({ count: 3, of: 3 });
  });
});

describe('a fork', () => {
  test('asks again at a point whose answer had come at a second attempt', async () => {
    let asked = 0;
    const model: Model = {
      provider: 'acme',
      id: 'clerk-1',
      answer: () => {
        asked += 1;
        if (asked === 1) throw new TroupeError('model.unavailable', 'busy', { retryable: 'yes' });
        return modelAnswer({ text: asked === 2 ? 'It is 24.' : 'It is 42.', usage });
      },
    };
    const writer = agent({ name: 'writer', model: modelOf('writer-1', lastOf) });
    const clerk = agent({ name: 'clerk', model, failures: { retry: { initialWaitMs: 1 } } });
    const team = pipeline({ name: 'desk', stages: [clerk, writer] });
    const of = await recorded(team);
    const { changes, turned } = await blame(team, { ...of, fails: isWrong, live: true });
    expect(changes).toMatchObject([{ path: 'desk/clerk-1', step: 0, recorded: { text: 'It is 24.' } }]);
    expect(turned).toMatchObject({ count: 3, of: 3 });
  });

  test('starts at the time of the run: what is limited in time is not over', async () => {
    const clock = virtualClock();
    const clerk = agent({
      name: 'clerk',
      limits: { budget: { timeMs: 60_000 } },
      model: modelOf('clerk-1', (_, n) => (n === 1 ? '24' : '42')),
    });
    const store = memoryStore();
    await clerk.run('The price?', { store, runId: 'r', clock });
    const found = await blame(clerk, { store, runId: 'r', fails: isWrong, live: true });
    expect(found).toMatchObject({ verdict: 'found', untried: [], turned: { count: 3, of: 3 } });
  });

  test('may turn a run that had not come to its end', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      safety: 'read',
      execute: () => 'nothing',
    });
    const clerk = agent({
      name: 'clerk',
      tools: [look],
      limits: { budget: { steps: 2 } },
      model: scriptedModel([
        calls({ name: 'look', input: {} }),
        calls({ name: 'look', input: {} }),
        ...Array.from({ length: 9 }, () => 'It is 42.'),
      ]),
    });
    const of = await recorded(clerk);
    const fails = ({ status }: RunResult): boolean => status !== 'completed';
    const found = await blame(clerk, { ...of, fails, live: true });
    expect(found.changes).toMatchObject([
      { step: 1, recorded: { calls: [{ name: 'look' }] }, changed: { text: 'It is 42.', calls: [] } },
    ]);
    expect(found.output).toEqual({ recorded: null, changed: 'It is 42.' });
  });
});

describe('blame refuses', () => {
  const options = async (more: object) => ({
    ...(await recorded(desk())),
    fails: isWrong,
    live: true,
    ...more,
  });

  test.each<[string, object, string]>([
    ['a run that is not there', { runId: 'nobody' }, "Cannot blame run 'nobody' as it is not in memory"],
    ['a run that does not fail', { fails: () => false }, '`fails` says that it does not fail'],
    [
      'a check that throws',
      {
        fails: () => {
          throw new Error('oh');
        },
      },
      "Cannot judge run 'r' as `fails` threw: oh",
    ],
    ['a check that says neither', { fails: () => 'yes' }, '`fails` returned neither true nor false'],
    ['a repair that is none', { repair: () => 7 }, '`repair` returned what is none'],
    ['a repair without a name', { repair: () => ({ calls: [{}] }) }, '`repair` returned what is none'],
    [
      'a repair that says nothing',
      { repair: () => ({ text: ' ' }) },
      'it would say nothing and call nothing',
    ],
    ['no sample', { samples: 0 }, 'samples'],
    ['an option that is none', { sample: 2 }, 'did you mean `samples`?'],
  ])('%s', async (_, more, why) => {
    await expect(blame(desk(), (await options(more)) as never)).rejects.toThrow(why);
  });

  test('a run that has not ended, and says what to do', async () => {
    const store = memoryStore();
    const clerk = agent({
      name: 'clerk',
      model: { provider: 'acme', id: 'x', answer: () => new Promise(() => undefined) },
    });
    const handle = clerk.stream('The price?', { store, runId: 'r' });
    await new Promise<void>((asked) => {
      handle.events$.subscribe(({ type }) => {
        if (type === 'model.asked') asked();
      });
    });
    await expect(blame(clerk, { store, runId: 'r', fails: isWrong })).rejects.toThrow(
      "Cannot blame run 'r' as it has not ended (running): resume it first",
    );
    handle.abort('enough');
    await handle.result;
  });

  test('an agent that does something else by now, and one with memories', async () => {
    const of = await recorded(desk());
    const other = pipeline({ name: 'desk', stages: [agent({ name: 'other', model: scriptedModel(['x']) })] });
    await expect(blame(other, { ...of, fails: isWrong })).rejects.toMatchObject({ code: 'journal.diverged' });
    const remembering = agent({
      name: 'clerk',
      model: scriptedModel(['24', calls({ name: 'none', input: {} })]),
      memory: [keyValueMemory()],
    });
    const kept = await recorded(remembering);
    await expect(blame(remembering, { ...kept, fails: isWrong })).rejects.toThrow(
      "'clerk' has memories, which its forks would write to",
    );
  });

  test('to go on once it is cancelled', async () => {
    const of = await recorded(desk());
    const found = await blame(desk(), { ...of, fails: isWrong, live: true, signal: AbortSignal.abort() });
    expect(found).toMatchObject({ verdict: 'none', stopped: 'it was cancelled', tried: { forks: 0 } });
  });
});
