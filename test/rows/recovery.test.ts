import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import { categoryOf } from '../../src/contracts/errors/error-category.ts';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Failure, RecoveryDecision } from '../../src/contracts/agents/recovery.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { ModelRetry } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, settled, start } from '../support/runs.ts';

const down = (): Error => new TroupeError('model.timeout', 'Cannot wait: 9 s', { retryable: 'yes' });
const looks = calls({ name: 'echo', input: { text: 'seen' } });

const run = async (
  script: readonly ScriptedReply[],
  recovery: { limit?: number; handle?: (failure: Failure) => RecoveryDecision | undefined } | undefined,
  more: object = {},
  retry: ModelRetry = { attempts: 1 },
) => {
  const clock = virtualClock();
  const one = agent({
    name: 'a',
    tools: [echo],
    model: scriptedModel(script),
    failures: { retry, recovery },
    ...more,
  });
  return letTimePass(clock, settled(start(one, 'go', { runId: 'run-7', clock })));
};

test('[QITOS-74] three failures in a row are survived, each a bad step; the fourth ends the run', async () => {
  const three = await run([down(), down(), down(), 'there'], {});
  expect(three.status).toBe('completed');
  expect(three.totals.steps).toBe(4);
  expect(three.records.map(({ decision }) => decision?.kind)).toEqual([
    undefined,
    undefined,
    undefined,
    'answer',
  ]);
  const four = await run([down(), down(), down(), down(), 'there'], {});
  expect(four.status).toBe('failed');
  expect(four.error).toMatchObject({ code: 'model.timeout', step: 3, phase: 'DECIDE' });
  expect(ofType(four.events, 'recovery.decided').map(({ streak, decision }) => [streak, decision])).toEqual([
    [1, 'skip'],
    [2, 'skip'],
    [3, 'skip'],
  ]);
});

test('[QITOS-74] a step that goes well begins the count anew', async () => {
  const script = [down(), down(), looks, down(), down(), looks, down(), 'there'];
  const { status, events } = await run(script, { limit: 2 });
  expect(status).toBe('completed');
  expect(ofType(events, 'recovery.decided').map(({ streak }) => streak)).toEqual([1, 2, 1, 2, 1]);
});

test('[QITOS-74] without a policy the first failure ends the run, as it always did', async () => {
  const { status, report, events } = await run([down(), 'there'], undefined);
  expect(status).toBe('failed');
  expect(ofType(events, 'recovery.decided')).toEqual([]);
  expect(report).toMatchObject({ failures: [{ code: 'model.timeout', decision: 'giveUp', streak: 1 }] });
});

test('[QITOS-74] a phase that is tried again is no step of its own, and has keys of its own', async () => {
  const { status, totals, effects } = await run([looks, down(), down(), 'there'], {
    handle: () => ({ kind: 'retry' }),
  });
  expect({ status, steps: totals.steps }).toEqual({ status: 'completed', steps: 2 });
  const keys = effects.map(({ key }) => key);
  expect(keys.filter((key) => key.includes('DECIDE'))).toEqual([
    'run-7/a#0.DECIDE.0.1',
    'run-7/a#1.DECIDE.0.1',
    'run-7/a#1~r1.DECIDE.0.1',
    'run-7/a#1~1.DECIDE.0.1',
    'run-7/a#1~r2.DECIDE.0.1',
    'run-7/a#1~2.DECIDE.0.1',
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('[QITOS-74] a troubled call that is given up can be made again: no address is used twice', async () => {
  const { status, events } = await run(
    [down(), down(), down(), down(), 'there'],
    { handle: () => ({ kind: 'retry' }) },
    {},
    { attempts: 2 },
  );
  expect(status).toBe('completed');
  const paths = new Set(ofType(events, 'phase.entered').map(({ path }) => path));
  expect([...paths]).toEqual(['a', 'a/~model-0', 'a/~model-0~1']);
});

test('[QITOS-74] what failed to come can be replaced: a decision, an observation', async () => {
  const answered = await run([down()], { handle: () => ({ kind: 'replace', with: answer('a guess') }) });
  expect(answered).toMatchObject({ status: 'completed', output: 'a guess', totals: { steps: 1 } });
  const acted = await run([down(), 'there'], {
    handle: () => ({
      kind: 'replace',
      with: { kind: 'act', calls: [{ name: 'echo', input: { text: 'hi' } }] },
    }),
  });
  expect(acted.records[0]?.results).toMatchObject([{ ok: true, text: 'hi' }]);
  const seen: Json[] = [];
  const blind = await run(
    [],
    { handle: () => ({ kind: 'replace', with: 'fog' }) },
    {
      observe: () => {
        throw new Error('dark');
      },
      decide: ({ observation }: { observation: Json }) => {
        seen.push(observation);
        return answer('x');
      },
    },
  );
  expect(blind.status).toBe('completed');
  expect(seen).toEqual(['fog']);
});

test('[QITOS-77] what a handler makes of the state is what the next step sees', async () => {
  const seen: Json[] = [];
  let isDark = true;
  const { status, state } = await run(
    ['there'],
    {
      handle: ({ state: was }) => ({ kind: 'skip', state: { was, lamp: 'on' }, note: 'A lamp is on now.' }),
    },
    {
      state: { lamp: 'off' },
      observe: ({ state: now }: { state: Json }) => {
        seen.push(now);
        if (isDark) {
          isDark = false;
          throw new Error('dark');
        }
        return 'light';
      },
    },
  );
  expect(status).toBe('completed');
  expect(seen).toEqual([{ lamp: 'off' }, { was: { lamp: 'off' }, lamp: 'on' }]);
  expect(state).toEqual({ was: { lamp: 'off' }, lamp: 'on' });
});

test('[QITOS-76] the report has a line for each failure: where, what, what was done, what to do', async () => {
  const { report, events, error } = await run([down(), looks, down(), new Error('boom')], {
    handle: ({ streak, usual }) => (streak === 1 ? { kind: 'skip', note: 'Go on.' } : { kind: usual }),
  });
  const place = { phase: 'DECIDE', operation: 'model', category: 'model' };
  expect(report).toEqual({
    omitted: 0,
    failures: [
      {
        ...place,
        errorId: 'run-7/a#0.DECIDE.0.1',
        step: 0,
        code: 'model.timeout',
        message: 'Cannot wait: 9 s',
        streak: 1,
        decision: 'skip',
        note: 'Go on.',
        advice: 'Raise `failures.retry.attemptTimeoutMs`, or ask for less at a time.',
      },
      expect.objectContaining({ ...place, step: 2, streak: 1, decision: 'skip' }),
      expect.objectContaining({
        ...place,
        errorId: 'run-7/a#3.DECIDE.0.1',
        step: 3,
        code: 'model.failed',
        streak: 2,
        decision: 'giveUp',
        advice: 'Try again later, or name a model to fall back to.',
      }),
    ],
  });
  expect(error?.errorId).toBe('run-7/a#3.DECIDE.0.1');
  expect(ofType(events, 'run.ended')[0]?.report).toEqual(report);
});

test.each<[string, () => RecoveryDecision, string]>([
  [
    'throws',
    () => {
      throw new Error('no idea');
    },
    'no idea',
  ],
  ['talks nonsense', () => 'go on' as never, 'which is no decision'],
  ['rejects', () => Promise.reject(new Error('no idea')) as never, 'no idea'],
  ['never comes back', () => never() as never, 'time-out'],
  ['puts what is no decision in its place', () => ({ kind: 'replace', with: 'dance' }), 'handler failed'],
])('[QITOS-77] a handler that %s gives up, and says why', async (_, handle, why) => {
  const { status, report, error } = await run([down(), 'there'], { handle });
  expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'model.timeout' });
  expect(report?.failures).toMatchObject([{ decision: 'giveUp', note: expect.stringContaining(why) }]);
});

test('[QITOS-75] a broken state or rule is not survived, whatever the handler would say', async () => {
  let asked = 0;
  const { status, error } = await run(
    [looks, 'there'],
    {
      handle: () => {
        asked += 1;
        return { kind: 'skip' };
      },
    },
    {
      reduce: () => {
        throw new Error('boom');
      },
    },
  );
  expect({ status, asked }).toEqual({ status: 'failed', asked: 0 });
  expect(error).toMatchObject({ phase: 'REDUCE', operation: 'reduce' });
});

test.each<ErrorCode>(['internal', 'memory.failed'])(
  '[QITOS-75] an error of the system or of the state is not survived: %s',
  async (code) => {
    let asked = 0;
    const { status, error } = await run([new TroupeError(code, 'Cannot go on: x'), 'there'], {
      handle: () => {
        asked += 1;
        return { kind: 'skip' };
      },
    });
    expect({ status, asked, code: error?.code }).toEqual({ status: 'failed', asked: 0, code });
  },
);

const categories: readonly (readonly [ErrorCode, string | undefined, string])[] = [
  ['model.timeout', 'DECIDE', 'model'],
  ['model.auth', 'DECIDE', 'model'],
  ['output.invalid', 'DECIDE', 'parse'],
  ['decision.invalid', 'DECIDE', 'parse'],
  ['model.malformed', 'DECIDE', 'parse'],
  ['tool.failed', 'ACT', 'tool'],
  ['agent.threw', 'ACT', 'tool'],
  ['agent.threw', 'OBSERVE', 'env'],
  ['environment.unfit', 'preparing', 'env'],
  ['agent.threw', 'REDUCE', 'state'],
  ['agent.threw', 'CHECK_STOP', 'state'],
  ['agent.threw', 'DECIDE', 'task'],
  ['input.invalid', 'preparing', 'task'],
  ['model.quota', 'DECIDE', 'budget'],
  ['tool.denied', 'ACT', 'policy'],
  ['agent.unknown', undefined, 'coordination'],
  ['team.invalid', undefined, 'coordination'],
  ['machine.threw', undefined, 'system'],
  ['internal', undefined, 'system'],
];

test.each(categories)('[QITOS-75] %s in %s is an error of the category %s', (code, phase, category) => {
  expect(categoryOf({ code, phase })).toBe(category);
});

test('a policy that cannot be honoured is refused where the agent is defined', () => {
  for (const recovery of [{ limit: 0 }, { limit: 1.5 }, { handle: 'retry' }, 'retry'])
    expect(() => agent({ name: 'a', failures: { recovery: recovery as never } })).toThrow(
      /^Cannot define the agent 'a' as its/,
    );
  for (const timeoutMs of [0, -1, Number.NaN, '5' as never])
    expect(() => agent({ name: 'a', failures: { timeoutMs } })).toThrow('timeoutMs');
});
