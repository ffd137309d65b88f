import { budgetEnd } from '../../src/machines/stopping/budget-rule.ts';
import { emptyTally } from '../../src/contracts/agents/tally.ts';
import { describe, expect, test } from 'vitest';
import { HistoryView } from '../../src/base/collections/history.ts';
import type { StopReason } from '../../src/contracts/agents/stop-reason.ts';
import type { StopRule, StopView } from '../../src/contracts/agents/stop-rule.ts';
import type { Tally } from '../../src/contracts/agents/tally.ts';
import { allOf, anyOf } from '../../src/machines/stopping/composed-rules.ts';
import {
  maxSteps,
  maxTime,
  maxTokens,
  maxToolCalls,
  stopWhen,
} from '../../src/machines/stopping/stop-rules.ts';
import type { Rules } from '../../src/machines/rules.ts';
import {
  accept,
  act,
  agentWalk,
  calling,
  decide,
  deciding,
  halt,
  judge,
  ready,
  refusing,
  revise,
  rules,
  saying,
} from './agent-walks.ts';

const throwing = (): never => {
  throw new Error('boom');
};

describe('[QITOS-23, M33] critics', () => {
  const judged = { critics: 'answer' } as const;
  const attempt = [decide(saying('42')), judge(revise)];

  test('accept lets the answer through', () => {
    expect(agentWalk([ready, decide(saying('42')), judge(accept)], judged).output).toMatchObject({
      status: 'completed',
      output: '42',
    });
  });

  test('revise vetoes the answer, costs a step, and tells the agent why', () => {
    const walked = agentWalk([ready, ...attempt], judged);
    expect(walked.status).toBe('active');
    expect(walked.context).toMatchObject({ step: 1, review: { candidate: null, rejections: 1 } });
    expect(new HistoryView(walked.context.history).at(-1)).toEqual({
      role: 'user',
      from: 'critic',
      text: 'Say why.',
    });
    expect(walked.path.slice(-3)).toEqual(['CHECK_STOP', 'OBSERVE', 'DECIDE']);
  });

  test('[D26] rejections are bounded; past the bound the answer is kept, unaccepted', () => {
    expect(agentWalk([ready, ...attempt, ...attempt], judged).status).toBe('active');
    const { output } = agentWalk([ready, ...attempt, ...attempt, ...attempt], judged);
    expect(output).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rejected', note: 'Say why.', rejections: 3 },
      candidate: '42',
      steps: 3,
    });
    expect(output).not.toHaveProperty('output');
    expect(agentWalk([ready, ...attempt], { ...judged, maxRejections: 0 }).output).toMatchObject({
      stopReason: { kind: 'rejected', rejections: 1 },
    });
  });

  test('[D26] stop ends the run and keeps the answer', () => {
    const { output } = agentWalk([ready, decide(saying('42')), judge(halt)], judged);
    expect(output).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'criticStopped', note: 'This leads nowhere.' },
      candidate: '42',
    });
    expect(output).not.toHaveProperty('output');
  });

  test('a revision of a step without an answer is no rejection', () => {
    const step = [decide(calling('look')), act(), judge(revise)];
    const { context, status } = agentWalk([ready, ...step, ...step, ...step], { critics: 'step' });
    expect(status).toBe('active');
    expect(context.review.rejections).toBe(0);
  });
});

describe('[QITOS-25, M30] the order of CHECK_STOP', () => {
  /** Reasons to end, the strongest first. */
  const reasons: readonly { name: string; kind: StopReason['kind']; rules: Partial<Rules> }[] = [
    { name: 'shouldStop', kind: 'agentCondition', rules: { shouldStop: () => 'own' } },
    { name: 'the first rule', kind: 'maxSteps', rules: { stop: [maxSteps(1)] } },
    { name: 'a later rule', kind: 'maxToolCalls', rules: { stop: [maxToolCalls(1)] } },
  ];
  const step = [ready, decide(calling('look')), act()];
  const merged = (...each: readonly Partial<Rules>[]): Rules => ({
    shouldStop: each.find(({ shouldStop }) => shouldStop)?.shouldStop,
    stop: each.flatMap(({ stop = [] }) => stop),
  });
  const pairs = reasons.flatMap((first, index) =>
    reasons.slice(index + 1).map((second) => ({ first, second })),
  );

  test.each(pairs)('$first.name before $second.name', ({ first, second }) => {
    for (const { kind, rules: only } of [first, second])
      expect(agentWalk(step, {}, merged(only)).output?.stopReason.kind).toBe(kind);
    expect(agentWalk(step, {}, merged(first.rules, second.rules)).output?.stopReason.kind).toBe(first.kind);
  });

  test.each(reasons)('a final answer before $name', ({ rules: others }) => {
    const { output } = agentWalk([ready, decide(saying('42'))], {}, merged({ stop: [maxSteps(1)] }, others));
    expect(output).toMatchObject({ status: 'completed', stopReason: { kind: 'answered' } });
  });

  test.each(reasons)('what ended the step before $name: handoff, refusal, critic', ({ rules: others }) => {
    const all = merged(others);
    const handed = agentWalk([ready, decide(deciding({ kind: 'handoff', to: 'bob' }))], {}, all);
    expect(handed.output?.stopReason.kind).toBe('handedOff');
    expect(agentWalk([ready, decide(refusing)], {}, all).output?.stopReason.kind).toBe('refused');
    const stopped = agentWalk([...step, judge(halt)], { critics: 'step' }, all);
    expect(stopped.output?.stopReason.kind).toBe('criticStopped');
  });

  test.each(reasons)('$name before a wait', ({ rules: others }) => {
    const wait = decide(deciding({ kind: 'wait' }));
    const { path } = agentWalk([...step.slice(0, 1), wait], {}, merged({ stop: [maxSteps(1)] }, others));
    expect(path.at(-1)).toBe('stopped');
  });

  test('rules are asked in the order given, and none after the first that has a reason', () => {
    const asked: string[] = [];
    const rule = (name: string, reason?: StopReason): StopRule => ({
      name,
      check: () => {
        asked.push(name);
        return reason;
      },
    });
    const stop = [rule('a'), rule('b', { kind: 'rule', rule: 'b', detail: 'b' }), rule('c')];
    expect(agentWalk(step, {}, { stop }).output?.stopReason).toMatchObject({ rule: 'b' });
    expect(asked).toEqual(['a', 'b']);
  });

  test('shouldStop says why, or merely that', () => {
    const detail = (said: string | boolean) =>
      agentWalk(step, {}, rules({ shouldStop: () => said })).output?.stopReason;
    expect(detail('found')).toEqual({ kind: 'agentCondition', detail: 'found' });
    expect(detail(true)).toEqual({ kind: 'agentCondition', detail: 'shouldStop' });
    expect(detail(false)).toBeUndefined();
  });

  test('[D25] a run that a rule ended does not look like a success', () => {
    expect(agentWalk(step, {}, rules({ stop: [maxSteps(1)] })).output).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'maxSteps', limit: 1 },
    });
  });

  test('[DODO-01] three steps with endless tools are three decisions', () => {
    const step3 = [decide(calling('look')), act()];
    const { outputs, status } = agentWalk(
      [ready, ...step3, ...step3, ...step3],
      {},
      rules({ stop: [maxSteps(3)] }),
    );
    expect(status).toBe('done');
    expect(outputs.filter((each) => each.type === 'ask' && each.ask.port === 'decide')).toHaveLength(3);
  });
});

describe('[D27, D30] what throws in a machine ends the run as failed, and says where', () => {
  const step = [ready, decide(calling('look')), act()];

  test.each([
    { what: 'reduce', phase: 'REDUCE', broken: { reduce: throwing } },
    { what: 'shouldStop', phase: 'CHECK_STOP', broken: { shouldStop: throwing } },
    { what: 'a stop rule', phase: 'CHECK_STOP', broken: { stop: [{ name: 'bad', check: throwing }] } },
  ])('$what in $phase', ({ what, phase, broken }) => {
    const { output, path } = agentWalk(step, {}, rules(broken));
    expect(path.at(-1)).toBe('failed');
    expect(output).toMatchObject({
      status: 'failed',
      steps: 1,
      error: { code: 'agent.threw', phase, step: 0, path: 'ada', runId: 'run-1' },
    });
    expect(output?.state).toEqual({});
    expect(output?.error?.message).toMatch(
      new RegExp(`^Cannot finish step 0 of 'ada' as its .*${what}.* threw: boom$`),
    );
  });

  test('an answer in hand is kept where reduce throws', () => {
    const { output } = agentWalk([ready, decide(saying('42'))], {}, rules({ reduce: throwing }));
    expect(output).toMatchObject({ status: 'failed', candidate: '42', error: { phase: 'REDUCE' } });
  });
});

describe('[QITOS-26] the boundary of each rule', () => {
  const tally: Tally = {
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    retries: 0,
    startedAt: 1_000,
    now: 1_000,
  };
  const view = (step: number, changes: Partial<Tally> = {}): StopView => ({
    step,
    state: {},
    tally: { ...tally, ...changes },
    decision: undefined,
    results: [],
  });

  test.each<{ rule: StopRule; below: StopView; at: StopView; reason: StopReason }>([
    { rule: maxSteps(3), below: view(2), at: view(3), reason: { kind: 'maxSteps', limit: 3 } },
    {
      rule: maxTime(100),
      below: view(1, { now: 1_100 }),
      at: view(1, { now: 1_101 }),
      reason: { kind: 'maxTime', limitMs: 100 },
    },
    {
      rule: maxTokens(10),
      below: view(1, { inputTokens: 5, outputTokens: 4 }),
      at: view(1, { inputTokens: 5, outputTokens: 5 }),
      reason: { kind: 'maxTokens', limit: 10 },
    },
    {
      rule: maxToolCalls(2),
      below: view(1, { toolCalls: 1 }),
      at: view(1, { toolCalls: 2 }),
      reason: { kind: 'maxToolCalls', limit: 2 },
    },
    {
      rule: stopWhen('late', ({ step }) => step > 4 && 'so late'),
      below: view(4),
      at: view(5),
      reason: { kind: 'rule', rule: 'late', detail: 'so late' },
    },
    {
      rule: stopWhen('late', ({ step }) => step > 4),
      below: view(4),
      at: view(5),
      reason: { kind: 'rule', rule: 'late', detail: 'late' },
    },
  ])('$rule.name', ({ rule, below, at, reason }) => {
    expect(rule.check(below)).toBeUndefined();
    expect(rule.check(at)).toEqual(reason);
  });

  test('anyOf stops with the reason of the first, allOf with that of the last and only where all do', () => {
    const both = view(3, { toolCalls: 2 });
    const one = view(3);
    expect(anyOf(maxToolCalls(2), maxSteps(3)).check(both)).toMatchObject({ kind: 'maxToolCalls' });
    expect(anyOf(maxToolCalls(2), maxSteps(3)).check(one)).toMatchObject({ kind: 'maxSteps' });
    expect(anyOf(maxToolCalls(2), maxSteps(4)).check(one)).toBeUndefined();
    expect(allOf(maxToolCalls(2), maxSteps(3)).check(both)).toMatchObject({ kind: 'maxSteps' });
    expect(allOf(maxToolCalls(2), maxSteps(3)).check(one)).toBeUndefined();
    expect(anyOf(maxSteps(1), allOf(maxTime(1), maxTokens(2))).name).toBe(
      'anyOf(maxSteps, allOf(maxTime, maxTokens))',
    );
  });

  test('anyOf and allOf of nothing never stop', () => {
    expect(anyOf().check(view(99))).toBeUndefined();
    expect(allOf().check(view(99))).toBeUndefined();
  });
});

test('the time since the last answer counts in journals that say when its use was read, and in no others', () => {
  const line = { limit: 1_000, used: 900, fraction: 0.9, path: 'clerk' };
  const tally = { ...emptyTally(0), now: 5_200 };
  expect(budgetEnd({ ...tally, budget: { timeMs: line } })).toBeUndefined();
  expect(budgetEnd({ ...tally, budget: { timeMs: line, at: 5_000 } })).toEqual({
    kind: 'budget',
    budget: 'timeMs',
    limit: 1_000,
    used: 1_100,
    path: 'clerk',
  });
});
