import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { createDisposableEngine, replay } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { team } from '../../src/runtime/define/team.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { goOn } from '../support/stored-runs.ts';
import { ofType, settled, start } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';

const spawning = (name: string, who: () => Agent<string, unknown>, times: number) =>
  tool({
    name,
    description: 'Has others do it.',
    input: z.object({}),
    timeoutMs: Infinity,
    retry: false,
    execute: async (_, { run }) => {
      const all = await Promise.allSettled(Array.from({ length: times }, () => run(who(), 'go')));
      return all.filter(({ status }) => status === 'fulfilled').length;
    },
  });

/** Runs itself ten times. */
const bomb = (times = 10, options: Partial<Parameters<typeof agent>[0]> = {}): Agent<string, unknown> => {
  const self: Agent<string, unknown> = agent({
    name: 'bomb',
    tools: [spawning('spawn', () => self, times)],
    decide: ({ step, results }) =>
      step === 0 ? act({ name: 'spawn', input: {} }) : answer(results[0]?.text ?? ''),
    limits: options.limits,
  });
  return self;
};

/** A team of ten, each of which runs such a team. */
const teamBomb = (): Agent<string, unknown> => {
  const member: Agent<string, unknown> = agent({
    name: 'member',
    tools: [spawning('spawn', () => self, 1)],
    decide: ({ step }) => (step === 0 ? act({ name: 'spawn', input: {} }) : answer('through')),
  });
  const assignments = Array.from({ length: 10 }, () => ({ worker: 'member', task: 'go' }));
  const self: Agent<string, unknown> = supervisorWorker({
    name: 'crowd',
    supervisor: { decide: () => answer({ assignments }) },
    workers: { member },
    result: 'replies',
    concurrency: 16,
  });
  return self;
};

const agentsIn = (events: readonly { readonly type: string }[]): number =>
  1 + events.filter(({ type }) => type === 'member.engaged').length;

describe('the limits of the tree of a run', () => {
  test.each([
    { name: 'tools', who: bomb },
    { name: 'teams', who: teamBomb },
  ])(
    '[TENEX-75] a spawn bomb of $name ends by itself, with at most the agents that there may be',
    async ({ who }) => {
      const result = await settled(start(who(), 'go', { limits: { maxAgents: 300 } }));
      expect(result.status).toBe('completed');
      expect(agentsIn(result.events)).toBeLessThanOrEqual(300);
      expect(agentsIn(result.events)).toBeGreaterThan(290);
      const refused = ofType(result.events, 'member.refused');
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.every(({ limit }) => limit === 'maxAgents' || limit === 'maxDepth')).toBe(true);
    },
  );

  test('[QITOS-93] one that is deeper than agents may be is refused, and said to be', async () => {
    const result = await settled(start(bomb(1), 'go', { limits: { maxDepth: 3 } }));
    expect(ofType(result.events, 'member.refused')).toMatchObject([
      {
        path: 'bomb/bomb-0/bomb-0/bomb-0',
        limit: 'maxDepth',
        reason: "Cannot engage 'bomb' as agents may be 3 deep: this would be 4",
      },
    ]);
    expect(result.output).toBe('1');
  });

  test('an agent has no more at work at the same time than it may', async () => {
    const leaf = agent({ name: 'leaf', decide: () => answer('done') });
    const lead = agent({
      name: 'lead',
      tools: [spawning('spawn', () => leaf, 5)],
      decide: ({ step, results }) =>
        step < 2 ? act({ name: 'spawn', input: {} }) : answer(results[0]?.text ?? ''),
      limits: { maxChildren: 3 },
    });
    const result = await settled(start(lead, 'go'));
    // Those that are through make room: the second time, three are let in again.
    expect(result.output).toBe('3');
    expect(ofType(result.events, 'member.refused').map(({ limit }) => limit)).toEqual(
      Array(4).fill('maxChildren'),
    );
  });

  test('a team is told of a refusal as of a member that failed', async () => {
    const desk = pipeline({ name: 'desk', stages: [agent({ name: 'first', decide: () => answer('x') })] });
    const result = await settled(start(desk, 'go', { limits: { maxDepth: 0 } }));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit.reached', retryable: 'no' } });
    expect(ofType(result.events, 'member.engaged')).toEqual([]);
  });

  test('what a definition says holds below it, wherever it stands', async () => {
    const lead = agent({
      name: 'lead',
      tools: [spawning('spawn', () => bomb(1, { limits: { maxDepth: 2 } }), 1)],
      decide: ({ step }) => (step === 0 ? act({ name: 'spawn', input: {} }) : answer('done')),
    });
    const result = await settled(start(lead, 'go'));
    expect(ofType(result.events, 'member.refused')).toMatchObject([{ path: 'lead/bomb-0/bomb-0/bomb-0' }]);
  });
});

describe('limits', () => {
  test('[TENEX-75] a spawn bomb that nobody thought of ends at a thousand agents', async () => {
    const { status, events } = await bomb(sized(10, 100)).run('go');
    expect(status).toBe('completed');
    expect(agentsIn(events)).toBe(1_000);
    expect(ofType(events, 'member.refused')[0]?.reason).toContain('the option limits.maxAgents raises it');
  });

  test.each([Infinity, 2])(
    'are what the run was begun with when it is gone on with: %s',
    async (maxAgents) => {
      const store = new PlainStore();
      const limits = { maxAgents, maxDepth: 3 };
      const first = await bomb(1).run('go', { limits, runId: 'bomb', store });
      const { records } = await recordsIn(store, 'bomb');
      const cut = PlainStore.with('bomb', records.slice(0, 4));
      const again = await (await goOn(cut, bomb(1), 'bomb', { limits: { maxDepth: 9 } })).result;
      expect(agentsIn(again.events)).toBe(agentsIn(first.events));
    },
  );

  test('twenty deep works, and no deeper, where nobody says otherwise', async () => {
    const { events } = await bomb(1).run('go');
    expect(agentsIn(events)).toBe(21);
  });

  test('of an engine hold for its runs, but for what a run says itself', async () => {
    await using engine = createDisposableEngine({ limits: { maxDepth: 2, maxAgents: 3 } });
    const { events } = await engine.execute(bomb(1), 'go', { limits: { maxAgents: 2 } });
    expect(agentsIn(events)).toBe(2);
  });

  test.each([
    [{ maxDepth: -1 }, 'its limits.maxDepth is not a whole number from 0: found -1'],
    [{ maxAgents: 1.5 }, 'its limits.maxAgents is not a whole number from 0: found 1.5'],
    [{ depth: 3 }, 'its option `limits.depth` is unknown: there are'],
  ])('that are none are refused: %j', async (limits, message) => {
    const given = limits as RunOptions['limits'];
    await expect(bomb().run('go', { limits: given })).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(message) as string,
    });
  });

  test('of definitions are checked when they are defined', () => {
    expect(() => bomb(1, { limits: { maxDepth: NaN } })).toThrow('NaN');
    const options = { name: 'x', machine: supervisorWorker.machine, members: {}, options: {} };
    expect(() => team({ ...options, limits: { maxChildren: -1 } })).toThrow("the team 'x'");
  });

  test.each([
    { name: 'tools', who: bomb },
    { name: 'teams', who: teamBomb },
  ])('a stored spawn bomb of $name goes through its journal as it went', async ({ who }) => {
    const store = new PlainStore();
    const options = { limits: { maxAgents: 60 }, runId: 'bomb', store };
    const first = await who().run('go', options);
    expect(agentsIn(first.events)).toBeLessThanOrEqual(60);
    expect(ofType(first.events, 'member.refused').length).toBeGreaterThan(0);
    expect((await replay(who(), 'bomb', { store })).events).toEqual(first.events);
    const { records } = await recordsIn(store, 'bomb');
    for (const share of [0.1, 0.4, 0.7, 0.95]) {
      const cut = PlainStore.with('bomb', records.slice(0, Math.floor(records.length * share)));
      const again = await (await goOn(cut, who(), 'bomb', {})).result;
      expect(again.status).toBe('completed');
      expect(agentsIn(again.events)).toBeLessThanOrEqual(60);
    }
  });

  test('nests of ten work, and a supervisor over many', async () => {
    let nested: Agent<string, unknown> = agent({ name: 'leaf', decide: () => answer('done') });
    for (let level = 10; level > 0; level -= 1)
      nested = pipeline({ name: `level-${level}`, stages: [nested] });
    expect((await nested.run('go')).output).toBe('done');
    const count = sized(400, 5_000);
    const many = Array.from({ length: count }, () => ({ worker: 'worker', task: 'go' }));
    const desk = supervisorWorker({
      name: 'desk',
      supervisor: { decide: () => answer({ assignments: many }) },
      workers: { worker: agent({ name: 'worker', decide: () => answer('done') }) },
      result: 'replies',
      maxAssignments: count,
      concurrency: count / 10,
    });
    const { output, events } = await desk.run('go', { limits: { maxAgents: count + 2 } });
    expect(output).toHaveLength(count);
    expect(ofType(events, 'member.refused')).toEqual([]);
  });
});
