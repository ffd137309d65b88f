import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { stepPlanOf } from '../../src/patterns/state/step-plan.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { plannerExecutor, supervisorWorker } from '../../src/patterns/index.ts';
import type { PlannerExecutorSetup } from '../../src/patterns/planner-executor.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, phasesOf, quiet, settled, start } from '../support/runs.ts';

const dead = new Error('out of paper');

const says = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script);
  return {
    model,
    agent: agent({ name, description: `good at ${name}`, failures: { retry: { attempts: 1 } }, model }),
  };
};

const plan = (...steps: readonly (readonly [executor: string, task: string])[]): string =>
  JSON.stringify({ steps: steps.map(([executor, task]) => ({ executor, task })), answer: null });

const done = (text: string): string => JSON.stringify({ steps: [], answer: text });

const textsOf = ({ requests }: ReturnType<typeof scriptedModel>) =>
  requests.map(({ messages }) => messages[0]?.text ?? '');

describe('a planner and executors', () => {
  const run = async (
    planner: Agent,
    executors: Readonly<Record<string, Agent<string, unknown>>>,
    more: Partial<PlannerExecutorSetup> = {},
  ) => settled(start(plannerExecutor({ name: 'trip', planner, executors, ...more }), 'Oslo'));

  const order = (events: Parameters<typeof ofType>[0]) =>
    ofType(events, 'member.engaged').map(({ member }) => member);

  test('[QITOS-94] the planner plans, each step knows those before, the planner answers, in this order', async () => {
    const planner = says('pia', plan(['ann', 'find'], ['bob', 'pay'], ['ann', 'go']), done('gone'));
    const ann = says('ann', 'a train', 'I went');
    const bob = says('bob', '300 euros');
    const result = await run(planner.agent, { ann: ann.agent, bob: bob.agent });
    expect(result).toMatchObject({ status: 'completed', stopReason: { kind: 'answered' }, output: 'gone' });
    expect(order(result.events)).toEqual(['pia', 'ann', 'bob', 'ann', 'pia']);
    expect(phasesOf(result.events, 'trip')).toEqual([
      'drawingUp',
      'planned',
      'executing',
      'executed',
      'executing',
      'executed',
      'executing',
      'executed',
      'concluding',
      'concluded',
      'completed',
    ]);
    expect(ofType(result.events, 'team.planned').map(({ assignments }) => assignments)).toEqual([
      [
        { member: 'ann', task: 'find' },
        { member: 'bob', task: 'pay' },
        { member: 'ann', task: 'go' },
      ],
    ]);
    const [first, last] = textsOf(planner.model);
    expect(first).toContain('Request: Oslo');
    expect(first).toContain('- ann: good at ann\n- bob: good at bob');
    expect(last).toContain('1. [ann] find: a train\n2. [bob] pay: 300 euros\n3. [ann] go: I went');
    expect(textsOf(ann.model)[0]).toBe('Request: Oslo\n\nYour step: find');
    expect(textsOf(bob.model)[0]).toContain('Done so far:\n1. [ann] find: a train');
    expect(textsOf(ann.model)[1]).toContain('2. [bob] pay: 300 euros');
  });

  test('a step that fails has the rest planned anew; what was done stays done', async () => {
    const planner = says(
      'pia',
      plan(['ann', 'find'], ['bob', 'pay'], ['ann', 'go']),
      plan(['ann', 'borrow'], ['ann', 'go']),
      done('gone'),
    );
    const ann = says('ann', 'a train', 'borrowed', 'I went');
    const result = await run(planner.agent, { ann: ann.agent, bob: says('bob', dead).agent });
    expect(result).toMatchObject({ status: 'completed', output: 'gone' });
    expect(order(result.events)).toEqual(['pia', 'ann', 'bob', 'pia', 'ann', 'ann', 'pia']);
    expect(phasesOf(result.events, 'trip').filter((phase) => phase === 'replanning')).toHaveLength(1);
    const again = textsOf(planner.model)[1];
    expect(again).toMatch(/The plan cannot go on: 'bob' did not do 'pay': .*out of paper/);
    expect(again).toContain('Not begun: go');
    expect(textsOf(ann.model)[1]).toMatch(/2\. \[bob\] pay: not done \(.*out of paper/);
  });

  test('planned anew too often it stops, with what was done and what was not', async () => {
    const planner = says('pia', ...Array.from({ length: 5 }, () => plan(['ann', 'find'])));
    const result = await run(
      planner.agent,
      { ann: says('ann', 'a train', dead, dead, dead).agent },
      { maxReplans: 1 },
    );
    // One plan that went well is the end of it: the answer is wanted then, and this planner gives none.
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'planner', detail: 'the planner gave no answer' },
      candidate: [{ task: 'find', member: 'ann', status: 'completed', output: 'a train', error: null }],
    });
    const failing = await run(
      says('pia', ...Array.from({ length: 5 }, () => plan(['ann', 'find']))).agent,
      { ann: says('ann', dead, dead, dead).agent },
      { maxReplans: 1 },
    );
    expect(failing).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'replans' },
      candidate: [{ status: 'failed' }, { status: 'failed' }],
    });
  });

  test.each([
    { what: 'no plan', said: 'Let us see.', trouble: 'it is no plan: Let us see.' },
    {
      what: 'nobody who is there',
      said: plan(['zoe', 'find']),
      trouble: "'find' is for 'zoe', who is not there",
    },
    { what: 'nobody of several', said: '{"steps": ["find"]}', trouble: "'find' is for nobody" },
    { what: 'no word', said: '{"steps": [{"executor": "ann"}]}', trouble: 'one of its steps says nothing' },
    { what: 'no step', said: '{"steps": []}', trouble: 'it has no steps' },
  ])('a plan that says $what is asked for again, and is not begun', async ({ said, trouble }) => {
    const planner = says('pia', said, plan(['ann', 'find']), done('found'));
    const ann = says('ann', 'a train');
    const result = await run(planner.agent, { ann: ann.agent, bob: says('bob').agent });
    expect(result).toMatchObject({ status: 'completed', output: 'found' });
    expect(textsOf(planner.model)[1]).toContain(`The plan cannot go on: ${trouble}`);
    expect(order(result.events)).toEqual(['pia', 'pia', 'ann', 'pia']);
    const bounded = await run(
      says('pia', said).agent,
      { ann: ann.agent, bob: says('bob').agent },
      { maxReplans: 0 },
    );
    expect(bounded).toMatchObject({ status: 'stopped', stopReason: { rule: 'replans' } });
    expect(bounded.candidate).toBeUndefined();
  });

  test('a planner that has the answer already gives it, and nobody else works', async () => {
    const result = await run(says('pia', done('Stay at home.')).agent, { ann: says('ann').agent });
    expect(result).toMatchObject({ status: 'completed', output: 'Stay at home.' });
    expect(order(result.events)).toEqual(['pia']);
  });

  test('what the last step gave is the result, if that is wanted', async () => {
    const planner = says('pia', plan(['ann', 'find'], ['bob', 'pay']));
    const executors = { ann: says('ann', 'a train').agent, bob: says('bob', 'paid').agent };
    const result = await run(planner.agent, executors, { result: 'last' });
    expect(result).toMatchObject({ status: 'completed', output: 'paid' });
    expect(order(result.events)).toEqual(['pia', 'ann', 'bob']);
  });

  test.each([
    { result: 'last' as const, calls: 2, output: 'a train' },
    { result: 'answer' as const, calls: 3, output: 'by train' },
  ])('after a failure nothing may be left to do: $result', async ({ result, calls, output }) => {
    const planner = says('pia', plan(['ann', 'find'], ['bob', 'pay']), '{"steps": []}', 'by train');
    const executors = { ann: says('ann', 'a train').agent, bob: says('bob', dead).agent };
    expect(await run(planner.agent, executors, { result })).toMatchObject({ status: 'completed', output });
    expect(planner.model.requests).toHaveLength(calls);
  });

  test('[P1] a planner that fails ends it, with the results so far', async () => {
    const none = await run(says('pia', dead).agent, { ann: says('ann').agent });
    expect(none.status).toBe('failed');
    expect(none.candidate).toBeUndefined();
    const later = await run(says('pia', plan(['ann', 'find'], ['bob', 'pay']), dead).agent, {
      ann: says('ann', 'a train').agent,
      bob: says('bob', dead).agent,
    });
    expect(later).toMatchObject({
      status: 'failed',
      candidate: [{ output: 'a train' }, { status: 'failed' }],
    });
    const last = await run(says('pia', plan(['ann', 'find']), dead).agent, { ann: says('ann', 'x').agent });
    expect(last).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'planner' },
      candidate: [{ output: 'x' }],
    });
    expect(JSON.stringify(last.stopReason)).toContain('out of paper');
  });

  test.each([1, 2, 3])('a budget of %i that is spent stops it, with the results so far', async (steps) => {
    const planner = says('pia', plan(['ann', 'find'], ['ann', 'go']), done('gone'));
    const result = await run(
      planner.agent,
      { ann: says('ann', 'x', 'y').agent },
      { limits: { budget: { steps } } },
    );
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget', limit: steps } });
    expect(result.candidate).toHaveLength(Math.min(steps, 2));
  });

  test('[P10] so many steps are carried out, and no more', async () => {
    const long = plan(['ann', 'a'], ['ann', 'b'], ['ann', 'c']);
    const well = await run(
      says('pia', long).agent,
      { ann: says('ann', '1', '2', '3').agent },
      { maxSteps: 2 },
    );
    expect(well).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'maxSteps', limit: 2 },
      candidate: [{ output: '1' }, { output: '2' }],
    });
    const ill = await run(says('pia', long, long).agent, { ann: says('ann', dead).agent }, { maxSteps: 1 });
    expect(ill.stopReason).toEqual({ kind: 'maxSteps', limit: 1 });
  });

  test('what people say meanwhile is read by whoever is next', async () => {
    const ann = says('ann', 'x');
    const planner = agent({
      name: 'pia',
      decide: async ({ step }) => (await quiet(), answer(step === 0 ? plan(['ann', 'find']) : done('ok'))),
    });
    const team = plannerExecutor({ name: 'trip', planner, executors: { ann: ann.agent } });
    const handle = start(team, 'go');
    handle.send('by train');
    await settled(handle);
    expect(textsOf(ann.model)[0]).toContain('Message from person: by train');
  });
});

test('a plan is read as it is meant', () => {
  const ann = { steps: [{ task: 'find', executor: 'ann' }], answer: null, trouble: null };
  expect(stepPlanOf('{"steps": ["find"]}', ['ann'])).toEqual(ann);
  expect(stepPlanOf('Well: [{"task": " find ", "executor": null}]', ['ann'])).toEqual(ann);
  expect(stepPlanOf({ steps: [], answer: ' ' }, ['ann'])).toEqual({ steps: [], answer: null, trouble: null });
});

test('what cannot be a team is refused; what it gives follows from the result wanted', () => {
  const ann = agent({ name: 'ann', output: z.number() });
  const make = (executors: Readonly<Record<string, Agent<string, number>>>, more: object = {}) =>
    plannerExecutor({ name: 'trip', planner: {}, executors, ...more });
  expect(() => make({})).toThrow('found {}');
  expect(() => make({ planner: ann })).toThrow("none of them called 'planner'");
  expect(() => make({ ann }, { maxSteps: 0 })).toThrow('maxSteps is not a whole number from 1');
  expect(() => make({ ann }, { maxReplans: 0.5 })).toThrow('maxReplans is not a whole number from 0');
  const setup = { name: 'trip', planner: {}, executors: { ann } };
  expectTypeOf(plannerExecutor(setup)).toExtend<Agent<string, string>>();
  expectTypeOf(plannerExecutor({ ...setup, result: 'last' })).toExtend<Agent<string, number>>();
});

test('it is not a supervisor: a step waits for the one before, and knows what came of it', async () => {
  const reader = () => {
    const model = scriptedModel([async () => (await quiet(), 'read')]);
    return { model, agent: agent({ name: 'ann', model }) };
  };
  const writer = () => says('bob', 'written');
  const [slow, quick] = [reader(), writer()];
  const planner = says('pia', plan(['ann', 'read'], ['bob', 'write']), done('ok'));
  const executors = { ann: slow.agent, bob: quick.agent };
  await plannerExecutor({ name: 'trip', planner: planner.agent, executors }).run('go');
  expect(textsOf(quick.model)[0]).toContain('read');
  const [slowToo, quickToo] = [reader(), writer()];
  const assignments = [
    { worker: 'ann', task: 'look it up' },
    { worker: 'bob', task: 'write' },
  ];
  const supervisor = { model: scriptedModel([JSON.stringify({ assignments, answer: null })]) };
  const workers = { ann: slowToo.agent, bob: quickToo.agent };
  await supervisorWorker({ name: 'desk', supervisor, workers, result: 'replies' }).run('go');
  expect(textsOf(quickToo.model)[0]).not.toContain('read');
});
