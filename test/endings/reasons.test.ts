import { expect, test } from 'vitest';
import type { Agent, AgentOptions } from '../../src/contracts/agents/agent.ts';
import { answer, handoff } from '../../src/contracts/agents/decision.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { StopReason } from '../../src/contracts/agents/stop-reason.ts';
import { softCap, stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { bySupervisor } from '../../src/machines/endings/supervised-ending.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, hang, letTimePass, settled, start } from '../support/runs.ts';

const looks = (text: string): ScriptedReply => ({
  ...calls({ name: 'echo', input: { text } }),
  usage: { input: 10, output: 10 },
});
const many = (text: (index: number) => string = String) =>
  Array.from({ length: 12 }, (_, index) => looks(text(index)));

type Options = Partial<AgentOptions<undefined, undefined>>;

const one = (script: readonly ScriptedReply[], options: Options = {}): Agent<string, unknown, unknown> =>
  agent({ name: 'ada', tools: [echo, hang], model: scriptedModel(script), ...options });

const planned = '{"assignments":[{"worker":"ann","task":"x"}],"answer":null}';
const team = () =>
  supervisorWorker({
    name: 'desk',
    maxRounds: 1,
    supervisor: { model: scriptedModel([planned, planned]) },
    workers: { ann: agent({ name: 'ann', model: scriptedModel(['a', 'b']) }) },
  });
const no = { name: 'no', critique: () => ({ verdict: 'revise', note: 'no' }) as const };
const halt = { name: 'halt', critique: () => ({ verdict: 'stop', note: 'enough' }) as const };
const bell = { name: 'bell', ops: {}, isTerminal: () => 'it rang' };
const refusal = modelAnswer({ text: 'I will not.', finish: 'refusal' });
const unheard = { name: 'never', check: () => 'Not yet.' };
const odd = { name: 'odd', check: (): StopReason => ({ kind: 'rule', rule: 'odd', detail: 'it is odd' }) };

/** One run for each reason that there is: a reason without one is an error of types. */
const reached: Readonly<Record<StopReason['kind'], () => Agent<string, unknown, unknown>>> = {
  answered: () => one(['42']),
  handedOff: () => one([], { decide: () => handoff('billing', 'a refund') }),
  rejected: () => one(['a', 'b', 'c'], { critics: [no] }),
  criticStopped: () => one(['a'], { critics: [halt] }),
  refused: () => one([refusal]),
  agentCondition: () => one(many(), { stop: { shouldStop: () => 'seen enough' } }),
  environmentEnded: () => one(many(), { environment: bell }),
  maxSteps: () => one(many(), { stop: maxSteps(2) }),
  maxTime: () => one([calls({ name: 'hang', input: {} }), ...many()], { stop: maxTime(500), tools: [slow] }),
  maxTokens: () => one(many(), { stop: maxTokens(30) }),
  maxToolCalls: () => one(many(), { stop: maxToolCalls(2) }),
  maxRounds: team,
  loop: () => one(many(() => 'same')),
  stagnation: () =>
    one(
      many(() => 'same'),
      { limits: { loops: false }, stop: stagnation() },
    ),
  softCap: () => one(many(), { stop: softCap({ name: 'calls', limit: 2, counts: () => true }) }),
  unresolved: () => one(['a', 'b', 'c', 'd'], { stop: { ends: bySupervisor([unheard]) } }),
  budget: () => one(many(), { limits: { budget: { toolCalls: 1 } } }),
  rule: () => one(many(), { stop: odd }),
  aborted: () => one([calls({ name: 'hang', input: {} })]),
  failed: () => one([], { decide: () => answer(missing()) }),
};

const missing = (): string => {
  throw new Error('broken');
};

const slow = { ...hang, timeoutMs: 1_000 };

test.each(Object.entries(reached))('[QITOS-27] a run can end by %s', async (kind, make) => {
  const clock = virtualClock();
  const handle = start(make(), 'go', { clock });
  const settling = settled(handle);
  if (kind === 'aborted') {
    await clock.advance(10);
    handle.abort('enough');
  }
  const { stopReason, status } = await letTimePass(clock, settling);
  expect(stopReason.kind).toBe(kind);
  expect(status === 'completed').toBe(kind === 'answered');
});
