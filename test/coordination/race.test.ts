import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { race } from '../../src/patterns/index.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, settled, start } from '../support/runs.ts';

/** Answers, or fails, after so long. */
const runner = (
  clock: VirtualClock,
  name: string,
  ms: number,
  said: string | Error,
  stopped: string[] = [],
) =>
  agent({
    name,
    decide: ({ signal }) => {
      signal.addEventListener('abort', () => stopped.push(name));
      return new Promise((resolve, reject) => {
        clock.setTimeout(() => {
          if (said instanceof Error) reject(said);
          else resolve({ kind: 'answer', answer: said });
        }, ms);
      });
    },
  });

describe('a race', () => {
  const run = async <Output, State>(
    clock: VirtualClock,
    subject: Agent<string, Output, State>,
  ): Promise<RunResult<Output, State>> => letTimePass(clock, settled(start(subject, 'go', { clock })), 100);
  const startedAt = (result: RunResult<unknown, unknown>) =>
    ofType(result.events, 'member.engaged').map(({ member, at }) => [
      member,
      at - (result.events[0]?.at ?? 0),
    ]);

  test('the second starts only when the first takes long; the first answer wins, and the other is really stopped', async () => {
    const clock = virtualClock(0);
    const stopped: string[] = [];
    const members = {
      slow: runner(clock, 'slow', 60_000, 'late', stopped),
      fast: runner(clock, 'fast', 1_000, 'here'),
      never: runner(clock, 'never', 1, 'x'),
    };
    const result = await run(clock, race({ name: 'quick', members, hedgeAfterMs: 2_000 }));
    expect(result).toMatchObject({ output: 'here', state: { winner: 'fast' } });
    expect(startedAt(result)).toEqual([
      ['slow', 0],
      ['fast', 2_000],
    ]);
    expect(stopped).toEqual(['slow']);
    expect(result.state.losers.map(({ member }) => member)).toEqual(['slow']);
    expect(clock.pending).toBeLessThanOrEqual(1);
  });

  test('one that is fast costs no more than itself', async () => {
    const clock = virtualClock(0);
    const members = { one: runner(clock, 'one', 100, 'here'), two: runner(clock, 'two', 1, 'x') };
    const result = await run(clock, race({ name: 'quick', members }));
    expect(startedAt(result).map(([member]) => member)).toEqual(['one']);
  });

  test('one that fails makes room for the next at once', async () => {
    const clock = virtualClock(0);
    const members = {
      one: runner(clock, 'one', 100, new Error('dead')),
      two: runner(clock, 'two', 100, 'x'),
    };
    const result = await run(clock, race({ name: 'quick', members, hedgeAfterMs: 60_000 }));
    expect(startedAt(result)).toEqual([
      ['one', 0],
      ['two', 100],
    ]);
  });

  test('an answer that is not good enough does not win, and is kept as what was said', async () => {
    const clock = virtualClock(0);
    const members = { one: runner(clock, 'one', 100, ''), two: runner(clock, 'two', 5_000, 'good') };
    const subject = race({ name: 'quick', members, accept: (answer) => answer !== '' });
    expect((await run(clock, subject)).output).toBe('good');
    const none = race({ name: 'quick', members, accept: () => false });
    expect(await run(clock, none)).toMatchObject({
      status: 'stopped',
      stopReason: {
        kind: 'rule',
        rule: 'race',
        detail: 'one: its answer was not accepted; two: its answer was not accepted',
      },
      candidate: [{ member: 'one' }, { member: 'two', output: 'good' }],
    });
  });

  test('a judge that throws accepts nothing, and says so', async () => {
    const clock = virtualClock(0);
    const members = { one: runner(clock, 'one', 1, 'x'), two: runner(clock, 'two', 1, 'y') };
    const accept = (): boolean => {
      throw new Error('no glasses');
    };
    expect(await run(clock, race({ name: 'quick', members, accept }))).toMatchObject({
      status: 'stopped',
      candidate: [{ reason: expect.stringContaining('no glasses') as string }, { output: 'y' }],
    });
  });
});

test('one runner is no race, and a wait is a whole number', () => {
  const one = agent({ name: 'one' });
  expect(() => race({ name: 'quick', members: { one } })).toThrowError(
    'needs two members at least: found ["one"]',
  );
  expect(() => race({ name: 'quick', members: { one, two: one }, hedgeAfterMs: -1 })).toThrowError(
    'hedgeAfterMs',
  );
});
