import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import type { EvalCaseInput } from '../../../src/contracts/tasks/eval-case.ts';
import type { Evaluator } from '../../../src/contracts/tasks/evaluator.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { policy } from '../../../src/policy/permissions/policy.ts';
import { feedback } from '../../../src/testing/datasets/feedback.ts';
import { defineEval } from '../../../src/testing/evals/define-eval.ts';
import type { Gate } from '../../../src/testing/evals/gate.ts';
import { evaluators } from '../../../src/testing/evaluators/evaluators.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';

/** Answers with what stands behind the last colon of the question, each time for a cent. */
const parrot = (count = 50, id = 'parrot') =>
  scriptedModel(
    Array.from({ length: count }, (): ScriptedReply => ({ messages }) => ({
      text: messages.at(-1)?.text.split(':').at(-1) ?? '',
      usage: { input: 10, output: 2, billedUsd: 0.01 },
    })),
    id,
  );

const cases = [
  { id: 'a', input: 'Say:Paris', expected: 'Paris' },
  { id: 'b', input: 'Say:Rome', expected: 'Rome' },
  { id: 'c', input: 'Say:Lima', expected: 'Quito' },
];

const evalOf = (
  more: {
    dataset?: readonly EvalCaseInput[];
    evaluators?: readonly Evaluator[];
    gates?: readonly Gate[];
    tries?: number;
    concurrency?: number;
  } = {},
  model = parrot(),
) =>
  defineEval({
    name: 'capitals',
    agent: agent({ name: 'clerk', model }),
    dataset: cases,
    evaluators: [evaluators.exact()],
    ...more,
  });

describe('an eval', () => {
  test('runs the agent for each case, grades what it did, and sums it up with intervals', async () => {
    const report = await evalOf({ evaluators: [evaluators.exact(), evaluators.cost(0.05)] }).run();
    expect(report).toMatchObject({
      name: 'capitals',
      agent: 'clerk',
      verdict: 'measured',
      summary: {
        cases: 3,
        runs: 3,
        passRate: {
          value: expect.closeTo(2 / 3, 10),
          low: expect.closeTo(0.2077, 3),
          high: expect.closeTo(0.9385, 3),
        },
        evaluators: [
          { name: 'exact', errors: 0 },
          { name: 'cost', passRate: { value: 1 } },
        ],
        costUsd: { value: expect.closeTo(0.01, 10) },
        stops: { answered: 3 },
        spent: { runsUsd: expect.closeTo(0.03, 10), judgesUsd: 0 },
      },
    });
    expect(report.cases.map(({ tries }) => tries.map(({ passed, output }) => [passed, output]))).toEqual([
      [[true, 'Paris']],
      [[true, 'Rome']],
      [[false, 'Lima']],
    ]);
    expect(report.cases[2]?.tries[0]?.evaluations[0]?.reason).toBe('found Lima, expected Quito');
  });

  test('runs each case several times, for pass^k: an agent that is right in half of the cases each time is not one that is right every other time', async () => {
    const steady = await evalOf({ tries: 4, dataset: cases.slice(1) }).run();
    expect(steady.summary.passPower.map(({ value }) => value)).toEqual([0.5, 0.5, 0.5, 0.5]);
    const flips = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'Rome' : 'no'));
    const fickle = await evalOf(
      {
        tries: 4,
        concurrency: 1,
        dataset: [cases[1] ?? { input: '' }, { ...cases[1], id: 'z', input: 'x' }],
      },
      scriptedModel(flips),
    ).run();
    expect(fickle.summary.passRate?.value).toBe(0.5);
    expect(fickle.summary.passPower.map(({ value }) => value)).toEqual([
      0.5,
      expect.closeTo(1 / 6, 10),
      0,
      0,
    ]);
  });

  test('counts runs of one case as one: four runs of two cases say no more than two', async () => {
    const one = await evalOf({ dataset: cases.slice(1) }).run();
    const four = await evalOf({ tries: 4, dataset: cases.slice(1) }).run();
    expect(four.summary.passRate).toEqual(one.summary.passRate);
  });

  test('grades a run that failed, and one that could not be started, as failed', async () => {
    const report = await evalOf({}, scriptedModel(['Paris', 'Rome', new Error('The line is dead.')])).run({
      concurrency: 1,
    });
    expect(report.cases[2]?.tries[0]).toMatchObject({ passed: false, metrics: { status: 'failed' } });
    const shaped = agent({ name: 'shaped', input: z.object({ city: z.string() }), model: parrot() });
    const bad = defineEval({
      name: 'bad',
      agent: shaped,
      dataset: [{ input: 'no object', expected: 'x' }],
      evaluators: [evaluators.exact()],
    });
    const { cases: rows } = await bad.run();
    expect(rows[0]?.tries[0]?.passed).toBe(false);
    expect(JSON.stringify(rows[0]?.tries[0]?.error ?? rows[0]?.tries[0]?.metrics)).toContain('input.invalid');
  });

  test('starts no run once the budget is spent, or the signal aborted, and has then failed', async () => {
    const found = await evalOf({ gates: [{ measure: 'passRate', atLeast: 0 }] }).run({
      budgetUsd: 0.015,
      concurrency: 1,
    });
    expect(found).toMatchObject({
      verdict: 'failed',
      stopped: 'the budget of 0.015 US dollars is spent: 2 of 3 runs',
    });
    const model = parrot();
    const aborted = await evalOf({}, model).run({ signal: AbortSignal.abort() });
    expect(aborted.stopped).toBe('it was aborted: 0 of 3 runs');
    expect(model.requests).toHaveLength(0);
  });

  test('grades answers on record without an agent, and fails what looks at a run', async () => {
    const report = await defineEval({
      name: 'answers',
      dataset: [
        { input: 'q', output: 'Paris', expected: 'Paris' },
        { input: 'r', output: 'Rome', expected: 'Paris' },
      ],
      evaluators: [evaluators.exact(), evaluators.toolUse({ unused: ['pay'] }), evaluators.steps(9)],
    }).run();
    expect(report.summary.evaluators).toMatchObject([
      { name: 'exact', passRate: { value: 0.5 }, errors: 0 },
      { name: 'toolUse', passRate: { value: 0 }, errors: 2 },
      { name: 'steps', passRate: { value: 0 }, errors: 2 },
    ]);
    const open = defineEval({ name: 'open', dataset: [{ input: 'q' }], evaluators: [evaluators.exact()] });
    await expect(open.run()).rejects.toThrow("case '1' has no `output`, and there is no agent");
  });

  test('ends a run that asks a person whom nobody has named, and lets one that is named answer', async () => {
    const buy = tool({
      name: 'buy',
      description: 'Buys.',
      safety: 'write',
      approval: true,
      input: z.object({}),
      execute: () => 'bought',
    });
    const evalWith = (person?: Parameters<typeof defineEval>[0]['run']) =>
      defineEval({
        name: 'buying',
        agent: agent({
          name: 'buyer',
          tools: [buy],
          model: scriptedModel([calls({ name: 'buy', input: {} }), 'Bought.']),
        }),
        dataset: [{ input: 'Buy it.', expected: 'Bought' }],
        evaluators: [evaluators.contains()],
        run: person,
      }).run();
    expect((await evalWith()).cases[0]?.tries[0]).toMatchObject({
      passed: false,
      metrics: { stop: 'aborted' },
    });
    const answered = await evalWith({ person: { answer: () => '', approve: () => true } });
    expect(answered.cases[0]?.tries[0]).toMatchObject({ passed: true, output: 'Bought.' });
  });

  test('keeps runs in a store, tells how far it is, and takes the first cases only', async () => {
    const store = memoryStore();
    const progress: string[] = [];
    const report = await evalOf().run({
      store,
      limit: 2,
      concurrency: 1,
      onProgress: (ended, of) => progress.push(`${ended}/${of}`),
    });
    expect(progress).toEqual(['1/2', '2/2']);
    expect((await store.list()).map(({ runId }) => runId).toReversed()).toEqual(
      report.cases.map(({ tries }) => tries[0]?.runId),
    );
  });

  test.each([
    [{ name: 'x', dataset: cases, evaluators: [] }, 'it has no evaluators'],
    [{ name: 'x', dataset: cases, evaluators: [evaluators.exact(), evaluators.exact()] }, "named 'exact'"],
    [{ name: 'x', dataset: 5, evaluators: [evaluators.exact()] }, 'nor a dataset'],
    [{ name: 'x', datasets: cases, evaluators: [evaluators.exact()] }, 'did you mean `dataset`'],
    [{ name: 'x', dataset: cases, evaluators: [5] }, 'not an evaluator'],
    [
      { name: 'x', dataset: cases, evaluators: [evaluators.exact()], gates: [{ measure: 'passRate' }] },
      'nor is `atMost`',
    ],
    [
      {
        name: 'x',
        dataset: cases,
        evaluators: [evaluators.exact()],
        gates: [{ measure: 'passPower', atLeast: 1 }],
      },
      'passPower, which needs it',
    ],
    [{ name: 'x', dataset: cases, evaluators: [evaluators.exact()], run: { store: {} } }, 'run.store'],
  ])('refuses what is none: %j', (options, message) => {
    expect(() => Reflect.apply(defineEval, undefined, [options])).toThrow(message);
  });
});

describe('gates', () => {
  const verdict = async (gate: Gate, more = {}) => {
    const report = await evalOf({ gates: [gate], ...more }).run();
    return { verdict: report.verdict, ...report.gates[0] };
  };

  test.each<[Gate, 'passed' | 'failed']>([
    [{ measure: 'passRate', atLeast: 0.66 }, 'passed'],
    [{ measure: 'passRate', atLeast: 0.7 }, 'failed'],
    // Two of three may be one of five in truth.
    [{ measure: 'passRate', atLeast: 0.66, surely: true }, 'failed'],
    [{ measure: 'passRate', atLeast: 0.2, surely: true }, 'passed'],
    [{ measure: 'score', evaluator: 'exact', atMost: 0.7 }, 'passed'],
    [{ measure: 'costUsd', atMost: 0.011 }, 'passed'],
    [{ measure: 'costUsd', atMost: 0.009 }, 'failed'],
    [{ measure: 'steps', atMost: 1 }, 'passed'],
    [{ measure: 'passPower', k: 1, atLeast: 0.6 }, 'passed'],
  ])('%j has %s', async (gate, expected) => {
    expect(await verdict(gate)).toMatchObject({ verdict: expected, passed: expected === 'passed' });
  });

  test.each<[Gate, string]>([
    [{ measure: 'passRate', evaluator: 'exat', atLeast: 0 }, "there is no evaluator 'exat'"],
    [{ measure: 'passPower', k: 3, atLeast: 0 }, 'give `tries: 3`'],
    [{ measure: 'kappa', evaluator: 'exact', atLeast: -1 }, 'no labels of people'],
  ])('what cannot be measured does not pass: %j', async (gate, reason) => {
    expect(await verdict(gate)).toMatchObject({ verdict: 'failed', reason: expect.stringContaining(reason) });
  });
});

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'write',
  input: z.object({ to: z.string(), usd: z.number() }),
  execute: ({ to }) => `Paid ${to}.`,
});
const find = tool({
  name: 'find',
  description: 'Finds.',
  safety: 'read',
  input: z.object({ who: z.string() }),
  execute: ({ who }) => {
    if (who === 'nobody') throw new Error('There is no such person.');
    return `${who} is here.`;
  },
});

/** A run of find, find, pay, by a store or without one. */
const payingRun = async (store = memoryStore(), runId = 'paid') => {
  const model = scriptedModel([
    calls({ name: 'find', input: { who: 'nobody' } }),
    calls({ name: 'find', input: { who: 'Ada' } }),
    calls({ name: 'pay', input: { to: 'Ada', usd: 3 } }),
    'Done.',
  ]);
  const clerk = agent({ name: 'clerk', tools: [find, pay], model });
  return { result: await clerk.run('Pay Ada.', { store, runId }), clerk, store, model };
};

describe('evaluators of a journal', () => {
  const passes = async (evaluator: Evaluator) => {
    const { result } = await payingRun();
    return (await evaluators.all([evaluator]).evaluate({ result, input: '' })) as {
      passed: boolean;
      score: number;
      reason?: string;
    };
  };

  test.each<[string, Evaluator, boolean, number]>([
    ['calls in order, with others between', evaluators.trajectory({ calls: ['find', 'pay'] }), true, 1],
    ['calls in another order', evaluators.trajectory({ calls: ['pay', 'find'] }), false, 0.5],
    ['in any order', evaluators.trajectory({ calls: ['pay', 'find'], order: 'any' }), true, 1],
    ['and no others', evaluators.trajectory({ calls: ['find', 'pay'], extras: false }), false, 2 / 3],
    ['exactly these', evaluators.trajectory({ calls: ['find', 'find', 'pay'], extras: false }), true, 1],
    [
      'with a part of the input',
      evaluators.trajectory({ calls: [{ tool: 'pay', input: { to: 'Ada' } }] }),
      true,
      1,
    ],
    [
      'with another input',
      evaluators.trajectory({ calls: [{ tool: 'pay', input: { to: 'Bob' } }] }),
      false,
      0,
    ],
    ['by an agent', evaluators.trajectory({ calls: [{ tool: 'pay', by: 'boss' }] }), false, 0],
    [
      'a call that fits two is given to the one that nothing else fits',
      evaluators.trajectory({ calls: ['find', { tool: 'find', input: { who: 'nobody' } }], order: 'any' }),
      true,
      1,
    ],
    ['no calls at all', evaluators.trajectory({ calls: [], extras: false }), false, 0],
    ['tools used', evaluators.toolUse({ used: ['find', 'pay'], unused: ['wipe'], most: 3 }), true, 1],
    ['tools not used', evaluators.toolUse({ used: ['wipe'], mostFailed: 0 }), false, 0],
    ['one of two conditions', evaluators.toolUse({ used: ['pay'], most: 2 }), false, 0.5],
    ['no repeated calls', evaluators.toolUse({ mostRepeated: 0 }), true, 1],
    ['ended as it should', evaluators.endsFor(), true, 1],
    ['ended otherwise', evaluators.endsFor('maxSteps', 'refused'), false, 0],
    ['steps', evaluators.steps(4), true, 1],
    ['too many steps', evaluators.steps(3), false, 0],
    ['time', evaluators.time(60_000), true, 1],
    ['a policy that allows', evaluators.obeys(policy({ mode: 'bypass' })), true, 1],
    [
      'a policy that denies',
      evaluators.obeys(policy({ rules: [{ name: 'no-pay', effect: 'deny', tool: 'pay' }] }), {
        tools: [find, pay],
      }),
      false,
      2 / 3,
    ],
    ['a policy that would ask', evaluators.obeys(policy({}), { tools: [find, pay] }), false, 2 / 3],
  ])('%s', async (_, evaluator, passed, score) => {
    const found = await passes(evaluator);
    expect([found.passed, found.score]).toEqual([passed, expect.closeTo(score, 10)]);
  });

  test('an approved call obeys a policy that asks', async () => {
    const { clerk } = await payingRun();
    const rules = policy({ rules: [{ name: 'payments', effect: 'ask', tool: 'pay' }] });
    const model = scriptedModel([calls({ name: 'pay', input: { to: 'Ada', usd: 3 } }), 'Done.']);
    const result = await clerk.run('Pay.', {
      model,
      safety: rules,
      person: { answer: () => '', approve: () => true },
    });
    const found = await evaluators.all([evaluators.obeys(rules)]).evaluate({ result, input: '' });
    expect(found).toMatchObject({ passed: true });
  });

  test('a policy that reads what is not on record is an error, and so is nothing to compare with', async () => {
    const withFunction = policy({ rules: [() => undefined] });
    expect((await passes(evaluators.obeys(withFunction))).reason).toContain('not on record');
    expect((await passes(evaluators.trajectory())).reason).toContain('none are expected');
    expect((await passes(evaluators.exact())).reason).toContain('nothing is expected');
  });

  test('an unknown price is an error, and no pass', async () => {
    const model = { ...scriptedModel(['x']), isLanguageModel: true };
    const result = await agent({ name: 'a', model }).run('x');
    const found = await evaluators.all([evaluators.cost(100)]).evaluate({ result, input: '' });
    expect(found).toMatchObject({ passed: false, reason: expect.stringContaining('no price is known') });
  });
});

describe('recorded runs', () => {
  test('are graded as they were when they ended, without asking any model or executing anything', async () => {
    const store = memoryStore();
    const { model, clerk } = await payingRun(store);
    const asked = model.requests.length;
    const measured = defineEval({
      name: 'payments',
      agent: clerk,
      dataset: [{ input: 'never read' }],
      evaluators: [
        evaluators.trajectory({ calls: ['find', 'pay'] }),
        evaluators.matches(/Done/),
        evaluators.steps(4),
        evaluators.toolUse({ mostFailed: 0 }),
        evaluators.judge({ criterion: 'It is polite.', model: scriptedModel([], 'judge') }),
      ],
      gates: [{ measure: 'passRate', evaluator: 'It is polite.', atLeast: 0 }],
    });
    const report = await measured.grade({ store });
    expect(model.requests).toHaveLength(asked);
    expect(report).toMatchObject({
      dataset: 'memory',
      verdict: 'failed',
      summary: {
        runs: 1,
        // What the run cost was paid when it ran.
        spent: { runsUsd: 0, judgesUsd: 0 },
        evaluators: [
          { name: 'trajectory', passRate: { value: 1 } },
          { name: 'matches', passRate: { value: 1 } },
          { name: 'steps', passRate: { value: 1 } },
          { name: 'toolUse', passRate: { value: 0 } },
        ],
        skipped: [{ evaluator: 'It is polite.' }],
      },
      gates: [{ passed: false, reason: expect.stringContaining('was not asked') }],
    });
    expect(report.cases[0]?.tries[0]?.evaluations[3]?.reason).toContain('1 calls failed');
  });

  test('are expected to answer what the dataset expects of their input, unless a person has said otherwise', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', model: parrot() });
    for (const { id, input } of cases) await clerk.run(input, { store, runId: id });
    await clerk.run('Say:Bonn', { store, runId: 'other' });
    await feedback.add(store, 'c', { expected: 'Lima' });
    const { cases: graded, summary } = await evalOf().grade({ store });
    // What the runs cost was paid when they ran.
    expect(summary).toMatchObject({ costUsd: { value: expect.closeTo(0.01, 10) }, spent: { runsUsd: 0 } });
    expect(graded.map(({ case: { id, expected }, tries }) => [id, expected, tries[0]?.passed])).toEqual([
      ['a', 'Paris', true],
      ['b', 'Rome', true],
      ['c', 'Lima', true],
      ['other', undefined, false],
    ]);
  });

  test('that have not ended, or are of another agent, are no cases; a damaged one is named', async () => {
    const store = memoryStore();
    const { clerk } = await payingRun(store);
    const read = store.read.bind(store);
    store.read = async (runId, ...given) => {
      const rows = await read(runId, ...given);
      return rows.map((row) => (row.n === 3 ? { ...row, text: row.text.replace('"', '') } : row));
    };
    const report = await defineEval({
      name: 'p',
      agent: clerk,
      dataset: [],
      evaluators: [evaluators.endsFor()],
    }).grade({ store });
    expect(report).toMatchObject({ left: [{ runId: 'paid' }], summary: { runs: 0 } });
  });

  test('with labels of people give the agreement of a judge, and a gate on it', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', model: parrot() });
    const labels = [true, true, true, false, false, true, false, true];
    for (const [index, good] of labels.entries()) {
      await clerk.run(`Say:${index}`, { store, runId: `r${index}` });
      await feedback.add(store, `r${index}`, { good });
    }
    // Agrees with people but for the last.
    const judge = scriptedModel(
      labels.map((good, index) => JSON.stringify({ score: good && index < 7 ? 1 : 0, reason: 'so' })),
      'judge',
    );
    const report = await defineEval({
      name: 'judged',
      agent: clerk,
      dataset: [],
      evaluators: [evaluators.judge({ criterion: 'It is right.', name: 'right', model: judge })],
      gates: [
        { measure: 'kappa', evaluator: 'right', atLeast: 0.7 },
        { measure: 'kappa', evaluator: 'right', atLeast: 0.7, surely: true },
      ],
    }).grade({ store, judges: true });
    expect(report.summary.evaluators[0]?.agreement).toMatchObject({
      labelled: 8,
      bothPass: 4,
      onlyEvaluator: 0,
      onlyPerson: 1,
      bothFail: 3,
      kappa: { value: expect.closeTo(0.75, 10) },
    });
    expect(report.gates.map(({ passed }) => passed)).toEqual([true, false]);
  });
});
