import { describe, expect, test } from 'vitest';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { EarlierTurn } from '../../src/contracts/conversations/thread.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { JobQueue } from '../../src/runtime/run/job-queue.ts';
import { createPacer } from '../../src/runtime/run/pacer.ts';
import type { Actor, Job } from '../../src/runtime/actors/actor.ts';
import { team } from '../../src/runtime/define/team.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { hang, never, ofType, settled, start, typesOf } from '../support/runs.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';

describe('the pacer', () => {
  /** A pacer whose clock moves on by `costMs` with every piece of work; what was done between two turns of the loop. */
  const turnsOf = async (pieces: number, costMs: number): Promise<readonly number[]> => {
    let now = 0;
    const pacer = createPacer(() => now);
    const turns: number[] = [];
    let done = 0;
    let inThisTurn = 0;
    const turn = (): void => {
      turns.push(inThisTurn);
      inThisTurn = 0;
      if (done < pieces) setImmediate(turn);
    };
    setImmediate(turn);
    const work = (): void => {
      now += costMs;
      done += 1;
      inThisTurn += 1;
      // Hot: each piece brings the next.
      if (done < pieces) pacer.schedule(work);
    };
    pacer.schedule(work);
    while (done < pieces) await new Promise((resolve) => setImmediate(resolve));
    return turns;
  };

  test('[P20] hot work is cut up, so that timers and sockets have their turn', async () => {
    const turns = await turnsOf(1_000, 1);
    // 8 ms a turn; it looks at the clock every 4 pieces.
    expect(Math.max(...turns)).toBeLessThanOrEqual(12);
    expect(turns.length).toBeGreaterThan(50);
  });

  test('work that costs nothing is done in one go', async () => {
    expect((await turnsOf(1_000, 0)).filter((done) => done > 0)).toEqual([1_000]);
  });

  test('what is scheduled is done in the order in which it came, across turns', async () => {
    let now = 0;
    const pacer = createPacer(() => now);
    const order: number[] = [];
    for (let piece = 0; piece < 200; piece += 1)
      pacer.schedule(() => {
        now += 1;
        order.push(piece);
      });
    while (order.length < 200) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  test('what is under way goes on before anything else begins, also by way of promises', async () => {
    const pacer = createPacer();
    const order: string[] = [];
    for (const name of ['a', 'b'])
      pacer.begin(() => {
        order.push(name);
        void Promise.resolve().then(() => {
          for (const part of [1, 2])
            pacer.schedule(() => {
              order.push(`${name}${part}`);
            });
        });
      });
    while (order.length < 6) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['a', 'a1', 'a2', 'b', 'b1', 'b2']);
  });

  test('what never pauses keeps nothing from beginning, in the order of the calls', async () => {
    const pacer = createPacer(() => 0);
    const begunAfter: number[] = [];
    let pieces = 0;
    const hot = (): void => {
      pieces += 1;
      if (begunAfter.length < 3) pacer.schedule(hot);
    };
    pacer.schedule(hot);
    for (let count = 0; count < 3; count += 1) pacer.begin(() => begunAfter.push(pieces));
    while (begunAfter.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(begunAfter).toEqual([31, 62, 93]);
  });

  test('a run does a few jobs in a row, and then it is the next one’s turn', async () => {
    const pacer = createPacer();
    const order: string[] = [];
    const actor = {} as Actor;
    const done = ['a', 'b'].map(
      (name) =>
        new Promise<void>((resolve) => {
          const attempt = (): void => {
            if (order.push(name) >= 32) resolve();
          };
          const queue = new JobQueue(pacer, { attempt });
          for (let count = 0; count < 16; count += 1) queue.push({ kind: 'dismiss', actor });
        }),
    );
    await Promise.race(done);
    expect(order.join('')).toBe(`${'a'.repeat(8)}${'b'.repeat(8)}`.repeat(2));
  });

  test('a run’s own queue goes on after a job that throws', () => {
    const scheduled: (() => void)[] = [];
    const done: unknown[] = [];
    const attempt = (job: Job): void => {
      if (job.kind !== 'over') return;
      done.push(job.output);
      if (job.output === 0) throw new Error('broke');
    };
    const queue = new JobQueue({ schedule: (work) => void scheduled.push(work) }, { attempt });
    const actor = {} as Actor;
    for (const output of [0, 1]) queue.push({ kind: 'over', actor, output });
    expect(() => scheduled.shift()?.()).toThrow('broke');
    scheduled.shift()?.();
    expect(done).toEqual([0, 1]);
    expect(scheduled).toEqual([]);
  });

  test('a run’s own queue keeps the order, and does not keep what is done', () => {
    const order: number[] = [];
    const scheduled: (() => void)[] = [];
    const attempt = (job: Job): void => {
      if (job.kind !== 'over' || typeof job.output !== 'number') return;
      order.push(job.output);
      // Three are always under way, so that it never runs dry before the end.
      if (job.output + 3 < 10_000) queue.push({ ...job, output: job.output + 3 });
    };
    const queue = new JobQueue({ schedule: (work) => void scheduled.push(work) }, { attempt });
    // Nobody is told of anything here, so nobody has to be there.
    const actor = {} as Actor;
    for (const output of [0, 1, 2]) queue.push({ kind: 'over', actor, output });
    for (let next = scheduled.shift(); next !== undefined; next = scheduled.shift()) next();
    expect(order).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
  });

  test('a piece that throws holds nobody up', async () => {
    const pacer = createPacer();
    const done: string[] = [];
    const thrown: unknown[] = [];
    const note = (error: unknown): void => void thrown.push(error);
    process.once('uncaughtException', note);
    pacer.schedule(() => {
      throw new Error('broken');
    });
    pacer.schedule(() => done.push('next'));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', note);
    expect(done).toEqual(['next']);
    expect(thrown).toHaveLength(1);
  });
});

test('[P20] an agent in a hot loop, with a model that answers at once, starves no timer', async () => {
  const hot = agent({
    name: 'hot',
    model: scriptedModel([]),
    stop: maxSteps(1_000_000),
    decide: () => wait('nothing', 0),
  });
  const handle = start(hot, 'go');
  let beats = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      beats += 1;
      if (beats < 5) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  handle.abort('enough');
  const { status, events } = await settled(handle);
  expect(status).toBe('aborted');
  expect(ofType(events, 'step.ended').length).toBeGreaterThan(4);
});

test('[P8] a thousand agents in the middle of everything end at once, each once, when they are aborted', async () => {
  const clock = virtualClock();
  const controller = new AbortController();
  const kinds = [
    () => agent({ name: 'waiting', decide: () => wait('a word') }),
    () => agent({ name: 'napping', decide: () => wait('a while', 60_000) }),
    () => agent({ name: 'asking', model: scriptedModel([() => never<string>()]) }),
    () =>
      agent({ name: 'acting', tools: [hang], model: scriptedModel([calls({ name: 'hang', input: {} })]) }),
  ];
  const handles = Array.from({ length: 1_000 }, (_, index) =>
    start(kinds[index % kinds.length]?.() ?? agent({ name: 'x' }), 'go', {
      clock,
      signal: controller.signal,
    }),
  );
  await clock.advance(1_000);
  const order: number[] = [];
  handles.forEach((handle, index) => {
    handle.result.then(
      () => order.push(index),
      () => undefined,
    );
  });
  controller.abort('enough');
  const results = await Promise.all(handles.map((handle) => settled(handle)));
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 1_000 }, () => 'aborted'));
  for (const { events } of results)
    expect(typesOf(events).filter((type) => type === 'run.ended')).toHaveLength(1);
  expect(order).toHaveLength(1_000);
  expect(clock.pending).toBe(0);
});

test('[P1] a supervisor with a thousand children run by its tools: every end is told, once', async () => {
  const child = agent({
    name: 'child',
    decide: ({ input }) => answer(Number(input) % 10 === 0 ? 'ten' : 'x'),
  });
  const fan = tool({
    name: 'fan',
    description: 'Runs a thousand.',
    input: z.object({}),
    execute: async (_, context) => {
      const runs = Array.from({ length: 1_000 }, (__, index) => context.run(child, String(index)));
      return (await Promise.all(runs)).filter(({ output }) => output === 'ten').length;
    },
  });
  const model = scriptedModel([calls({ name: 'fan', input: {} }), 'done']);
  const { events, records } = await settled(
    start(agent({ name: 'a', tools: [fan], model }), 'go', { limits: { maxAgents: 1_001 } }),
  );
  expect(records[0]?.results).toMatchObject([{ ok: true, value: 100 }]);
  expect(ofType(events, 'member.ended')).toHaveLength(1_000);
  expect(new Set(ofType(events, 'member.engaged').map(({ path }) => path)).size).toBe(1_000);
});

test('a thousand runs whose model answers at once are not all under way at once, and begin in the order of the calls', async () => {
  let underWay = 0;
  let most = 0;
  const begun: string[] = [];
  const model: Model = {
    provider: 'test',
    id: 'quick',
    isLanguageModel: false,
    answer: async ({ messages }) => {
      await Promise.resolve();
      if (messages.length === 1) {
        begun.push(messages.at(-1)?.text ?? '');
        most = Math.max(most, (underWay += 1));
      }
      if (messages.length < 7) return modelAnswer({ calls: [{ id: 'c', name: 'look', input: {} }] });
      underWay -= 1;
      return modelAnswer({ text: 'done' });
    },
  };
  const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' });
  const quick = agent({ name: 'quick', model, tools: [look] });
  const inputs = Array.from({ length: 1_000 }, (_, index) => String(index));
  await Promise.all(inputs.map((input) => quick.run(input)));
  expect(begun).toEqual(inputs);
  expect(most).toBeLessThan(50);
});

test('a run that waits for its turn keeps the input and the options of the call', async () => {
  const seen: unknown[] = [];
  const reader = agent({
    name: 'reader',
    input: z.object({ topic: z.string() }),
    decide: ({ input, transcript }) => {
      seen.push(input, transcript.length);
      return answer('done');
    },
  });
  const input = { topic: 'bees' };
  const history: EarlierTurn[] = [{ role: 'user', from: 'person', text: 'earlier' }];
  const options = { history, runId: 'r1' };
  const run = reader.run(input, options);
  input.topic = 'wasps';
  history.push({ role: 'user', from: 'person', text: 'later' });
  options.runId = 'r2';
  expect((await run).events[0]).toMatchObject({ runId: 'r1', input: { topic: 'bees' } });
  expect(seen).toEqual([{ topic: 'bees' }, 2]);
});

test('[FIND-42] what the runtime throws without a code says what it was, and what to do', async () => {
  const { machine, input } = await import('./careless-machine.ts');
  const { put } = await import('../../src/machines/in-force.ts');
  const broken = machine.provide({
    actions: {
      engageTwice: () => {
        put({ type: 'engage', engagements: [JSON.parse('null')] });
      },
    },
  });
  const careless = team<string, string>({
    name: 'careless',
    machine: broken,
    members: { ann: agent({ name: 'ann', decide: () => wait('a word') }) },
    options: input,
  });
  const { error } = await settled(start(careless, 'go'));
  expect(error).toMatchObject({ code: 'internal', cause: { name: 'TypeError' } });
  expect(error?.message).toMatch(
    /^Cannot continue the run as troupe threw, .*report it with its cause.*: .*null/,
  );
});

test('what the runtime itself throws ends the run with an error, and the process goes on', async () => {
  const { machine, input } = await import('./careless-machine.ts');
  const careless = team<string, string>({
    name: 'careless',
    machine,
    members: { ann: agent({ name: 'ann', decide: () => wait('a word') }) },
    options: input,
  });
  const result = await settled(start(careless, 'go'));
  expect(result).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  expect(result.error?.message).toContain("'careless/ann' as the address was used before");
  expect(ofType(result.events, 'member.ended')).toMatchObject([{ path: 'careless/ann', status: 'aborted' }]);
});
