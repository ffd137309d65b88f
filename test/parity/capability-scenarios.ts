import { passthrough } from '../../src/actors/strategies/passthrough.ts';
import { act, answer, bestCandidate, branch } from '../../src/contracts/agents/decision.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { progressCritic } from '../../src/runtime/critics/progress-critic.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import { scripted } from '../support/prompt-book.ts';
import { echo } from '../support/runs.ts';
import type { Scenario } from './scenarios.ts';
import { outage, plan, says } from './scenarios.ts';

const looks = (text: string) => calls({ name: 'echo', input: { text } });
const many = (count: number, text = (index: number) => `${index}`) =>
  Array.from({ length: count }, (_, index) => looks(text(index)));

/** What an agent can be given beside its model and its tools, each in what it does and in how it ends. */
export const capabilityScenarios: readonly Scenario[] = [
  {
    name: 'an end by a tool: reminded, then taken for done',
    tells: ['agent.reminded', 'agent.auto-completed'],
    make: () => ({
      agent: agent({
        name: 'ada',
        stop: { ends: byTool({ attempts: 2 }) },
        tools: [echo],
        model: scripted(['a draft', looks('x'), 'a second', 'a third', 'a fourth']),
      }),
    }),
  },
  {
    name: 'a loop that is warned of, and then stopped',
    tells: ['loop.warned'],
    make: () => ({
      agent: agent({ name: 'ada', tools: [echo], model: scripted(many(12, () => 'same')) }),
    }),
  },
  {
    name: 'a wrap-up near the limit',
    tells: ['limit.neared'],
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [echo],
        stop: maxSteps(5),
        limits: { wrapUp: { warnAt: 0.4, wrapUpAt: 0.8 } },
        model: scripted([...many(4), 'so far']),
      }),
    }),
  },
  {
    name: 'a critic that patches the state and rejects, and one that watches progress',
    tells: ['agent.critiqued'],
    make: () => ({
      agent: agent({
        name: 'ada',
        state: { checked: 0 },
        tools: [echo],
        model: scripted([...many(2), 'first', 'second', 'third']),
        critics: [
          progressCritic({
            model: scripted(['{"verdict":"continue","reason":"it learns"}'], 'cheap'),
            every: 2,
          }),
          {
            name: 'strict',
            critique: ({ candidate, step }) => ({
              verdict: candidate === 'third' ? 'accept' : 'revise',
              note: 'more',
              patch: { state: { checked: step }, instruction: 'Be exact.' },
            }),
          },
        ],
      }),
    }),
  },
  {
    name: 'a recovery that tries again, and one that goes on without',
    tells: ['recovery.decided'],
    make: () => ({
      agent: agent({
        name: 'ada',
        observe: ({ step }) => {
          if (step === 1) throw new Error('no light');
          return 'light';
        },
        failures: {
          recovery: {
            handle: ({ phase, streak }) =>
              phase === 'OBSERVE' || streak > 1 ? { kind: 'skip', note: 'never mind' } : { kind: 'retry' },
          },
          retry: { attempts: 1 },
        },
        tools: [echo],
        model: scripted([outage(), looks('x'), outage(), outage(), 'done']),
      }),
    }),
  },
  {
    name: 'retries that adapt to what failed before',
    tells: ['model.retrying'],
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [echo],
        failures: { retry: { adaptive: true, attempts: 5 } },
        model: scripted([outage(), '', looks('x'), outage(), outage(3_000), 'done']),
      }),
    }),
  },
  {
    name: 'a budget that a team has used up',
    tells: ['budget.warned'],
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        supervisor: {
          model: scripted([plan(null, ['ann', '1'], ['bob', '2']), plan(null, ['ann', '3']), plan('never')]),
        },
        workers: { ann: says('ann', 'a', 'b'), bob: says('bob', 'c') },
      }),
      options: { limits: { budget: { steps: 3 } } },
    }),
  },
  {
    name: 'a budget that stops a worker, whose team ends with it',
    tells: ['member.ended'],
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        supervisor: { model: scripted([plan(null, ['ann', '1'], ['ann', '2'], ['bob', '3'])]) },
        workers: { ann: says('ann', looks('x'), looks('y')), bob: says('bob', 'c') },
        result: 'replies',
        concurrency: 1,
        limits: { budget: { steps: 2 } },
      }),
    }),
  },
  {
    name: 'a decision among branches',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [echo],
        decide: ({ step }) =>
          branch(
            step === 0
              ? [
                  { decision: answer('rash'), score: 0.2 },
                  { decision: act({ name: 'echo', input: { text: 'x' } }), score: 0.9 },
                ]
              : [{ decision: answer('done'), score: 0.7 }],
            bestCandidate,
          ),
      }),
    }),
  },
  {
    name: 'an engine of somebody else behind a strategy',
    make: () => ({
      agent: agent({
        name: 'ada',
        strategy: passthrough({ engine: { ask: () => Promise.resolve({ text: 'from elsewhere' }) } }),
      }),
    }),
  },
  {
    name: 'a memory, and a conversation that is shortened',
    tells: ['memory.recalled'],
    make: () => ({
      agent: agent({
        name: 'ada',
        memory: { sources: windowMemory(), recall: { each: 'step' } },
        conversation: { compaction: { processors: [keepLast(2)] } },
        tools: [echo],
        model: scripted([...many(4), 'done']),
      }),
    }),
  },
];
