import { describe, expect, test } from 'vitest';
import type { Environment, EnvironmentAction } from '../../src/contracts/environments/environment.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';

const scope = { runId: 'r', path: 'a' };
const action: EnvironmentAction = {
  callId: 'call_0_0',
  tool: 'push',
  input: {},
  result: { callId: 'call_0_0', tool: 'push', ok: true, text: 'ok', value: 'ok', durationMs: 0, attempts: 1 },
};

const throws = (): never => {
  throw new Error('it broke');
};

/** An environment that takes down what is called, in order. */
const recorded = (changes: Partial<Environment> = {}) => {
  const calls: string[] = [];
  const note = (name: string) => () => void calls.push(name);
  const environment: Environment = {
    name: 'recorded',
    ops: {},
    setup: note('setup'),
    healthCheck: () => {
      calls.push('health');
      return { ok: true };
    },
    reset: () => {
      calls.push('reset');
      return { at: 0 };
    },
    observe: () => {
      calls.push('observe');
      return { at: 'later' };
    },
    close: note('close'),
    teardown: note('teardown'),
    ...changes,
  };
  return { calls, session: new EnvironmentSession(environment, scope) };
};

describe('[QITOS-38] an environment in the hands of a run', () => {
  test('is set up, looked at and reset; what reset gave is seen first', async () => {
    const { calls, session } = recorded();
    expect(await session.open()).toEqual([]);
    expect(await session.observe()).toEqual({ at: 0 });
    expect(await session.observe()).toEqual({ at: 'later' });
    expect(await session.close()).toEqual([]);
    expect(calls).toEqual(['setup', 'health', 'reset', 'observe', 'close', 'teardown']);
  });

  test('a step that throws or rejects is a result that says so', async () => {
    for (const step of [throws, () => Promise.reject(new Error('it broke'))])
      expect(await recorded({ step }).session.step(action)).toEqual({ error: 'it broke' });
  });

  test('what a step made visible is seen next, as plain JSON', async () => {
    const step = () => ({
      observation: { when: new Date(0).toISOString() },
      reward: Number.NaN,
      done: false,
    });
    const { session } = recorded({ step });
    expect(await session.step(action)).toEqual({
      observation: { when: '1970-01-01T00:00:00.000Z' },
      done: false,
    });
    expect(await session.observe()).toEqual({ when: '1970-01-01T00:00:00.000Z' });
  });

  test('is over when a step is done or it says so; one that throws has not said so', async () => {
    const over = (changes: Partial<Environment>, step = {}) => recorded(changes).session.end(step);
    expect(await over({}, { done: true })).toEqual({ environment: 'recorded', detail: 'done' });
    expect(await over({ isTerminal: () => 'the flag is up' })).toMatchObject({ detail: 'the flag is up' });
    expect(await over({ isTerminal: async () => true })).toMatchObject({ detail: 'terminal' });
    expect(await over({ isTerminal: () => false })).toBeUndefined();
    expect(await over({ isTerminal: throws })).toBeUndefined();
    expect(await over({})).toBeUndefined();
  });

  test('[QITOS-42] is let go of exactly once, whatever threw, and not where it was never set up', async () => {
    const { calls, session } = recorded({ close: throws });
    expect(await session.close()).toEqual([]);
    await session.open();
    expect(await session.close()).toMatchObject([{ code: 'environment.threw' }]);
    expect(await session.close()).toEqual([]);
    expect(calls.filter((call) => call === 'teardown')).toHaveLength(1);
    const broken = recorded({ setup: throws });
    await broken.session.open();
    await broken.session.close();
    expect(broken.calls).toEqual(['close', 'teardown']);
  });
});
