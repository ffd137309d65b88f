import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

const stage = (name: string, does = (input: unknown) => `${name}(${String(input)})`) =>
  agent({ name, decide: ({ input }) => answer(does(input)) });

const throws = (): never => {
  throw new Error('out of paper');
};

test('[KAIZEN-34] what a stage gives is what the next one gets, and each is asked as it was set up', async () => {
  const models = ['one', 'two'].map((text) => scriptedModel([text]));
  const [first, second] = models.map((model, index) =>
    agent({
      name: `s${index}`,
      model,
      instructions: `Stage ${index}.`,
      settings: { temperature: index / 2 },
    }),
  );
  if (first === undefined || second === undefined) throw new Error('there are two');
  const line = pipeline({ name: 'line', stages: [first, second] });
  const { output, events } = await settled(start(line, 'go'));
  expect(output).toBe('two');
  expect(models.map(({ requests }) => requests)).toMatchObject([
    [{ instructions: 'Stage 0.', settings: { temperature: 0 }, messages: [{ text: 'go' }] }],
    [{ instructions: 'Stage 1.', settings: { temperature: 0.5 }, messages: [{ text: 'one' }] }],
  ]);
  expect(ofType(events, 'member.engaged').map(({ path }) => path)).toEqual(['line/s0-1', 'line/s1-2']);
});

test('[KAIZEN-35] [D15] the second of three stages throws: the third does not run, and nothing is made of the error', async () => {
  const line = pipeline({ name: 'line', stages: [stage('a'), stage('b', throws), stage('c')] });
  const result = await settled(start(line, 'go'));
  expect(result).toMatchObject({ status: 'failed', output: undefined, error: { code: 'agent.threw' } });
  expect(result.error?.message).toContain('out of paper');
  expect(ofType(result.events, 'member.engaged').map(({ member }) => member)).toEqual(['a', 'b']);
});

test('[KAIZEN-38] work that the supervisor is not content with is done again, and every task is accounted for', async () => {
  const plan = (assignments: readonly (readonly [string, string])[], said: string | null = null) =>
    JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer: said });
  const supervisor = scriptedModel([
    plan([
      ['ann', 'draw'],
      ['bob', 'count'],
    ]),
    ({ messages }) => {
      expect(messages.at(-1)?.text).toContain('[ann] draw\nann(draw)\n[bob] count\n(failed: ');
      return plan([['bob', 'count again']]);
    },
    plan([], 'all done'),
  ]);
  const bob = stage('bob', (task) => (task === 'count' ? throws() : '42'));
  const desk = supervisorWorker({
    name: 'desk',
    supervisor: { model: supervisor },
    workers: { ann: stage('ann'), bob },
  });
  const { output, events } = await settled(start(desk, 'go'));
  expect(output).toBe('all done');
  expect(supervisor.requests[2]?.messages.at(-1)?.text).toMatch(
    /ann\(draw\)[^]*failed[^]*\[bob\] count again\n42/,
  );
  const planned = ofType(events, 'team.planned').flatMap(({ assignments }) =>
    assignments.map(({ member }) => member),
  );
  const ended = ofType(events, 'member.ended').filter(({ member }) => member !== 'desk-supervisor');
  expect(ended.map(({ member }) => member).toSorted()).toEqual(planned.toSorted());
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['completed', 'completed', 'failed']);
});

test('[KAIZEN-47] a pattern is an agent: ten of them, one within the other, give what the innermost gave', async () => {
  let nest: Agent = agent({
    name: 'seed',
    tools: [echo],
    decide: ({ step, input }) =>
      step === 0 ? act({ name: 'echo', input: { text: input } }) : answer(['grown', input]),
  });
  for (let level = 10; level > 0; level -= 1) nest = pipeline({ name: `p${level}`, stages: [nest] });
  const { output, events } = await settled(start(nest, 'tree'));
  expect(output).toEqual(['grown', 'tree']);
  const deepest = ofType(events, 'tool.finished')[0]?.path;
  expect(deepest).toBe('p1/p2-1/p3-1/p4-1/p5-1/p6-1/p7-1/p8-1/p9-1/p10-1/seed-1');
  expect(ofType(events, 'member.ended')).toHaveLength(10);
});
