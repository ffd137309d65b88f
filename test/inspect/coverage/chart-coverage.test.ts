import { expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { chartCoverage } from '../../../src/inspect/coverage/chart-coverage.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';
import { toMermaid } from '../../../src/machines/diagrams/diagram.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, settled } from '../../support/runs.ts';

const clock = () => virtualClock(1_000);

/** Takes 20 ms for each of its calls. */
const walker = (time: ReturnType<typeof clock>, name = 'walker') =>
  agent({
    name,
    tools: [
      tool({
        name: 'walk',
        description: 'Walks.',
        input: z.object({}),
        execute: () =>
          new Promise<string>((resolve) => {
            time.setTimeout(() => {
              resolve('walked');
            }, 20);
          }),
      }),
    ],
    decide: ({ step }) => (step < 3 ? act({ name: 'walk', input: {} }) : answer('there')),
  });

const recorded = async () => {
  const time = clock();
  const record = recorder();
  const team = pipeline({ name: 'team', stages: [walker(time), walker(time, 'other')] });
  await letTimePass(time, settled(team.stream('go', { clock: time, inspect: record })), 500);
  return record.recording;
};

const TO_ACT = 'agent.running.DECIDE: answered.decide #2 [wantsToAct]';

test('each arrow has how often it was taken, and those that never were are named', async () => {
  const found = chartCoverage([await recorded(), await recorded()]);
  expect(found.taken.get(TO_ACT)).toBe(12);
  expect(found.taken.get('pipeline.judging: always #0 [isCompleted]')).toBe(2);
  expect(found.neverTaken).toContain('agent.running.DECIDE: answered.decide #0 [isTroubled]');
  expect(found.neverTaken).not.toContain(TO_ACT);
  expect(found.actors).toBe(2 * (1 + 2 + 6));
});

test('each state has how long actors were in it, and so has what is around it', async () => {
  const found = chartCoverage([await recorded()], { name: 'walker' });
  expect(found.actors).toBe(1);
  expect(found.dwellMs.get('agent.running.ACT')).toBe(60);
  expect(found.dwellMs.get('agent.running')).toBe(60);
  expect(found.visits.get('agent.running.ACT')).toBe(3);
  expect(found.visits.get('agent.running')).toBe(1);
  expect(found.dwellMs.get('pipeline.working')).toBeUndefined();
});

test('a diagram shows them where it is given them, and is what it was where it is not', async () => {
  const overlay = chartCoverage([await recorded()]);
  const lines = toMermaid(agentMachine, { overlay, descriptions: 'none' })
    .split('\n')
    .map((line) => line.trim());
  expect(lines).toContain(
    'DECIDE --> ACT : answered.decide [wantsToAct] ×6<br/>answered.recover [actsInstead] ×0',
  );
  expect(lines).toContain('state "ACT (120 ms)" as ACT');
  expect(lines.some((line) => line.endsWith('×0'))).toBe(true);
  expect(toMermaid(agentMachine)).not.toContain('×');
});
