import { z } from 'zod';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import type { Model, ModelRequest } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Target } from '../../../src/inspect/suggestions/suggestion.ts';
import type { TriedType } from './planted-runs.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { router } from '../../../src/patterns/router.ts';
import { supervisorWorker } from '../../../src/patterns/supervisor-worker.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** An answer in a while, by a clock. */
export const after = <Value>(clock: VirtualClock, ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => {
    clock.setTimeout(() => resolve(value), ms);
  });

/** The use of an answer that is neither short nor dear. */
const plain = { input: 200, output: 150, billedUsd: 0.01 };

type Say = (request: ModelRequest) => Parameters<typeof modelAnswer>[0];

/** A model that says what a function says, after a while by a clock. */
export const saying = (id: string, say: Say, ms = 0, clock?: VirtualClock): Model => ({
  provider: 'acme',
  id,
  answer: (request) => {
    const answer = modelAnswer({ usage: plain, ...say(request) });
    return clock === undefined || ms === 0 ? answer : after(clock, ms, answer);
  },
});

/** What an agent was asked: the number of the question in it. */
const numberIn = ({ messages }: ModelRequest): string =>
  /question (\d+)/.exec(
    messages
      .toArray()
      .map(({ text }) => text)
      .join('\n'),
  )?.[1] ?? 'none';

const resultsIn = ({ messages }: ModelRequest): readonly string[] =>
  messages.toArray().flatMap(({ role, text }) => (role === 'tool' ? [text] : []));

const replying: Say = (request) => ({ text: `reply ${numberIn(request)}` });

type Worker = Agent<string, unknown>;

/** An inefficiency of a worker, as it was recorded, and two ways of trying what is suggested. */
export interface PlantedWorker {
  readonly target: Target;
  readonly runs: number;
  /** The worker of the run of that number. */
  readonly recorded: (clock: VirtualClock, index: number) => Worker;
  /** The question of that run. Default: one of its own. */
  readonly question?: (index: number) => string;
  /** Asked in trials: one that holds what is promised, and one that makes things worse. */
  readonly good: (clock: VirtualClock) => Model;
  readonly worse: (clock: VirtualClock) => Model;
  /** The worker as it is now, of the trial that makes things worse. Default: as in the first run. */
  readonly worseNow?: (clock: VirtualClock) => Worker;
  /** As it was recorded for the trial that makes things worse. Default: the same. */
  readonly worseRecorded?: (clock: VirtualClock, index: number) => Worker;
}

const never: Model = saying('never', () => {
  throw new TroupeError('model.failed', 'nothing is to be asked');
});

const reads = (name: string, text: (input: string) => string) =>
  tool({
    name,
    description: `Reads ${name}.`,
    input: z.object({ of: z.string() }),
    safety: 'read',
    execute: ({ of }) => text(of),
  });

/** Reads two cities, one after the other, though it knew both. */
const asking =
  (say: (results: readonly string[]) => string): Say =>
  (request) => {
    const results = resultsIn(request);
    const city = ['Oslo', 'Rome'][results.length];
    return city === undefined
      ? { text: say(results) }
      : { calls: [{ id: city, name: 'weather', input: { of: city } }] };
  };

/** Costs a token a character. */
const dumping =
  (say: (result: string) => string): Say =>
  (request) => {
    const [result] = resultsIn(request);
    const input = request.messages.toArray().reduce((sum, { text }) => sum + text.length, 0);
    const usage = { input, output: 150, billedUsd: 0.01 };
    return result === undefined
      ? { calls: [{ id: '1', name: 'dump', input: { of: 'all' } }], usage }
      : { text: say(result), usage };
  };

/** Costs by the tools that are described to it. */
const offered =
  (say: Say): Say =>
  (request) => ({ ...say(request), usage: { ...plain, input: 100 + 100 * request.tools.length } });

const long = (instructions: string) => ({
  name: 'clerk',
  instructions,
  model: saying('own', (request) => ({ ...replying(request), usage: { ...plain, input: 5_000, cached: 0 } })),
});

const down = new TroupeError('model.unavailable', 'The service is down', { retryable: 'yes' });
const broken = saying('broken', () => {
  throw down;
});
const retrying = (...models: readonly [Model, ...Model[]]) =>
  agent({
    name: 'clerk',
    model: models,
    failures: { retry: { attempts: 2, initialWaitMs: 2_000, adaptive: false } },
  });

const judging =
  (best: (members: readonly string[]) => string): Say =>
  ({ messages }) => {
    const text = messages
      .toArray()
      .map((turn) => turn.text)
      .join('\n');
    const members = [...text.matchAll(/^- (\w+)/gm)].map(([, name = '']) => name);
    const scores = ['ann', 'bob', 'cid'].map((name) => ({
      agent: name,
      score: name === best(members) ? 0.9 : 0.1,
    }));
    return { text: JSON.stringify({ scores }), usage: { ...plain, input: text.length } };
  };

/** A router that is a worker: two of its members are never chosen. */
const routing = () =>
  router({
    name: 'clerk',
    members: Object.fromEntries(
      ['ann', 'bob', 'cid'].map((name) => [
        name,
        {
          agent: agent({
            name,
            model: saying(name, (request) => ({ text: `${name} on ${numberIn(request)}` })),
          }),
          skills: ['all'],
        },
      ]),
    ),
    strategy: {
      kind: 'semantic',
      judge: {
        model: saying(
          'judge',
          judging(() => 'ann'),
        ),
      },
    },
  });

const unsure = (say: Say, model = 'own') =>
  agent({
    name: 'clerk',
    model: saying(model, say),
    critics: [
      {
        name: 'editor',
        critique: ({ candidate }) =>
          candidate === 'a draft' ? { verdict: 'revise', note: 'no draft' } : { verdict: 'accept' },
      },
    ],
  });

const drafting: Say = ({ messages }) => ({ text: messages.length > 1 ? 'the answer' : 'a draft' });

const clerk = (model: Model, ...tools: readonly ReturnType<typeof reads>[]) =>
  agent({ name: 'clerk', model, tools });

/** One worker for each kind of suggestion. */
export const plantedWorkers: Readonly<Record<TriedType, PlantedWorker>> = {
  cache: {
    target: 'cost',
    runs: 4,
    question: (index) => `question ${index % 2}`,
    recorded: () => clerk(saying('own', replying)),
    good: () => never,
    worse: () => never,
    // Its equal questions got other answers.
    worseRecorded: (_, index) => clerk(saying('own', () => ({ text: `draft ${index}` }))),
  },
  'faster-model': {
    target: 'latency',
    runs: 3,
    recorded: (clock) => clerk(saying('own', replying, 3_000, clock)),
    good: (clock) => saying('quick', replying, 300, clock),
    worse: (clock) => saying('slow', replying, 9_000, clock),
  },
  'smaller-model': {
    target: 'cost',
    runs: 5,
    recorded: () =>
      clerk(
        saying('own', (request) => ({
          ...replying(request),
          usage: { input: 50, output: 5, billedUsd: 0.1 },
        })),
      ),
    good: () =>
      saying('small', (request) => ({
        ...replying(request),
        usage: { input: 50, output: 5, billedUsd: 0.01 },
      })),
    worse: () =>
      saying('dear', (request) => ({ ...replying(request), usage: { input: 50, output: 5, billedUsd: 3 } })),
  },
  'stronger-model': {
    target: 'accuracy',
    runs: 5,
    recorded: () => unsure(drafting),
    good: () => saying('strong', () => ({ text: 'the answer' })),
    worse: () => saying('weak', drafting),
  },
  'prompt-prefix': {
    target: 'cost',
    runs: 5,
    recorded: (_, index) => agent(long(`Help.\nIt is ${index} o'clock.`)),
    good: () => saying('own', replying),
    worse: () =>
      saying('confused', (request) =>
        request.instructions.includes('clock') ? replying(request) : { text: 'no idea' },
      ),
  },
  'parallel-tools': {
    target: 'latency',
    runs: 3,
    recorded: (clock) =>
      clerk(
        saying(
          'own',
          asking((results) => results.toSorted().join()),
          1_000,
          clock,
        ),
        reads('weather', (of) => `${of}: rain`),
      ),
    good: (clock) =>
      saying(
        'own',
        asking((results) => results.toSorted().join()),
        1_000,
        clock,
      ),
    worse: (clock) =>
      saying(
        'own',
        asking((results) => results.join()),
        1_000,
        clock,
      ),
  },
  'unused-tool': {
    target: 'cost',
    runs: 10,
    recorded: () =>
      clerk(
        saying('own', offered(replying)),
        reads('erase', (of) => of),
      ),
    good: () => saying('own', offered(replying)),
    worse: () =>
      saying(
        'own',
        offered((request) =>
          request.tools.some(({ name }) => name === 'erase') ? replying(request) : { text: 'I cannot' },
        ),
      ),
  },
  'unread-context': {
    target: 'cost',
    runs: 5,
    recorded: () =>
      clerk(
        saying(
          'own',
          dumping(() => '42'),
        ),
        reads('dump', (of) => `${of} ${'elephants giraffes '.repeat(200)}`),
      ),
    good: () =>
      saying(
        'own',
        dumping(() => '42'),
      ),
    worse: () =>
      saying(
        'own',
        dumping((result) => (result.length > 500 ? '42' : '41')),
      ),
  },
  'futile-retry': {
    target: 'latency',
    runs: 5,
    recorded: () => retrying(broken, saying('backup', replying)),
    good: () => never,
    worse: () => never,
    // There is nothing to fall back to any more.
    worseNow: () => retrying(broken),
  },
  'dead-branch': {
    target: 'cost',
    runs: 10,
    recorded: routing,
    good: () =>
      saying(
        'judge',
        judging(() => 'ann'),
      ),
    worse: () =>
      saying(
        'judge',
        judging((members) => (members.includes('bob') ? 'ann' : 'cid')),
      ),
  },
};

/** A planner that has the worker do what is asked for, and says what it said. */
const planner: Model = saying('planner', ({ messages }) => {
  const asked = messages.at(-1)?.text ?? '';
  const [, replies] = asked.split('Replies so far:\n');
  const task = /Request: (.*)/.exec(asked)?.[1] ?? '';
  const plan =
    replies === undefined
      ? { assignments: [{ worker: 'clerk', task: `${task} of Oslo and Rome` }], answer: null }
      : { assignments: [], answer: replies };
  return { text: JSON.stringify(plan) };
});

const writer = agent({
  name: 'writer',
  model: saying('pen', ({ messages }) => ({ text: `They say: ${messages.at(-1)?.text ?? ''}` })),
});

/** Teams that a worker is a member of. */
export const teams = {
  'supervisor-worker': (worker: Worker) =>
    supervisorWorker({ name: 'desk', supervisor: { model: planner }, workers: { clerk: worker } }),
  pipeline: (worker: Worker) =>
    pipeline({
      name: 'desk',
      stages: [
        {
          agent: worker,
          map: (question) => (typeof question === 'string' ? `${question} of Oslo and Rome` : question),
        },
        { agent: writer },
      ],
    }),
} as const;
