import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/decision.ts';
import { agent } from '../../src/runtime/agent.ts';
import { supervisorWorker } from '../../src/runtime/patterns.ts';
import { interpreters, settled, start } from '../support/runs.ts';

const worker = agent({ name: 'worker', decide: () => answer('done') });

const NONSENSE = [0, -1, 1.5, Number.NaN, Infinity];

test.each(NONSENSE)('no agent and no team works on %s things at a time', (count) => {
  expect(() => agent({ name: 'a', toolConcurrency: count })).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: `Cannot define the agent 'a' as its toolConcurrency is no whole number from 1: ${String(count)}`,
    }),
  );
  const team = { name: 't', supervisor: {}, workers: { worker } };
  expect(() => supervisorWorker({ ...team, concurrency: count })).toThrow(
    expect.objectContaining({
      code: 'team.invalid',
      message: expect.stringMatching(/'t' as its concurrency/),
    }),
  );
  expect(() => supervisorWorker({ ...team, maxAssignments: count })).toThrow(
    expect.objectContaining({ code: 'team.invalid' }),
  );
});

test('none is a bound of rejections and of rounds, but no number is not', () => {
  expect(() => agent({ name: 'a', maxRejections: 0 })).not.toThrow();
  expect(() => agent({ name: 'a', maxRejections: Number.NaN })).toThrow(
    /maxRejections is no whole number from 0: NaN/,
  );
  const team = { name: 't', supervisor: {}, workers: { worker } };
  expect(() => supervisorWorker({ ...team, maxRounds: 0 })).not.toThrow();
  expect(() => supervisorWorker({ ...team, maxRounds: Infinity })).toThrow(
    /maxRounds is no whole number from 0/,
  );
});

describe.each(interpreters)('$name', ({ host }) => {
  test.each([0, -1, Number.NaN])('a run that may do %s things at a time does one', async (concurrency) => {
    expect((await settled(start(worker, 'go', { concurrency }, host?.()))).output).toBe('done');
  });
});
