import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, maxSteps, replay, tool } from '../../../src/index.ts';
import { delegate } from '../../../src/tools/built-in/delegation/delegate.ts';
import { beginRound } from '../../../src/coordination/round/settle-reply.ts';
import { repliesOf } from '../../../src/coordination/round/team-context.ts';
import { answeredWith, parallel, pattern, pipeline, writerCritic } from '../../../src/patterns/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { policy, property } from '../../../src/policy/index.ts';
import { calls, scriptedModel, verify } from '../../../src/testing/index.ts';
import type { Proof } from '../../../src/testing/verify/proof.ts';
import { definitionOf } from '../../../src/runtime/define/definition.ts';
import { CallDesk } from '../../../src/testing/verify/call-desk.ts';
import { Cast } from '../../../src/testing/verify/cast.ts';
import { Environment } from '../../../src/testing/verify/environment.ts';
import { Stage } from '../../../src/testing/verify/stage.ts';
import type { World } from '../../../src/testing/verify/world.ts';
import { WorldKeys } from '../../../src/testing/verify/world-key.ts';
import { member, teams, tooled } from './teams.ts';

const { never, always, atMost, invariant, within } = property;

/** The moves of the shortest story of a rule. */
const storyOf = ({ violations }: Proof, rule: string): readonly string[] =>
  violations
    .find((each) => each.rule === rule)
    ?.story.moves.slice(1)
    .map(({ by, path, does }) => `${by}: ${path} ${does}`) ?? [];

describe('a proof finds what is wrong, by the shortest story, which a genuine run repeats', () => {
  test('a call before the one that it needs', async () => {
    const rule = never('pay').before({ tool: 'check', ok: true }).named('checked');
    const proof = await verify(member('clerk', 'check', 'pay'), { properties: [rule] });
    expect(proof.verdict).toBe('violated');
    expect(storyOf(proof, 'checked')).toEqual(['model: clerk calls pay']);
    expect(proof.violations[0]).toMatchObject({
      rule: 'checked',
      event: 'tool.started',
      tool: 'pay',
      agent: 'clerk',
      step: 0,
      confirmed: 'genuine',
    });
  });

  test('a second call by another member, in parallel', async () => {
    const team = parallel({
      name: 'desk',
      members: { ann: member('ann', 'pay'), bob: member('bob', 'pay') },
    });
    const proof = await verify(team, {
      properties: [atMost(1, 'pay').named('once')],
      answers: { ann: ['a'] },
    });
    expect(storyOf(proof, 'once')).toHaveLength(2);
    expect(proof.violations[0]).toMatchObject({
      confirmed: 'genuine',
      path: expect.stringMatching(/ann|bob/),
    });
  });

  test('two calls of one answer', async () => {
    const proof = await verify(member('clerk', 'pay'), {
      properties: [atMost(1, 'pay').named('once')],
      callsAtOnce: 2,
    });
    expect(storyOf(proof, 'once')).toEqual(['model: clerk calls pay and pay']);
    expect(proof.violations[0]?.confirmed).toBe('genuine');
  });

  test('a call that is wrong after one of the results of another', async () => {
    const count = property({
      name: 'in stock',
      initial: { left: 1 },
      next: (state, event) =>
        event.type === 'tool.finished' && event.ok ? { left: Number(event.text) } : state,
      violation: ({ left }) => (left < 0 ? 'there is less than nothing' : undefined),
    });
    const results = { stock: [3, -1] };
    const proof = await verify(member('clerk', 'stock'), { properties: [count], results });
    expect(storyOf(proof, 'in stock')).toEqual(['model: clerk calls stock', 'tool: clerk stock returns -1']);
    expect(proof.violations[0]?.confirmed).toBe('genuine');
    const fine = await verify(member('clerk', 'stock'), { properties: [count], results: { stock: [3, 0] } });
    expect(fine).toMatchObject({ verdict: 'holds', isComplete: true });
  });

  test('a call that is wrong by what its output schema allows', async () => {
    const stock = tool({
      name: 'stock',
      description: 'Counts.',
      safety: 'read',
      input: z.object({}),
      output: z.boolean(),
      execute: () => true,
    });
    const clerk = agent({ name: 'clerk', tools: [stock] });
    const { violations } = await verify(clerk, {
      properties: [never((event) => event.type === 'tool.finished' && event.text === 'false').named('there')],
    });
    expect(violations.map(({ confirmed, story }) => [confirmed, story.moves.at(-1)?.does])).toEqual([
      ['genuine', 'stock returns false'],
    ]);
  });

  test('a yes that serves for two calls', async () => {
    const rule = never('pay').before({ event: 'tool.approved', tool: 'pay' }, { each: true }).named('each');
    const clerk = (approval: (input: { readonly amount: number }) => boolean) =>
      agent({
        name: 'clerk',
        tools: [
          tool({
            name: 'pay',
            description: 'Pays.',
            safety: 'write',
            approval,
            input: z.object({ amount: z.number() }),
            execute: () => 'paid',
          }),
        ],
      });
    const inputs = { calls: { pay: [{ amount: 5 }, { amount: 500 }] } };
    const careless = await verify(
      clerk(({ amount }) => amount > 100),
      { properties: [rule], ...inputs },
    );
    expect(storyOf(careless, 'each')).toEqual(['model: clerk calls pay']);
    const careful = await verify(
      clerk(() => true),
      { properties: [rule], ...inputs },
    );
    expect(careful).toMatchObject({ verdict: 'holds', isComplete: true, violations: [] });
  });

  test('an answer that never comes, where something fails', async () => {
    const rule = always('ask').eventually({ tool: 'ask', ok: true }).named('answered');
    const proof = await verify(member('clerk', 'ask'), { properties: [rule] });
    expect(storyOf(proof, 'answered')).toEqual([
      'model: clerk calls ask',
      'tool: clerk ask fails',
      'model: clerk answers',
    ]);
    const sound = await verify(member('clerk', 'ask'), { properties: [rule], faults: ['model', 'refusal'] });
    expect(sound.verdict).toBe('holds');
  });

  test('a later stage that does what an earlier one has to', async () => {
    const line = pipeline({ name: 'line', stages: [member('ann', 'check', 'skip'), member('bob', 'pay')] });
    const rule = never('pay').before('check').named('order');
    const proof = await verify(line, { properties: [rule] });
    expect(storyOf(proof, 'order')).toEqual(['model: line/ann-1 answers', 'model: line/bob-2 calls pay']);
    expect(proof.violations[0]?.confirmed).toBe('genuine');
  });

  test('a state that must not be: an invariant of what agents remember', async () => {
    const teller = (floor: number) =>
      agent({
        name: 'teller',
        state: { left: 1 },
        tools: [tool({ name: 'take', description: 'Takes one.', input: z.object({}), execute: () => 1 })],
        reduce: ({ state, results }) => ({
          left: Math.max(floor, state.left - results.filter(({ ok }) => ok).length),
        }),
      });
    const rule = invariant('no debt', ({ states }) => Number(states['teller']?.['left'] ?? 0) >= 0);
    const proof = await verify(teller(-1), { properties: [rule] });
    expect(storyOf(proof, 'no debt')).toHaveLength(4);
    expect(proof.violations[0]?.confirmed).toBe('genuine');
    expect((await verify(teller(0), { properties: [rule] })).verdict).toBe('holds');
  });

  test('more than it may use', async () => {
    const proof = await verify(member('clerk', 'look'), {
      properties: [within({ modelCalls: 2 }).named('two')],
    });
    expect(storyOf(proof, 'two')).toHaveLength(5);
  });

  test('what follows something tainted', async () => {
    const proof = await verify(member('clerk', 'fetch', 'send'), {
      properties: [never('send').after('fetch').named('tainted')],
    });
    expect(storyOf(proof, 'tainted')).toEqual([
      'model: clerk calls fetch',
      'tool: clerk fetch succeeds',
      'model: clerk calls send',
    ]);
  });

  test('a team that goes nowhere once all of its members have failed', async () => {
    const forgetful = pattern({
      name: 'forgetful',
      description: 'Everybody is asked once, and nobody thought of failures.',
      options: z.object({}),
      own: {},
      actions: {
        askAll: (context) =>
          beginRound(
            context,
            context.team.members.map((each) => ({ member: each, input: context.input })),
          ),
        weigh: (context) =>
          repliesOf(context).some(({ status }) => status === 'completed')
            ? { end: answeredWith('done') }
            : {},
      },
      initial: 'asking',
      states: {
        asking: { description: 'Everybody is asked.', entry: 'askAll', awaits: 'weighing' },
        weighing: { description: 'It ends.', entry: 'weigh', always: ['completed', 'stuck'] },
        stuck: { description: 'Nobody leaves it.' },
      },
    });
    const team = forgetful<string, string>({ name: 'hall', members: { ann: member('ann') } });
    const { deadEnds, verdict } = await verify(team);
    expect(verdict).toBe('holds');
    expect(deadEnds.map(({ moves }) => moves.slice(1).map(({ does }) => does))).toContainEqual(['refuses']);
  });
});

describe('a proof refuses what nothing of it has, as it would hold and say nothing', () => {
  const desk = parallel({
    name: 'desk',
    members: { ann: member('ann', 'check', 'pay'), ben: member('ben', 'look') },
  });
  test.each([
    [
      never('payy'),
      "the property 'never payy' names the tool 'payy', which it does not have: there are check, look, pay; did you mean 'pay'?",
    ],
    [
      never('pay').before({ tool: ['check', 'chek'] }),
      "names the tool 'chek', which it does not have: there are check, look, pay; did you mean 'check'?",
    ],
    [
      never('pay').after('tool.aproved').named('tainted'),
      "the property 'tainted' names the tool 'tool.aproved'",
    ],
    [
      always({ tool: 'pay', agent: 'anne' }).eventually('look'),
      "names the agent 'anne', which it does not have: there are ann, ben, desk; did you mean 'ann'?",
    ],
    [atMost(1, 'files.*'), "names the tool 'files.*'"],
  ])('%#: %o', async (rule, message) => {
    await expect(verify(desk, { properties: [rule] })).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [{ calls: { payy: [{}] } }, "`calls` names the tool 'payy'"],
    [{ answers: { bob: ['yes'] } }, "`answers` names the agent 'bob'"],
  ])('%j', async (options, message) => {
    await expect(verify(desk, options)).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(message),
    });
  });

  test('and nothing that is there, by globs, roles, toolsets and delegates too', async () => {
    const helper = member('helper', 'send');
    const lead = agent({ name: 'lead', tools: [delegate({ to: [helper] })] });
    const rules = [
      never({ tool: 'p*y', agent: 'ann' }).before('check'),
      atMost(1, { event: 'tool.approved', tool: 'look' }),
      never('agent.reminded'),
      never(({ type }) => type === 'run.paused'),
    ];
    await expect(verify(desk, { properties: rules, states: 10 })).resolves.toBeDefined();
    await expect(
      verify(lead, {
        properties: [atMost(1, 'send'), atMost(1, { tool: 'send', agent: 'helper' })],
        states: 10,
      }),
    ).resolves.toBeDefined();
  });

  test('but an audit knows what its runs had only from the runs', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', model: scriptedModel(['Hello.']) });
    await clerk.run('Go.', { store });
    await expect(verify(clerk, { properties: [never('payy')], over: store })).resolves.toMatchObject({
      holds: 1,
    });
  });
});

describe('a proof of what is right', () => {
  test.each(Object.keys(teams))('finds nothing false in %s', async (name) => {
    const team = teams[name]?.();
    if (team === undefined) throw new Error(name);
    const proof = await verify(team, {
      answers: name === 'an agent' ? {} : { ann: ['approve'] },
      properties: [
        always('tool.started').eventually('tool.finished', { each: true }),
        never('run.started').after('run.started'),
        never('phase.entered').before('run.started'),
        always('member.engaged').eventually('member.ended', { each: true }),
      ],
    });
    expect(proof).toMatchObject({ verdict: 'holds', isComplete: true, deadEnds: [], livelocks: [] });
    expect(proof.ends).toContain('completed');
    expect(proof.states).toBeGreaterThan(3);
  });

  test('holds where the policy enforces it: the calls that would violate it are denied', async () => {
    const rule = atMost(1, 'pay');
    const team = parallel({
      name: 'desk',
      members: { ann: member('ann', 'pay'), bob: member('bob', 'pay') },
    });
    const safety = policy({ mode: 'bypass', properties: [rule] });
    const denied = always('run.started').eventually({ event: 'tool.denied', tool: 'pay' });
    const proof = await verify(team, { properties: [rule, denied], safety });
    expect(proof.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
    // And there is a way on which one is denied.
    const seen = await verify(team, { properties: [never('tool.denied').named('denied')], safety });
    expect(seen.violations[0]).toMatchObject({ rule: 'denied', tool: 'pay', confirmed: 'genuine' });
  });

  test('follows rules of a policy: what they deny does not happen', async () => {
    const safety = policy({
      mode: 'bypass',
      rules: [{ name: 'no', effect: 'deny', tool: 'pay', agent: 'bob' }],
    });
    const team = parallel({
      name: 'desk',
      members: { ann: member('ann', 'pay'), bob: member('bob', 'pay') },
    });
    const proof = await verify(team, { properties: [never({ tool: 'pay', agent: 'bob' })], safety });
    expect(proof.verdict).toBe('holds');
  });

  test('is not complete where a bound cut it off, and says so of each property', async () => {
    const proof = await verify(member('clerk', 'look'), { properties: [atMost(3, 'look')], depth: 1 });
    expect(proof).toMatchObject({ verdict: 'holds', isComplete: false, bounds: { depth: 1 } });
    expect(proof.bounds.cut).toBeGreaterThan(0);
    expect(proof.properties).toEqual([{ name: 'at most 3 look', verdict: 'bounded' }]);
    const few = await verify(member('clerk', 'look'), { states: 2 });
    expect(few).toMatchObject({ states: 2, isComplete: false });
  });

  test('tells steps apart where a rule counts them, or it is asked to', async () => {
    const clerk = agent({
      name: 'clerk',
      stop: maxSteps(2),
      tools: [tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 1 })],
    });
    const properties = [atMost(1, 'look').named('one'), atMost(2, 'look')];
    for (const steps of [undefined, 5]) {
      const exact = await verify(clerk, { properties, steps });
      expect(exact).toMatchObject({ isComplete: true });
      expect(exact.properties.map(({ verdict }) => verdict)).toEqual(['violated', 'holds']);
    }
  });

  test('is the same each time, and can be stopped', async () => {
    const once = await verify(teams['a parallel team']?.() ?? member('x'));
    const again = await verify(teams['a parallel team']?.() ?? member('x'));
    const { elapsedMs: _a, statesPerSecond: _b, transitionsPerSecond: _c, ...first } = once;
    const { elapsedMs: _d, statesPerSecond: _e, transitionsPerSecond: _f, ...second } = again;
    expect(second).toEqual(first);
    const stopped = await verify(member('clerk', 'look'), { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ verdict: 'stopped', isComplete: false });
  });

  test('reports the states that are never entered and the arrows never taken', async () => {
    const { coverage } = await verify(member('clerk', 'look'));
    const [clerk] = coverage;
    expect(clerk?.name).toBe('clerk');
    expect(clerk?.unreachable).toContain('agent.running.CRITIC');
    expect(clerk?.unreachable).not.toContain('agent.running.ACT');
    expect(clerk?.neverTaken.some((arrow) => arrow.includes('answered.critique'))).toBe(true);
  });

  test('bounds what a run may use, by charts and budgets', async () => {
    const clerk = agent({
      name: 'clerk',
      stop: maxSteps(4),
      model: 'openai:x',
      failures: { retry: { attempts: 2 } },
    });
    expect((await verify(clerk)).worstCase).toEqual({
      steps: 4,
      modelCalls: 8,
      toolCalls: 0,
      tokens: null,
      usd: null,
    });
    const line = pipeline({ name: 'line', stages: [clerk, agent({ name: 'bob', stop: maxSteps(3) })] });
    expect((await verify(line)).worstCase.steps).toBeGreaterThanOrEqual(7);
    const frugal = agent({
      name: 'frugal',
      limits: { budget: { steps: 3, usd: 1, toolCalls: 2 } },
      tools: [],
    });
    expect((await verify(frugal)).worstCase).toMatchObject({ steps: 3, usd: 1, toolCalls: 0 });
  });
});

describe('one actor that stands for all of its key', () => {
  test.each(Object.keys(teams))('loses no state of %s', async (name) => {
    const team = teams[name]?.() ?? member('x');
    const { states, isComplete } = await verify(team);
    expect(isComplete).toBe(true);
    expect(states).toBe(countExactly(definitionOf(team)));
  });
});

/** The number of states of a run, each exactly as its moves make it: nothing is remembered, nobody stands for another. */
const countExactly = (definition: ReturnType<typeof definitionOf>): number => {
  if (definition === undefined) throw new Error('no definition');
  const theatre = {
    cast: new Cast({}),
    properties: [],
    asserted: 0,
    calls: new CallDesk(undefined),
    noteOf: () => () => undefined,
  };
  const keys = new WorldKeys(false);
  const environment = new Environment({});
  const start = new Stage(theatre, { players: new Map(), properties: [], now: 0, seq: 0 });
  start.begin(definition, 'go');
  const keyOf = ({ players, ended }: World): string =>
    [
      ...[...players.values()].map((player) => keys.ofPlayer(player)).toSorted((a, b) => a.localeCompare(b)),
      ended,
    ].join('\n');
  const first = start.settle();
  const known = new Set([keyOf(first)]);
  const queue = [first];
  for (const world of queue)
    for (const move of environment.movesAt(world)) {
      const stage = new Stage(theatre, world);
      stage.make(move);
      const next = stage.settle();
      if (known.has(keyOf(next))) continue;
      known.add(keyOf(next));
      queue.push(next);
    }
  return known.size;
};

describe('a story that no genuine run repeats', () => {
  test('is no violation, but not clear', async () => {
    // Its own decision never pays, which a proof does not know.
    const clerk = agent({
      name: 'clerk',
      tools: [tooled('pay')],
      decide: () => ({ kind: 'answer', answer: 'no' }),
    });
    const proof = await verify(clerk, { properties: [never('pay')], faults: [] });
    expect(proof.verdict).toBe('unclear');
    expect(proof.properties).toEqual([{ name: 'never pay', verdict: 'unclear' }]);
    expect(proof.violations[0]).toMatchObject({ confirmed: 'otherwise' });
    expect(proof.assumptions).toContain("the `decide` of 'clerk' chooses as freely as a model");
  });
});

describe('the journal of a violation', () => {
  test('is that of a genuine run, and can be replayed', async () => {
    const clerk = member('clerk', 'check', 'pay');
    const { violations } = await verify(clerk, { properties: [never('pay').before('check')] });
    const [found] = violations;
    if (found?.journal === undefined) throw new Error('no journal');
    const { events } = await replay(clerk, 'proof', { store: found.journal }).catch(
      (thrown: { result: { events: readonly { type: string }[] } }) => thrown.result,
    );
    expect(events.map(({ type }) => type)).toContain('tool.started');
  });

  test('is not made where a genuine run would use what is not its own', async () => {
    const clerk = agent({
      name: 'clerk',
      hooks: [
        {
          name: 'mail',
          handle: () => {
            throw new Error('used');
          },
        },
      ],
    });
    const { violations } = await verify(clerk, { properties: [never('run.ended')], faults: [] });
    expect(violations[0]).toMatchObject({
      confirmed: 'not tried',
      unconfirmed: "'clerk' has hooks, which a genuine run would use",
    });
  });
});

describe('a sequence diagram', () => {
  test('shows who does what, in the order of the story', async () => {
    const { violations } = await verify(member('clerk', 'check', 'pay?'), { properties: [never('pay')] });
    expect(violations[0]?.story.diagram).toBe(
      [
        'sequenceDiagram',
        '  actor p0 as caller',
        '  participant p1 as clerk',
        '  actor p2 as model',
        '  actor p3 as person',
        '  actor p4 as tool',
        '  p0->>p1: starts the run',
        '  p2->>p1: calls pay',
        '  p1->>p3: may I call pay?',
        '  p3->>p1: approves pay',
        '  p1->>p4: pay {"amount":1}',
        '  Note over p1: never pay: pay happened',
        '',
      ].join('\n'),
    );
  });
});

describe('an audit', () => {
  const runs = async () => {
    const store = memoryStore();
    const make = (...script: Parameters<typeof scriptedModel>[0]) =>
      agent({
        name: 'clerk',
        model: scriptedModel(script),
        tools: [
          tool({ name: 'check', description: 'Checks.', input: z.object({}), execute: () => 'ok' }),
          tool({ name: 'pay', description: 'Pays.', input: z.object({}), execute: () => 'paid' }),
        ],
      });
    const pay = calls({ name: 'pay', input: {} });
    const check = calls({ name: 'check', input: {} });
    await make(check, pay, 'Done.').run('one', { store, runId: 'good' });
    await make(pay, 'Done.').run('two', { store, runId: 'bad' });
    return { store, clerk: make() };
  };

  test('judges stored runs for nothing, and names run, event, step, agent and rule', async () => {
    const { store, clerk } = await runs();
    const audit = await verify(clerk, {
      properties: [never('pay').before('check').named('order')],
      over: store,
    });
    expect(audit).toMatchObject({ holds: 1, violated: 1, open: 0, unread: 0 });
    expect(audit.runs.map(({ runId, verdict }) => `${runId} ${verdict}`)).toEqual([
      'good holds',
      'bad violated',
    ]);
    expect(audit.runs[1]?.violations).toEqual([
      expect.objectContaining({
        rule: 'order',
        event: 'tool.started',
        tool: 'pay',
        agent: 'clerk',
        path: 'clerk',
        step: 0,
      }),
    ]);
    const events = await store.read('bad');
    expect(events.length).toBeGreaterThan(0);
  });

  test('takes the runs that are named, and refuses what is not there', async () => {
    const { store, clerk } = await runs();
    const properties = [never('pay')];
    expect((await verify(clerk, { properties, over: store, runs: ['good'] })).runs).toHaveLength(1);
    await expect(verify(clerk, { properties, over: store, runs: ['none'] })).rejects.toMatchObject({
      code: 'journal.unknown',
    });
    await expect(verify(member('other'), { properties, over: store })).rejects.toThrow(
      "Cannot audit 'other' as the store has no run of it: it has runs of 'clerk'",
    );
  });

  test('leaves a run open that goes on: what has to follow may still come', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', decide: () => ({ kind: 'wait' }) });
    const handle = clerk.stream('go', { store, runId: 'r' });
    await new Promise((resolve) => setImmediate(resolve));
    for (let turns = 0; turns < 100 && (await store.entry('r')) === undefined; turns += 1)
      await new Promise((resolve) => setImmediate(resolve));
    const audit = await verify(clerk, {
      properties: [always('run.started').eventually('tool.finished')],
      over: store,
    });
    expect(audit.runs[0]?.verdict).toBe('open');
    handle.abort('enough');
    await handle.result.catch(() => undefined);
    const after = await verify(clerk, {
      properties: [always('run.started').eventually('tool.finished')],
      over: store,
    });
    expect(after.runs[0]?.verdict).toBe('violated');
  });
});

describe('what cannot be verified is refused, with what to do', () => {
  test.each([
    [() => verify({ name: 'x' } as never), 'Cannot verify what was not made by agent() or a team'],
    [() => verify(member('a'), { propertys: [] } as never), 'did you mean `properties`?'],
    [
      () => verify(member('a'), { faults: ['fire'] as never }),
      'not one of model, refusal, tool, denial, limit, abort',
    ],
    [() => verify(member('a'), { calls: { pay: [] } }), 'not a list of values'],
    [
      () => verify(agent({ name: 'a', input: z.object({ n: z.number() }) }), { input: 'go' }),
      'Give one by `input`',
    ],
    [
      () =>
        verify(member('a', 'pay'), { safety: async () => Promise.resolve({ verdict: 'allow' as const }) }),
      'give a policy whose rules answer at once',
    ],
  ])('%#', async (run, message) => {
    await expect(run()).rejects.toThrow(message);
  });

  test('a team whose writer is judged: critics are a part of it', async () => {
    const essay = writerCritic({
      name: 'essay',
      writer: member('ann'),
      critic: { instructions: 'x' },
      maxRejections: 1,
    });
    const proof = await verify(essay, {
      properties: [atMost(2, { agent: 'ann', state: 'preparing' }).named('drafts')],
      faults: [],
    });
    expect(proof.verdict).toBe('holds');
  });
});
