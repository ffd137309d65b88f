import type { AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/decision.ts';
import { tool } from '../../src/tools/define-tool.ts';
import type { Agent } from '../../src/contracts/agent.ts';
import type { RunHandle, RunOptions, RunResult } from '../../src/contracts/run.ts';
import { pipelineMachine } from '../../src/coordination/pipeline.ts';
import { supervisorWorkerMachine } from '../../src/coordination/supervisor-worker.ts';
import { chartOf, statesWithin } from '../../src/machines/chart.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';
import { agent } from '../../src/runtime/agent.ts';
import { drivenHost } from '../../src/runtime/driven-host.ts';
import { pipeline, supervisorWorker } from '../../src/runtime/patterns/index.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { interpreters, never, ofType, quiet, settled, start } from '../support/runs.ts';

type Member = Agent<string, string>;

/** Says the same, as often as it is asked; a turn of the event loop later, so that members work side by side. */
const parrot = (
  name: string,
  reply: ScriptedReply,
  hooks: Parameters<typeof agent>[0]['hooks'] = [],
): Member =>
  agent({
    name,
    hooks,
    model: scriptedModel(Array.from({ length: 50 }, () => async () => (await quiet(), reply))),
  });

const plan = (
  assignments: readonly (readonly [worker: string, task: string])[],
  answer: string | null = null,
): string => JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer });

const planner = (members: Readonly<Record<string, Member>>) =>
  plan(Object.keys(members).map((name) => [name, `for ${name}`]));

/** A pattern, as the contract tests it: a team of these members, every one of whom gets work. */
interface Pattern {
  readonly name: string;
  readonly chart: () => AnyStateMachine;
  readonly make: (
    members: Readonly<Record<string, Member>>,
    name?: string,
  ) => Agent<string, unknown, unknown>;
  /** Members work side by side; one that fails leaves the others to finish. */
  readonly isParallel: boolean;
  /** What a run of `ann` and `bob` gives. */
  readonly output: unknown;
  /** A run that would go on for ever, and the reason for which it does not. */
  readonly endless?: { readonly make: () => Agent<string, unknown, unknown>; readonly stopReason: object };
}

const reply = (worker: string) => ({
  worker,
  task: `for ${worker}`,
  status: 'completed',
  output: worker,
  error: null,
});

const patterns: readonly Pattern[] = [
  {
    name: 'supervisorWorker, whose supervisor answers',
    chart: supervisorWorkerMachine,
    make: (workers, name = 'desk') =>
      supervisorWorker({
        name,
        workers,
        supervisor: { model: scriptedModel([planner(workers), plan([], 'all done')]) },
      }),
    isParallel: true,
    output: 'all done',
    endless: {
      make: () =>
        supervisorWorker({
          name: 'desk',
          workers: { ann: parrot('ann', 'more') },
          maxRounds: 4,
          supervisor: { model: scriptedModel(Array.from({ length: 10 }, () => plan([['ann', 'again']]))) },
        }),
      stopReason: { kind: 'maxRounds', limit: 4 },
    },
  },
  {
    name: 'supervisorWorker, whose replies are the result',
    chart: supervisorWorkerMachine,
    make: (workers, name = 'desk') =>
      supervisorWorker({
        name,
        workers,
        result: 'replies',
        supervisor: { model: scriptedModel([planner(workers)]) },
      }),
    isParallel: true,
    output: [reply('ann'), reply('bob')],
  },
  {
    name: 'pipeline',
    chart: pipelineMachine,
    make: (members, name = 'line') => {
      const [first, ...others] = Object.values(members);
      if (first === undefined) throw new Error('a pipeline needs a stage');
      const [last = first] = others.slice(-1);
      return others.length === 0
        ? pipeline({ name, stages: [first] })
        : pipeline({ name, stages: [first, ...others.slice(0, -1), last] });
    },
    isParallel: false,
    output: 'bob',
  },
];

const two = () => ({ ann: parrot('ann', 'ann'), bob: parrot('bob', 'bob') });

describe.each(patterns)('$name', ({ chart, make, isParallel, output, endless }) => {
  test('its machine keeps the rules of the house, and its diagram shows every state', () => {
    expect(checkMachine(chart())).toEqual([]);
    const diagram = make(two()).diagram();
    for (const state of statesWithin(chartOf(chart()))) expect(diagram).toContain(state.key);
  });

  describe.each(interpreters)('$name', ({ host }) => {
    const begin = (
      team: Agent<string, unknown, unknown>,
      options: RunOptions = {},
    ): RunHandle<unknown, unknown> => start(team, 'go', options, host?.());

    test('it finishes, and every member that was engaged has ended before it', async () => {
      const result = await settled(begin(make(two())));
      expect(result).toMatchObject({ status: 'completed', stopReason: { kind: 'answered' }, output });
      expectWhole(result);
    });

    test('[P1] a member that fails hurts nobody beside it', async () => {
      const bob = parrot('bob', 'bob');
      const members = isParallel
        ? { ann: parrot('ann', new Error('dead')), bob }
        : { ann: parrot('ann', 'ann'), bob: parrot('bob', new Error('dead')) };
      const result = await settled(begin(make(members)));
      expectWhole(result);
      const ends = Object.fromEntries(
        ofType(result.events, 'member.ended').map(({ member, status }) => [member, status]),
      );
      expect(ends).toMatchObject(
        isParallel ? { ann: 'failed', bob: 'completed' } : { ann: 'completed', bob: 'failed' },
      );
      // Side by side its failure is a reply among others; in a row nothing can follow it.
      expect(result.status).toBe(isParallel ? 'completed' : 'failed');
    });

    test('[P8] aborted while a member never answers, it ends at once, and all members with it', async () => {
      const members = {
        ann: agent({ name: 'ann', model: scriptedModel([() => never<string>()]) }),
        bob: parrot('bob', 'bob'),
      };
      const handle = begin(make(members));
      await quiet();
      handle.abort('enough');
      const result = await settled(handle);
      expect(result.stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
      expectWhole(result);
    });

    test('it nests: a team of its kind is a member of one', async () => {
      const inner = make(two(), 'inner') as Member;
      const result = await settled(begin(make({ inner, carl: parrot('carl', 'carl') })));
      expect(result.status).toBe('completed');
      const paths = ofType(result.events, 'member.engaged').map(({ path }) => path);
      expect(paths.some((path) => /\/inner-\d+\/ann-\d+$/.test(path))).toBe(true);
      expect(new Set(paths).size).toBe(paths.length);
      expectWhole(result);
    });

    test('[QITOS-53] the hooks of a member see that member and nobody else', async () => {
      const seen: Record<string, Set<string>> = { ann: new Set(), inner: new Set() };
      const witness = (name: string) => ({
        name,
        handle: ({ path }: { path: string }) => void seen[name]?.add(path),
      });
      const ann = parrot('ann', 'ann', [witness('ann')]);
      const inner = make({ ann, bob: parrot('bob', 'bob') }, 'inner');
      const result = await settled(begin(make({ inner: inner as Member, carl: parrot('carl', 'carl') })));
      const annPath = ofType(result.events, 'member.engaged').find(({ member }) => member === 'ann')?.path;
      expect([...(seen['ann'] ?? [])]).toEqual([annPath]);
    });

    /** Looks and looks, a step each time, until something stops it. */
    const seeker = (name: string): Member => {
      const look = tool({
        name: 'look',
        description: 'Looks.',
        input: z.object({}),
        execute: () => 'nothing',
      });
      return agent({ name, tools: [look], loops: false, decide: () => act({ name: 'look', input: {} }) });
    };

    test.each([
      { whose: 'its own', path: (team: string) => team, make: (team: Member): Member => team },
      {
        whose: 'one above it',
        path: () => 'outer',
        make: (team: Member): Member => pipeline({ name: 'outer', stages: [team] }),
      },
    ])('a budget that stops a member stops the team, too: $whose', async ({ path, make: within }) => {
      const team = make({ ann: seeker('ann'), bob: seeker('bob') }) as Member;
      const result = await settled(begin(within(team), { budget: { steps: 5 } }));
      const reason = { kind: 'budget', budget: 'steps', limit: 5, used: 5, path: path(team.name) };
      expect(result).toMatchObject({ status: 'stopped', stopReason: reason });
      expectWhole(result);
    });

    test('messages and stray answers do not disturb it', async () => {
      const handle = begin(make(two()));
      await quiet();
      expect(handle.send('hurry')).toBe(true);
      expect(await settled(handle)).toMatchObject({ status: 'completed', output });
    });

    if (endless !== undefined)
      test('[P10] it is bounded: one that would go on for ever stops, with what it has', async () => {
        const result = await settled(begin(endless.make()));
        expect(result).toMatchObject({ status: 'stopped', stopReason: endless.stopReason });
        expect(result.candidate).toHaveLength(4);
        expectWhole(result);
      });
  });

  test('live and driven mean the same', async () => {
    const run = (host?: ReturnType<typeof drivenHost>) =>
      settled(start(make(two()), 'go', { runId: 'r' }, host));
    expect(compareRuns(await run(), await run(drivenHost()))).toEqual([]);
  });
});

/** Everybody who was engaged has ended, before the team; the team's end is the last event. */
const expectWhole = ({ events, status }: RunResult<unknown, unknown>): void => {
  const engaged = ofType(events, 'member.engaged').map(({ path }) => path);
  const ended = ofType(events, 'member.ended').map(({ path }) => path);
  expect(ended.toSorted()).toEqual(engaged.toSorted());
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status });
};

describe('who does what is the supervisor’s to say, however many', () => {
  const desk = (script: readonly ScriptedReply[], options: object = {}) => {
    const supervisor = scriptedModel(script);
    const peak = { now: 0, most: 0 };
    const worker = (name: string): Member =>
      agent({
        name,
        description: `Knows ${name}.`,
        decide: async ({ input }) => {
          peak.now += 1;
          peak.most = Math.max(peak.most, peak.now);
          await quiet();
          peak.now -= 1;
          return { kind: 'answer', answer: `${name} did ${JSON.stringify(input)}` };
        },
      });
    const workers = { ann: worker('ann'), bob: worker('bob') };
    return {
      supervisor,
      peak,
      team: supervisorWorker({ name: 'desk', supervisor: { model: supervisor }, workers, ...options }),
    };
  };
  const numbered = (count: number) =>
    plan(Array.from({ length: count }, (_, index) => [index % 2 === 0 ? 'ann' : 'bob', `task ${index}`]));

  test('an answer at once: no worker is engaged', async () => {
    const { team } = desk([plan([], 'I know that')]);
    const result = await settled(start(team, 'go'));
    expect(result.output).toBe('I know that');
    expect(ofType(result.events, 'team.planned')).toEqual([]);
  });

  test('nothing assigned and no answer: it stops and says so', async () => {
    const { team } = desk([plan([])]);
    expect(await settled(start(team, 'go'))).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'assignments' },
    });
  });

  test.each([1, 2, 7])(
    '%i assignments: every one is done once, at most so many at a time, replies in order',
    async (count) => {
      const { supervisor, team, peak } = desk([numbered(count), plan([], 'done')], { concurrency: 3 });
      const result = await settled(start(team, 'go'));
      expect(result.output).toBe('done');
      expect(peak.most).toBe(Math.min(count, 3));
      expect(ofType(result.events, 'team.planned').map(({ assignments }) => assignments.length)).toEqual([
        count,
      ]);
      const told = supervisor.requests[1]?.messages[0]?.text ?? '';
      const order = [...told.matchAll(/did "task (\d+)"/g)].map(([, index]) => Number(index));
      expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
    },
  );

  test('the supervisor is told who there is, and what they are good for', async () => {
    const { supervisor, team } = desk([plan([], 'x')]);
    await settled(start(team, 'How do tides work?'));
    const text = supervisor.requests[0]?.messages[0]?.text;
    expect(text).toContain('Request: How do tides work?');
    expect(text).toContain('- ann: Knows ann.');
  });

  test('an unknown worker is pointed out once, with the names that there are', async () => {
    const { supervisor, team } = desk([plan([['nobody', 'x']]), numbered(1), plan([], 'done')]);
    const result = await settled(start(team, 'go'));
    expect(result.output).toBe('done');
    expect(supervisor.requests[1]?.messages[0]?.text).toContain(
      "no worker called 'nobody'. The workers are: ann, bob.",
    );
  });

  test('one that is named again is a lost reply; the others do their part', async () => {
    const mixed = plan([
      ['nobody', 'x'],
      ['ann', 'task 1'],
    ]);
    const { supervisor, team } = desk([mixed, mixed, plan([], 'done')]);
    expect((await settled(start(team, 'go'))).output).toBe('done');
    const text = supervisor.requests[2]?.messages[0]?.text;
    expect(text).toContain("(failed: there is no worker 'nobody')");
    expect(text).toContain('ann did');
  });

  test('a plan that is too long is cut, and the supervisor is told', async () => {
    const { supervisor, team } = desk([numbered(5), plan([], 'done')], { maxAssignments: 3 });
    const result = await settled(start(team, 'go'));
    expect(
      ofType(result.events, 'member.engaged').filter(({ path }) => !path.startsWith('desk/supervisor-')),
    ).toHaveLength(3);
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('Only the first 3 of 5 assignments');
  });

  test('a message to the team is put to the supervisor with its next question', async () => {
    const { supervisor, team } = desk([numbered(1), plan([], 'done')]);
    const handle = start(team, 'go');
    await quiet();
    handle.send('and be brief');
    await settled(handle);
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('Message from person: and be brief');
  });

  test('past its rounds it asks once more, for the answer', async () => {
    const { supervisor, team } = desk([numbered(1), plan([], 'in the end')], { maxRounds: 1 });
    expect((await settled(start(team, 'go'))).output).toBe('in the end');
    expect(supervisor.requests[1]?.messages[0]?.text).toContain('There are no more rounds');
  });

  describe.each(interpreters)('$name', ({ host }) => {
    test('once its budget has stopped a worker, nobody starts any more; who is at work finishes', async () => {
      const team = supervisorWorker({
        name: 'desk',
        supervisor: { model: scriptedModel([numbered(5)]) },
        workers: {
          ann: agent({ name: 'ann', decide: () => answer('seen') }),
          bob: agent({ name: 'bob', decide: async () => (await quiet(), answer('heard')) }),
        },
        result: 'replies',
        concurrency: 2,
        budget: { steps: 3 },
      });
      const result = await settled(start(team, 'go', {}, host?.()));
      expect(result.stopReason).toMatchObject({ kind: 'budget', path: 'desk' });
      expect(result.candidate).toMatchObject([
        { worker: 'ann', status: 'completed' },
        { worker: 'bob', status: 'completed', output: 'heard' },
        { worker: 'ann', status: 'stopped', error: 'budget' },
        { worker: 'bob', task: 'task 3', status: 'stopped', error: 'it was never begun' },
        { worker: 'ann', task: 'task 4', status: 'stopped', error: 'it was never begun' },
      ]);
    });

    test('a worker’s own budget is its own affair: it is a reply like any other', async () => {
      const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => '' });
      const decide = () => act({ name: 'look', input: {} });
      const ann = agent({ name: 'ann', tools: [look], decide, budget: { steps: 2 } });
      const team = supervisorWorker({
        name: 'desk',
        supervisor: { model: scriptedModel([plan([['ann', 'x']]), plan([], 'done')]) },
        workers: { ann },
        budget: { steps: 50 },
      });
      expect((await settled(start(team, 'go', {}, host?.()))).output).toBe('done');
    });
  });

  test('a supervisor that fails is the end of the team, with its error', async () => {
    const { team } = desk([new Error('dead')]);
    await expect(team.run('go')).rejects.toMatchObject({ code: 'model.failed', path: 'desk/supervisor-1' });
  });
});

test('[QITOS-53] the hooks of a team within a team see that team and its members; a child run by a tool has its own', async () => {
  const seen = { inner: new Set<string>(), child: new Set<string>() };
  const witness = (who: keyof typeof seen) => ({
    name: who,
    handle: ({ path }: { readonly path: string }) => void seen[who].add(path),
  });
  const child = agent({ name: 'child', hooks: [witness('child')], decide: () => answer('x') });
  const delegate = tool({
    name: 'delegate',
    description: 'Delegates.',
    input: z.object({}),
    execute: async (_, context) => (await context.run(child, 'go')).output ?? '',
  });
  const ann = agent({
    name: 'ann',
    tools: [delegate],
    model: scriptedModel([calls({ name: 'delegate', input: {} }), 'done']),
  });
  const inner = pipeline({ name: 'inner', stages: [ann], hooks: [witness('inner')] });
  const outer = pipeline({ name: 'outer', stages: [inner, parrot('carl', 'carl')] });
  await settled(start(outer, 'go'));
  expect([...seen.inner]).toEqual(['outer/inner-1', 'outer/inner-1/ann-1', 'outer/inner-1/ann-1/child-0']);
  expect([...seen.child]).toEqual(['outer/inner-1/ann-1/child-0']);
});

describe('stages in a row', () => {
  test('each works on what the one before left, through its map, if it has one', async () => {
    const seen: unknown[] = [];
    const stage = (name: string) =>
      agent({
        name,
        decide: ({ input }) => {
          seen.push(input);
          return { kind: 'answer', answer: `${name}(${JSON.stringify(input)})` };
        },
      });
    const line = pipeline({
      name: 'line',
      stages: [
        stage('a'),
        {
          agent: stage('b'),
          map: (previous, first) => `${JSON.stringify(first)}+${JSON.stringify(previous)}`,
        },
        stage('a2'),
        stage('a'),
      ],
    });
    const { output } = await line.run('x');
    expect(seen[0]).toBe('x');
    expect(seen[1]).toBe('"x"+"a(\\"x\\")"');
    expect(seen[2]).toBe(`b(${JSON.stringify(seen[1])})`);
    expect(seen[3]).toBe(`a2(${JSON.stringify(seen[2])})`);
    expect(output).toBe(`a(${JSON.stringify(seen[3])})`);
  });

  test('a map that throws is the end, and the stage does not start', async () => {
    const line = pipeline({
      name: 'line',
      stages: [
        parrot('a', 'a'),
        {
          agent: parrot('b', 'b'),
          map: () => {
            throw new Error('lost');
          },
        },
        parrot('c', 'c'),
      ],
    });
    const result = await settled(start(line, 'go'));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(ofType(result.events, 'member.engaged').map(({ member }) => member)).toEqual(['a']);
  });

  test('a stage that stops ends the line, with what it had as the candidate', async () => {
    const picky = agent({
      name: 'picky',
      model: scriptedModel(['1', '2', '3']),
      critics: [{ name: 'no', critique: () => ({ verdict: 'revise', note: 'no' }) }],
    });
    const result = await settled(start(pipeline({ name: 'line', stages: [picky, parrot('b', 'b')] }), 'go'));
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'rejected' }, candidate: '3' });
  });
});
