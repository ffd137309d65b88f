import { describe, expect, test, vi } from 'vitest';
import { act } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, rotation, router, workload } from '../../src/patterns/index.ts';
import type { RouterSetup } from '../../src/patterns/router.ts';
import type { RouterStrategy } from '../../src/patterns/setup/routing-choice.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { deferred, echo, ofType, phasesOf, quiet, settled, start } from '../support/runs.ts';
import { parrot } from './patterns/pattern-row.ts';

const judged = (scores: Readonly<Record<string, number>>) =>
  JSON.stringify({ scores: Object.entries(scores).map(([name, score]) => ({ agent: name, score })) });

const agents = (...failing: readonly string[]) =>
  Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      name,
      parrot(name, failing.includes(name) ? new Error(`${name} is dead`) : `from ${name}`),
    ]),
  );

const make = (
  strategy: RouterStrategy,
  setup: Partial<RouterSetup<string, string>> = {},
): ReturnType<typeof router<string, string>> =>
  router({ name: 'switch', members: agents(), strategy, ...setup });

const chosen = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'route.chosen').map(({ member }) => member);
const degraded = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'route.degraded').map(({ reason }) => reason);

const run = (team: ReturnType<typeof make>, input = 'go', runId = 'r') =>
  settled(start(team, input, { runId }));

describe('[KAIZEN-40, KAIZEN-41] semantic', () => {
  test('a judge reads task and cards once, and the best does the task, nobody else', async () => {
    const judge = scriptedModel([judged({ a: 0.2, b: 0.9, c: 0.4 })]);
    const ada = agent({ name: 'ada', description: 'Knows taxes.', model: scriptedModel(['x']) });
    const team = make(
      { kind: 'semantic', judge: { model: judge } },
      { members: { ...agents(), a: { agent: ada, skills: ['VAT', 'income'] } } },
    );
    const result = await run(team, 'Which forms?');
    expect(result).toMatchObject({ status: 'completed', output: 'from b' });
    expect(chosen(result.events)).toEqual(['b']);
    expect(degraded(result.events)).toEqual([]);
    expect(phasesOf(result.events, 'switch')).toEqual([
      'choosing',
      'consulting',
      'reading',
      'routing',
      'weighing',
      'completed',
    ]);
    const asked = judge.requests[0]?.messages[0]?.text;
    expect(asked).toContain('Task: Which forms?');
    expect(asked).toContain('- a: Knows taxes.: VAT: income');
    expect(result.totals.modelCalls).toBe(2);
  });

  test.each([
    ['fails', new Error('down'), /'chooser' failed: .*down/],
    ['says nothing of use', judged({ z: 1 }), /nobody has a score/],
    ['finds two equally good', judged({ a: 0.8, b: 0.8 }), /'a' and 'b' are equally good/],
  ] as const)('a judge that %s: the first does it, and the warning is there', async (_, reply, reason) => {
    const team = make({ kind: 'semantic', judge: { model: scriptedModel([reply]) } });
    const result = await run(team);
    expect(result.output).toBe('from a');
    expect(degraded(result.events)).toEqual([expect.stringMatching(reason)]);
  });

  test('an agent of one’s own as the judge is read leniently; without scores the order is the one given', async () => {
    const fenced = agent({
      name: 'judge',
      model: scriptedModel([`I think:\n\`\`\`json\n${judged({ c: 1 })}\n\`\`\``, 'anybody']),
    });
    const team = make({ kind: 'semantic', judge: fenced });
    expect((await run(team)).output).toBe('from c');
    const second = await run(team, 'go', 'r2');
    expect(second.output).toBe('from a');
    expect(degraded(second.events)).toEqual(['the judge gave no scores']);
  });

  test('without a task nobody is asked, and the first does it, visibly', async () => {
    const judge = scriptedModel([]);
    const result = await run(make({ kind: 'semantic', judge: { model: judge } }), ' ');
    expect(result.output).toBe('from a');
    expect(judge.requests).toEqual([]);
    expect(degraded(result.events)).toEqual(['there is no task to choose by']);
  });

  test('a pure function needs nobody; one that throws is told of', async () => {
    const best = await run(
      make({ kind: 'semantic', score: (_, { name }) => (name === 'c' ? 1 : undefined) }),
    );
    expect(best.output).toBe('from c');
    expect(ofType(best.events, 'route.chosen')[0]?.ranking).toEqual([
      { member: 'c', score: 1 },
      { member: 'a', score: 0.5 },
      { member: 'b', score: 0.5 },
    ]);
    const score = () => {
      throw new Error('oh');
    };
    const thrown = await run(make({ kind: 'semantic', score }));
    expect(thrown.output).toBe('from a');
    expect(degraded(thrown.events)).toEqual(['the scoring threw: oh']);
  });
});

describe('[KAIZEN-41] who fails is followed by the next best', () => {
  const by = (order: string): RouterStrategy => ({
    kind: 'semantic',
    score: (_, { name }) => 1 - order.indexOf(name) / 10,
  });

  test('in the order of the ranking, and each change is told with its reason', async () => {
    const result = await run(make(by('bac'), { members: agents('b', 'a') }));
    expect(result).toMatchObject({ status: 'completed', output: 'from c' });
    expect(chosen(result.events)).toEqual(['b', 'a', 'c']);
    expect(ofType(result.events, 'route.changed')).toMatchObject([
      { from: 'b', to: 'a', reason: expect.stringContaining('b is dead') as string },
      { from: 'a', to: 'c', reason: expect.stringContaining('a is dead') as string },
    ]);
  });

  test('no more often than it may: the last failure is the router’s', async () => {
    const result = await run(make(by('bac'), { members: agents('b', 'a'), maxAttempts: 2 }));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.failed' } });
    expect(chosen(result.events)).toEqual(['b', 'a']);
  });

  test('what one had that stopped is kept as the candidate', async () => {
    const picky = agent({
      name: 'picky',
      model: scriptedModel(['draft']),
      limits: { maxRejections: 0 },
      critics: [{ name: 'no', critique: () => ({ verdict: 'revise', note: 'no' }) }],
    });
    const result = await run(make(by('abc'), { members: { a: picky, b: parrot('b', new Error('dead')) } }));
    expect(result).toMatchObject({ status: 'failed', candidate: 'draft' });
  });
});

describe('[KAIZEN-45] tiers', () => {
  const says = (canHandle: boolean | null, more: object = {}) =>
    JSON.stringify({ canHandle, complexity: null, requiresTier: null, ...more });
  const tiers = (...script: readonly ScriptedReply[]) => {
    const judge = scriptedModel(script);
    return { judge, strategy: { kind: 'tiers', judge: { model: judge } } as const };
  };

  test('the lowest that can takes it; nobody above is asked', async () => {
    const { judge, strategy } = tiers(says(true));
    const result = await run(make(strategy), 'easy');
    expect(result.output).toBe('from a');
    expect(judge.requests[0]?.messages[0]?.text).toBe('Task: easy\n\nTier 1 of 3 may take it:\n- a');
  });

  test('tier by tier up to the top, who is not asked whether it can', async () => {
    const { judge, strategy } = tiers(says(false, { complexity: 5 }), says(false));
    const result = await run(make(strategy));
    expect(result.output).toBe('from c');
    expect(judge.requests).toHaveLength(2);
    expect(ofType(result.events, 'route.changed')).toMatchObject([
      { from: 'a', to: 'b', reason: 'tier 1 cannot do it, complexity 1' },
      { from: 'b', to: 'c', reason: 'tier 2 cannot do it' },
    ]);
  });

  test('[D17] the tier that a task requires is gone to at once', async () => {
    const { strategy } = tiers(says(true, { requiresTier: 3 }));
    const result = await run(make(strategy));
    expect(result.output).toBe('from c');
    expect(ofType(result.events, 'route.changed')).toMatchObject([
      { from: 'a', to: 'c', reason: 'it requires tier 3' },
    ]);
  });

  test('a tier that fails hands up to the next, which is assessed first', async () => {
    const { judge, strategy } = tiers(says(true), says(false));
    const result = await run(make(strategy, { members: agents('a') }));
    expect(result.output).toBe('from c');
    expect(judge.requests).toHaveLength(2);
    expect(chosen(result.events)).toEqual(['a', 'c']);
  });

  test('a judge that fails or says nothing lets the tier try, visibly', async () => {
    const { strategy } = tiers(new Error('down'));
    const result = await run(make(strategy));
    expect(result.output).toBe('from a');
    expect(degraded(result.events)).toEqual([expect.stringContaining('down')]);
    const mute = agent({ name: 'mute', model: scriptedModel(['perhaps']) });
    const second = await run(make({ kind: 'tiers', judge: mute }));
    expect(degraded(second.events)).toEqual(['the task was not assessed']);
  });

  test('a pure function assesses without anybody being asked; one that throws is told of', async () => {
    const seen: Json[] = [];
    const assess = (task: Json, { tier, name }: { tier: number; name: string }) => {
      seen.push([task, tier, name]);
      return { canHandle: null, complexity: 0.6, requiresTier: null };
    };
    const result = await run(make({ kind: 'tiers', assess }), 'hard');
    expect(result.output).toBe('from b');
    expect(seen).toEqual([
      ['hard', 1, 'a'],
      ['hard', 2, 'b'],
    ]);
    const broken = await run(
      make({
        kind: 'tiers',
        assess: () => {
          throw new Error('oh');
        },
      }),
    );
    expect(broken.output).toBe('from a');
    expect(degraded(broken.events)).toEqual(['the assessment threw: oh']);
  });
});

test('[KAIZEN-41] at random: by the run’s id, so that a run that is gone through again takes the same way', async () => {
  const team = make('random');
  const first = await run(team, 'go', 'x1');
  expect((await run(team, 'go', 'x1')).output).toBe(first.output);
  const found = new Set<unknown>();
  for (let index = 0; index < 12; index += 1) found.add((await run(team, 'go', `x${index}`)).output);
  expect(found.size).toBe(3);
});

test('[KAIZEN-41] round-robin: run by run, and over all routers that share the rotation', async () => {
  const own = make('round-robin');
  const outputs = [];
  for (let index = 0; index < 4; index += 1) outputs.push((await run(own)).output);
  expect(outputs).toEqual(['from a', 'from b', 'from c', 'from a']);
  const turns = rotation();
  const [left, right] = [make({ kind: 'round-robin', turns }), make({ kind: 'round-robin', turns })];
  expect([(await run(left)).output, (await run(right)).output]).toEqual(['from a', 'from b']);
});

test('a rotation that fails is told of, and the first does it', async () => {
  const turns = { next: () => Promise.reject(new Error('no store')) };
  const result = await run(make({ kind: 'round-robin', turns }));
  expect(result.output).toBe('from a');
  expect(degraded(result.events)).toEqual([expect.stringContaining('no store')]);
});

test('[KAIZEN-41] least-loaded: whoever is at work is passed over, until they are done', async () => {
  const load = workload();
  const gate = deferred<string>();
  const slow = agent({ name: 'slow', model: scriptedModel([() => gate.promise, 'slow again']) });
  const team = make({ kind: 'least-loaded', load }, { members: { slow, b: parrot('b', 'from b') } });
  const first = run(team, 'go', 'r1');
  await quiet();
  expect([load.of('slow'), load.of('b')]).toEqual([1, 0]);
  expect((await run(team, 'go', 'r2')).output).toBe('from b');
  await quiet();
  expect([load.of('slow'), load.of('b')]).toEqual([1, 0]);
  gate.resolve('slow');
  expect((await first).output).toBe('slow');
  await vi.waitFor(() => {
    expect(load.of('slow')).toBe(0);
  });
  expect((await run(team, 'go', 'r3')).output).toBe('slow again');
});

test('a workload counts for whoever really has the task, and lets go of it with the router, also within a team', async () => {
  const load = workload();
  const gate = deferred<string>();
  const b = agent({ name: 'b', model: scriptedModel([() => gate.promise]) });
  const inner = make({ kind: 'least-loaded', load }, { members: { a: parrot('a', new Error('dead')), b } });
  const after = deferred<string>();
  const last = agent({ name: 'last', model: scriptedModel([() => after.promise]) });
  const outer = pipeline({ name: 'outer', stages: [inner, last] });
  const handle = start(outer, 'go');
  await vi.waitFor(() => {
    expect([load.of('a'), load.of('b')]).toEqual([0, 1]);
  });
  gate.resolve('b');
  await vi.waitFor(() => {
    expect(load.of('b')).toBe(0);
  });
  after.resolve('end');
  expect((await settled(handle)).output).toBe('end');
});

test('a budget that is spent while it is asked who it should be ends the router', async () => {
  const judge = agent({
    name: 'judge',
    tools: [echo],
    limits: { loops: false },
    decide: () => act({ name: 'echo', input: { text: 'hm' } }),
  });
  const result = await run(make({ kind: 'semantic', judge }, { limits: { budget: { steps: 3 } } }));
  expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget', path: 'switch' } });
  expect(chosen(result.events)).toEqual([]);
});

describe('what is no router is refused', () => {
  test.each([
    ['[D18] an unknown strategy', () => make('best' as RouterStrategy), /no such strategy: found 'best'/],
    ['[D18] no strategy at all', () => make({} as RouterStrategy), /no such strategy/],
    ['nobody', () => make('random', { members: {} }), /needs members/],
    [
      'an agent called chooser',
      () => make('random', { members: { chooser: parrot('x', 'x') } }),
      /'chooser'/,
    ],
    [
      'too many tiers',
      () => make({ kind: 'tiers', maxTier: 2 }),
      /more tiers than maxTier allows, which is 2: found 3/,
    ],
    ['a bound of nothing', () => make('random', { maxAttempts: 0 }), /maxAttempts/],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(
      expect.objectContaining({
        code: 'team.invalid',
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });
});
