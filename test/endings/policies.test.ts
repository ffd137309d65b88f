import { describe, expect, test } from 'vitest';
import type { AgentOptions, ReduceView } from '../../src/contracts/agents/agent.ts';
import type { Ending, Heuristic } from '../../src/contracts/agents/ending.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import type { EndingRole } from '../../src/machines/endings/endings.ts';
import { byMarker, byNoToolCalls, byTool } from '../../src/machines/endings/endings.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { bySupervisor } from '../../src/machines/endings/supervised-ending.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { plan } from '../../src/tools/built-in/plan/plan.ts';
import { respond } from '../../src/tools/built-in/ending/respond.ts';
import { unfinishedPlan, wantsPlan } from '../../src/tools/plans/plan-heuristics.ts';
import { withPlan } from '../../src/tools/plans/plan-state.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

const completes = (answer = '42') => calls({ name: 'complete', input: { answer } });
const looks = (text = 'seen') => calls({ name: 'echo', input: { text } });

/** One run of an agent that ends as said. */
const run = async (
  ends: Ending | undefined,
  script: readonly ScriptedReply[],
  { stop, ...options }: Omit<Partial<AgentOptions>, 'stop'> & { readonly stop?: StopRule } = {},
) => {
  const model = scriptedModel(script);
  const clock = virtualClock();
  const one = agent({
    name: 'ada',
    model,
    tools: [echo, complete, respond],
    stop: { rules: stop, ends },
    ...options,
  });
  const result = await letTimePass(clock, settled(start(one, 'go', { clock })), 500);
  return { model, result };
};
const came = ({ status, output, totals }: RunResult<unknown, unknown>) => ({
  status,
  output,
  calls: totals.modelCalls,
});

describe('by a tool', () => {
  test.each(['chat', 'Chat', 'BRAINSTORM', ' brainstorm '])(
    '[TENEX-51] in the phase %j an answer is enough: one call of the model',
    async (phase) => {
      const { model, result } = await run(byTool({ phase }), ['hello']);
      expect(came(result)).toEqual({ status: 'completed', output: 'hello', calls: 1 });
      expect(result.autoCompleted).toBeUndefined();
      model.assertConsumed();
    },
  );

  test('[TENEX-51] in any other phase the tool ends the run, and nothing is made up', async () => {
    const { result } = await run(byTool({ phase: 'execution' }), ['thinking aloud', completes()]);
    expect(came(result)).toEqual({ status: 'completed', output: '42', calls: 2 });
    expect(result.autoCompleted).toBeUndefined();
    expect(result.stopReason).toEqual({ kind: 'answered' });
  });

  test('[TENEX-52] [D1] one that never completes is asked exactly twice', async () => {
    const { model, result } = await run(byTool(), ['first', 'second']);
    expect(came(result)).toEqual({ status: 'completed', output: 'second', calls: 2 });
    expect(result.totals.steps).toBe(2);
    model.assertConsumed();
  });

  test.each([1, 3])('[TENEX-52] or as often as said: %i', async (attempts) => {
    const { result } = await run(byTool({ attempts }), ['a', 'b', 'c'].slice(0, attempts));
    expect(result.totals.modelCalls).toBe(attempts);
    expect(result.autoCompleted).toBe(true);
  });

  test.each([0, 1.5, NaN])('[TENEX-52] attempts of %d are refused', (attempts) => {
    expect(() => byTool({ attempts })).toThrow('attempts are not a whole number from 1');
  });

  test.each<[EndingRole, RegExp]>([
    ['worker', /completes the task/],
    ['router', /your task is to route/],
  ])('[TENEX-53] the reminder of a %s says what it has to do', async (role, words) => {
    const { model } = await run(byTool({ role }), ['first', completes()]);
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(words);
  });

  test('[TENEX-54] the second request is the first, the whole answer, and the reminder', async () => {
    const { model } = await run(byTool(), [{ text: 'first', reasoning: 'hm' }, completes()]);
    const [first, second] = model.requests.map(({ messages }) => messages);
    expect(second?.slice(0, -2)).toEqual(first);
    expect(second?.slice(-2)).toMatchObject([
      { role: 'assistant', text: 'first', reasoning: 'hm' },
      { role: 'user', from: 'runtime' },
    ]);
  });

  test('[TENEX-55] what was said is the answer, marked in result and events', async () => {
    const { result } = await run(byTool(), ['first', 'second']);
    expect(result).toMatchObject({ output: 'second', autoCompleted: true });
    expect(ofType(result.events, 'agent.auto-completed')).toMatchObject([{ text: 'second', times: 1 }]);
    expect(result.events.at(-1)).toMatchObject({ type: 'run.ended', autoCompleted: true });
  });

  test('[TENEX-55] silence after the reminder leaves what was said before', async () => {
    const { result } = await run(byTool(), ['first', '']);
    expect(result).toMatchObject({ output: 'first', autoCompleted: true });
  });

  test('[TENEX-55] who never said anything has completed its task', () => {
    const view = {
      agent: 'a',
      step: 1,
      phase: null,
      state: {},
      answer: '',
      text: '',
      said: '',
      results: [],
    };
    const tally = { modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    const rest = { sentBack: 1, stuck: 1, spoken: [], isLast: false };
    const times = { retries: 0, startedAt: 0, now: 0 };
    expect(byTool().answered({ ...view, ...rest, tally: { ...tally, ...times } })).toEqual({
      kind: 'autoComplete',
      answer: 'Task completed',
    });
  });

  test('[TENEX-55] [D3] one who delegated is told that nobody said it was done', async () => {
    const child = agent({ name: 'worker', model: scriptedModel(['a', 'b']), stop: { ends: byTool() } });
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }),
      'thank you',
    ]);
    const parent = agent({ name: 'lead', model, tools: [delegate({ to: [child] })] });
    const result = await settled(start(parent, 'go', { clock: virtualClock() }));
    expect(result.records[0]?.results[0]).toMatchObject({
      value: { agent: 'worker', output: 'b', autoCompleted: true },
    });
    expect(model.requests[1]?.messages.at(-1)?.text).toBe("'worker' never said that it was done. It left: b");
    expect(ofType(result.events, 'member.ended')).toMatchObject([{ autoCompleted: true }]);
  });

  test('[TENEX-55] [D3] a supervisor is told so of its worker', async () => {
    const worker = agent({ name: 'w', model: scriptedModel(['a', 'b']), stop: { ends: byTool() } });
    const assigned = JSON.stringify({ assignments: [{ worker: 'w', task: 'x' }] });
    const desk = supervisorWorker({
      name: 'desk',
      supervisor: { model: scriptedModel([assigned]) },
      workers: { w: worker },
      result: 'replies',
    });
    const { output } = await settled(start(desk, 'go', { clock: virtualClock() }));
    expect(output).toMatchObject([{ member: 'w', output: 'b', autoCompleted: true }]);
  });

  test('[TENEX-56] a router is never completed: without a route its run fails', async () => {
    const { result } = await run(byTool({ role: 'router' }), ['I', 'II']);
    expect(result.status).toBe('failed');
    expect(result.error).toMatchObject({ code: 'routing.required', path: 'ada', step: 1, phase: 'REDUCE' });
    expect(result.autoCompleted).toBeUndefined();
  });

  test('[TENEX-56] a router that routes after the reminder has done its work', async () => {
    const route = calls({ name: 'handoff', input: { to: 'billing' } });
    const tools = [handoffTool({ billing: 'invoices' })];
    const { result } = await run(byTool({ role: 'router' }), ['I', route], { tools });
    expect(result.stopReason).toEqual({ kind: 'handedOff', to: 'billing' });
  });

  test('[TENEX-57] a reminder may wait, and the run with it', async () => {
    const ends = byTool({ attempts: 3, remindAfterMs: (reminder) => reminder * 1_000 });
    const { result } = await run(ends, ['a', 'b', completes()]);
    const waits = ofType(result.events, 'agent.waiting').map(({ forMs }) => forMs);
    expect(waits).toEqual([1_000, 2_000]);
    expect(result.totals.durationMs).toBeGreaterThanOrEqual(3_000);
    expect(result.output).toBe('42');
  });

  test('[D39] a control tool that was refused ends nothing', async () => {
    const empty = calls({ name: 'respond', input: { summary: ' ' } });
    const { result } = await run(byTool({ tools: 'respond' }), [
      empty,
      calls({ name: 'respond', input: { summary: 'Mended.' } }),
    ]);
    expect(came(result)).toEqual({ status: 'completed', output: 'Mended.', calls: 2 });
  });

  test('any tool that is named ends the run by its success, and gives the answer', async () => {
    const { result } = await run(byTool({ tools: ['echo'] }), [
      calls({ name: 'echo', input: { wrong: 1 } }),
      looks('there'),
    ]);
    expect(came(result)).toEqual({ status: 'completed', output: 'there', calls: 2 });
  });

  test('a critic comes before completion, and what is sent back is not reminded for ever', async () => {
    const critics = [{ name: 'no', critique: () => ({ verdict: 'revise', note: 'No.' }) as const }];
    const { result } = await run(byTool(), ['a', 'b', 'c', 'd'], { critics, limits: { maxRejections: 2 } });
    expect(result.stopReason).toMatchObject({ kind: 'rejected', rejections: 3 });
  });
});

test('[DODO-03] an answer without calls ends the run in one step with that text', async () => {
  for (const ends of [undefined, byNoToolCalls()]) {
    const { result } = await run(ends, ['That is all.']);
    expect(result).toMatchObject({ output: 'That is all.', totals: { steps: 1 } });
  }
});

test('[TENEX-U1] one script ends at another place under each policy', async () => {
  const script = [looks(), 'Part one.', 'Part two.\n DONE ', completes('three')];
  const wantsTwo: Heuristic = {
    name: 'two',
    check: ({ text }) => (text.includes('two') ? undefined : 'Part two is missing.'),
  };
  const ends = async (policy: Ending) => came((await run(policy, script)).result);
  expect(await ends(byNoToolCalls())).toEqual({ status: 'completed', output: 'Part one.', calls: 2 });
  expect(await ends(byMarker('DONE'))).toEqual({ status: 'completed', output: 'Part two.', calls: 3 });
  expect(await ends(byTool({ attempts: 9 }))).toEqual({ status: 'completed', output: 'three', calls: 4 });
  expect(await ends(bySupervisor([wantsTwo]))).toEqual({
    status: 'completed',
    output: 'Part two.\n DONE ',
    calls: 3,
  });
});

test('[TENEX-U1] with a marker, silence after an answer is an end, and silence at first is not', async () => {
  const { result } = await run(byMarker('DONE'), ['', 'Part one.', '']);
  expect(result.output).toBe('Part one.');
  expect(result.totals.modelCalls).toBe(3);
});

test('[TENEX-U1] without its marker an answer is kept, and not accepted', async () => {
  const { result } = await run(byMarker('DONE'), ['Part one.', 'Part two.'], { stop: maxSteps(2) });
  expect(result).toMatchObject({ status: 'stopped', output: undefined, candidate: 'Part two.' });
});

describe('[TENEX-U2] by a supervisor', () => {
  const never: Heuristic = { name: 'never', check: () => 'Not yet.' };

  test('an answer that nobody objects to is accepted', async () => {
    const { result } = await run(bySupervisor([]), ['fine']);
    expect(result.output).toBe('fine');
  });

  test('it gives up on three answers in a row with nothing done, and keeps the last', async () => {
    const { result } = await run(bySupervisor([never]), ['a', 'b', 'c', 'd']);
    expect(result.stopReason).toEqual({ kind: 'unresolved', by: 'never', note: 'Not yet.', times: 3 });
    expect(result).toMatchObject({ status: 'stopped', output: undefined, candidate: 'd' });
  });

  test('work between answers is progress, and the absolute cap holds all the same', async () => {
    const script = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'no' : looks(`${index}`)));
    const { result } = await run(bySupervisor([never], { cap: 5 }), script);
    expect(result.stopReason).toMatchObject({ kind: 'unresolved', times: 5 });
  });

  test('a failed call is no progress', async () => {
    const fails = calls({ name: 'echo', input: {} });
    const { result } = await run(bySupervisor([never]), ['a', fails, 'b', fails, 'c', fails, 'd']);
    expect(result.stopReason).toMatchObject({ kind: 'unresolved', times: 3 });
  });

  test('a heuristic speaks once, or until it is content', async () => {
    const once: Heuristic = { ...never, mode: 'once' };
    expect((await run(bySupervisor([once]), ['a', 'b'])).result.output).toBe('b');
    const wants: Heuristic = {
      name: 'b',
      check: ({ text }) => (text === 'c' ? undefined : 'It has to be c.'),
    };
    expect((await run(bySupervisor([wants]), ['a', 'b', 'c'])).result.output).toBe('c');
  });

  test('open steps of a plan send an answer back, and a plan is asked for after five calls', async () => {
    const steps = (status: string) => ['one', 'two', 'three'].map((title) => ({ title, status }));
    const script = [
      ...Array.from({ length: 5 }, (_, index) => looks(`${index}`)),
      calls({ name: 'plan', input: { steps: steps('pending') } }),
      'done?',
      calls({ name: 'plan', input: { steps: steps('done') } }),
      'done.',
    ];
    const { model, result } = await run(bySupervisor([wantsPlan(), unfinishedPlan]), script, {
      tools: [echo, plan],
      reduce: ({ state, results }: ReduceView) => withPlan(state, results),
    });
    expect(model.requests[4]?.messages.at(-1)?.role).toBe('tool');
    expect(model.requests[5]?.messages.at(-1)?.text).toContain('5 calls without a plan');
    expect(model.requests[7]?.messages.at(-1)?.text).toContain("'one' comes next");
    expect(result.output).toBe('done.');
    expect(ofType(result.events, 'agent.reminded')).toHaveLength(2);
  });
});

describe('a policy of one’s own', () => {
  test('is a pure function of a view', async () => {
    const polite: Ending = {
      name: 'polite',
      answered: ({ text }) =>
        text.includes('please') ? { kind: 'end' } : { kind: 'goOn', note: 'Say please.' },
    };
    expect((await run(polite, ['more', 'more, please'])).result.output).toBe('more, please');
  });

  test.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['gives what is no verdict', () => ({ kind: 'maybe' }) as never],
    ['promises', () => Promise.resolve({ kind: 'end' }) as never],
  ])('that %s fails the run, and names the policy', async (_, answered) => {
    const { result } = await run({ name: 'odd', answered }, ['a']);
    expect(result.error).toMatchObject({ code: 'agent.threw', phase: 'REDUCE', step: 0 });
    expect(result.error?.message).toContain("its policy of ending 'odd' threw");
  });

  test('does not judge what the agent itself decides', async () => {
    const one = agent({
      name: 'a',
      stop: { ends: byTool() },
      decide: () => ({ kind: 'answer', answer: 'mine' }),
    });
    expect((await settled(start(one, 'go'))).output).toBe('mine');
  });
});

test('an agent whose answer has a schema cannot end by a marker', () => {
  expect(() => agent({ name: 'a', output: 'answer: string', stop: { ends: byMarker('DONE') } })).toThrow(
    "Cannot define the agent 'a' as its stop.ends reads text and its answer has a schema: 'byMarker'",
  );
  expect(() => byMarker(' ')).toThrow('no single line');
});
