import { expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { textOf } from '../../src/coordination/round/said-json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { isStageFailure, pipeline } from '../../src/patterns/index.ts';
import type { OnStageError } from '../../src/patterns/pipeline.ts';
import { ofType, settled, start } from '../support/runs.ts';
import { turnsOf } from './turns.ts';

const stage = (name: string, fails = false) =>
  agent({
    name,
    decide: ({ input }) => {
      if (fails) throw new Error(`${name} fell`);
      return answer(`${name}(${textOf(input)})`);
    },
  });

const run = (onError: OnStageError, last = false) => {
  const [a, b, c] = [stage('a'), stage('b', !last), stage('c', last)];
  return settled(
    start(
      pipeline({ name: 'line', stages: [a, { agent: b, onError: 'stop' }, { agent: c, onError }] }),
      'go',
    ),
  );
};
const line = (onStageError: OnStageError, map?: (previous: Json) => Json) =>
  settled(
    start(
      pipeline({
        name: 'line',
        stages: [stage('a'), stage('b', true), { agent: stage('c'), map }],
        onStageError,
      }),
      'go',
    ),
  );

test('[KAIZEN-35] stop: the stages after it never start', async () => {
  const result = await line('stop');
  expect(turnsOf(result, 'line')).toEqual(['a', 'b']);
  expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
  expect(ofType(result.events, 'stage.failed')).toEqual([]);
});

test('[KAIZEN-35] [D15] continue: the next stage gets a marker, and never the error as if it were a result', async () => {
  const given: Json[] = [];
  const result = await line('continue', (previous) => {
    given.push(previous);
    return isStageFailure(previous) ? `without ${previous.member}` : 'all is well';
  });
  expect(result.output).toBe('c(without b)');
  expect(given[0]).toMatchObject({
    kind: 'stageFailure',
    stage: 1,
    member: 'b',
    code: 'agent.threw',
    candidate: null,
  });
  expect(result.state).toMatchObject({ failures: [{ stage: 1, member: 'b' }] });
  expect(ofType(result.events, 'stage.failed')).toMatchObject([{ stage: 1, member: 'b', rule: 'continue' }]);
  const unmapped = await line('continue');
  expect(unmapped.output).toContain('"kind": "stageFailure"');
});

test('[KAIZEN-35] fallback: a value or another agent in its place', async () => {
  expect((await line({ value: 'plan B' })).output).toBe('c(plan B)');
  const other = await line({ agent: stage('other') });
  expect(other.output).toBe('c(other(a(go)))');
  expect(turnsOf(other, 'line')).toEqual(['a', 'b', 'other', 'c']);
  const worse = await line({ agent: stage('worse', true) });
  expect(worse).toMatchObject({ status: 'failed', error: { path: 'line/worse-3' } });
  expect(ofType(worse.events, 'stage.failed')).toHaveLength(1);
});

test('[KAIZEN-34] each stage is set up by itself, and what it says counts before what the pipeline says', async () => {
  expect((await run('continue')).status).toBe('failed');
  expect(await run({ value: 'at least' }, true)).toMatchObject({ status: 'completed', output: 'at least' });
  // Nobody comes after the last one who could do without its output.
  expect((await run('continue', true)).status).toBe('failed');
});

test('a budget that is spent ends it, whatever the rule', async () => {
  const team = pipeline({
    name: 'line',
    stages: [stage('a'), stage('b'), stage('c')],
    onStageError: { value: 'never' },
    limits: { budget: { steps: 1 } },
  });
  expect((await settled(start(team, 'go'))).stopReason).toMatchObject({
    kind: 'budget',
    path: 'line',
  });
});

test('a rule that is none is refused where the pipeline is defined', () => {
  const wrong = 'retry' as never;
  expect(() => pipeline({ name: 'line', stages: [{ agent: stage('a'), onError: wrong }] })).toThrow(
    expect.objectContaining({ code: 'team.invalid', message: expect.stringContaining("found 'retry'") }),
  );
  expect(isStageFailure('stageFailure')).toBe(false);
});
