import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import { answer, bestCandidate, branch } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model, ModelRequest } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { proveByForks } from '../../../src/inspect/suggestions/proof/prove-by-forks.ts';
import { suggestions } from '../../../src/inspect/suggestions/suggestions.ts';
import type { Suggestion } from '../../../src/inspect/suggestions/suggestion.ts';
import { targets } from '../../../src/inspect/suggestions/suggestion.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, ofType } from '../../support/runs.ts';
import type { TriedType } from './planted-runs.ts';
import { sized } from '../../support/thorough.ts';

/** Recorded runs, a tenth of them for each kind. The quick suite has enough for each kind to be found. */
const RUNS = sized(100, 1_000);
const TRIED = 5;
const NAMED = 10;

/** A call of a model, as the model itself saw it. */
interface Noted {
  readonly who: string;
  readonly run: number;
  readonly startedAt: number;
  readonly ms: number;
  readonly input: number;
  readonly output: number;
  readonly usd: number;
  readonly tools: ModelRequest['tools'];
  readonly text: string;
}

const clock = virtualClock(1_000_000);
const store = memoryStore();
/** The calls of recorded runs, and of trials. */
const inOrder: Noted[] = [];
const tried: Noted[] = [];
const results: (RunResult<unknown, unknown> | undefined)[] = [];
let run = 0;
let isTrial = false;

/** A number from 0 to below `most` that looks like chance, and is the same each time. */
const drawn = (seed: number, most: number): number => (Math.imul(seed + 1, 2_654_435_761) >>> 8) % most;

const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => {
    clock.setTimeout(() => resolve(value), ms);
  });

interface Said {
  readonly text?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: { readonly of: string };
  }[];
  readonly input?: number;
  readonly output?: number;
  readonly usd?: number;
  readonly ms?: number;
}

/** A model that notes what it is asked, and what it takes. */
const noting = (who: string, id: string, say: (request: ModelRequest, run: number) => Said): Model => ({
  provider: 'acme',
  id,
  answer: (request) => {
    const { text = '', calls = [], input = 200, output = 150, usd = 0.01, ms = 0 } = say(request, run);
    const noted: Noted = {
      who,
      run,
      startedAt: clock.now(),
      ms,
      input,
      output,
      usd,
      tools: request.tools,
      text,
    };
    if (isTrial) tried.push(noted);
    else inOrder.push(noted);
    const said = modelAnswer({ text, calls, usage: { input, output, billedUsd: usd } });
    return ms === 0 ? said : after(ms, said);
  },
});

const down = new TroupeError('model.unavailable', 'The service is down', { retryable: 'yes' });

const reads = (name: string, text: (of: string) => string | Promise<string>) =>
  tool({
    name,
    description: `Reads ${name}.`,
    input: z.object({ of: z.string() }),
    safety: 'read',
    execute: ({ of }) => text(of),
  });

const questionIn = ({ messages }: ModelRequest): string => messages.at(0)?.text ?? '';
const resultsIn = ({ messages }: ModelRequest): readonly string[] =>
  messages.toArray().flatMap(({ role, text }) => (role === 'tool' ? [text] : []));

/** Text of no word that is ever said. */
const LONG = 'elephants giraffes '.repeat(150);
const lengthOf = (index: number): number => 2_100 + drawn(index, 700);

type Made = Agent<string, unknown>;

/** The agent of each kind, by the number of its run, with the model of its trials. */
const kinds: Readonly<
  Record<
    TriedType,
    {
      readonly of: (index: number) => Made;
      readonly question?: (index: number) => string;
      readonly model?: Model;
    }
  >
> = {
  cache: {
    of: () =>
      agent({
        name: 'cache',
        model: noting('cache', 'own', (request) => ({
          text: `on ${questionIn(request)}`,
          input: 200 + questionIn(request).length,
        })),
      }),
    question: (index) => `question ${drawn(index, 7)}`,
    model: noting('cache', 'other', () => ({ text: 'never asked' })),
  },
  'faster-model': {
    of: () =>
      agent({
        name: 'faster-model',
        model: noting('faster-model', 'own', (request, index) => ({
          text: questionIn(request),
          ms: 1_500 + drawn(index, 2_000),
        })),
      }),
    model: noting('faster-model', 'other', (request) => ({ text: questionIn(request), ms: 400 })),
  },
  'smaller-model': {
    of: () =>
      agent({
        name: 'smaller-model',
        model: noting('smaller-model', 'own', (request, index) => ({
          text: questionIn(request),
          output: 5 + drawn(index, 90),
          usd: 0.1 + drawn(index, 8) / 64,
        })),
      }),
    model: noting('smaller-model', 'other', (request) => ({
      text: questionIn(request),
      output: 5,
      usd: 0.03125,
    })),
  },
  'stronger-model': {
    of: () =>
      agent({
        name: 'stronger-model',
        model: noting('stronger-model', 'own', ({ messages }, index) => ({
          text: messages.length === 1 && drawn(index, 3) > 0 ? 'a draft' : 'the answer',
        })),
        critics: [
          {
            name: 'editor',
            critique: ({ candidate }) =>
              candidate === 'a draft' ? { verdict: 'revise', note: 'no draft' } : { verdict: 'accept' },
          },
        ],
      }),
    model: noting('stronger-model', 'other', () => ({ text: 'the answer' })),
  },
  'prompt-prefix': {
    of: (index) =>
      agent({
        name: 'prompt-prefix',
        instructions: `Help.\nIt is ${index} o'clock.`,
        model: noting('prompt-prefix', 'own', (request) => ({
          text: questionIn(request),
          input: 4_000 + drawn(run, 900),
        })),
      }),
    model: noting('prompt-prefix', 'other', (request) => ({ text: questionIn(request) })),
  },
  'parallel-tools': {
    of: () =>
      agent({
        name: 'parallel-tools',
        model: noting('parallel-tools', 'own', (request, index) => {
          const city = ['Oslo', 'Rome'][resultsIn(request).length];
          if (city === undefined) return { text: resultsIn(request).toSorted().join(), ms: 300 };
          return {
            calls: [{ id: city, name: 'weather', input: { of: city } }],
            input: 200 + drawn(index, 99),
            ms: 300,
          };
        }),
        tools: [reads('weather', (of) => after(of === 'Oslo' ? 400 : 700, `${of}: rain`))],
      }),
    question: (index) => `question ${index}: Oslo and Rome`,
    model: noting('parallel-tools', 'other', (request) => ({
      text: resultsIn(request).toSorted().join(),
      ms: 300,
    })),
  },
  'unused-tool': {
    of: () =>
      agent({
        name: 'unused-tool',
        model: noting('unused-tool', 'own', (request) => ({
          text: questionIn(request),
          input: 150 + 90 * request.tools.length,
        })),
        tools: [reads('erase', (of) => of)],
      }),
    model: noting('unused-tool', 'other', (request) => ({
      text: questionIn(request),
      input: 150 + 90 * request.tools.length,
    })),
  },
  'unread-context': {
    of: () =>
      agent({
        name: 'unread-context',
        model: noting('unread-context', 'own', (request) => {
          const [result] = resultsIn(request);
          return result === undefined
            ? { calls: [{ id: '1', name: 'dump', input: { of: 'all' } }] }
            : { text: '42', input: 200 + result.length };
        }),
        tools: [reads('dump', () => LONG.slice(0, lengthOf(run)))],
      }),
    model: noting('unread-context', 'other', (request) => ({
      text: '42',
      input: 200 + (resultsIn(request)[0] ?? '').length,
    })),
  },
  'futile-retry': {
    of: () =>
      agent({
        name: 'futile-retry',
        model: [
          {
            provider: 'acme',
            id: 'broken',
            answer: () => {
              throw down;
            },
          },
          noting('futile-retry', 'backup', (request) => ({ text: questionIn(request) })),
        ],
        failures: { retry: { attempts: 2, initialWaitMs: 2_000 } },
      }),
    model: noting('futile-retry', 'other', () => ({ text: 'never asked' })),
  },
  'dead-branch': {
    of: () =>
      agent({
        name: 'dead-branch',
        decide: () =>
          branch(
            [
              { decision: answer('no'), score: 0.1, label: 'no' },
              { decision: answer('yes'), score: 0.9, label: 'yes' },
            ],
            bestCandidate,
          ),
      }),
    model: noting('dead-branch', 'other', () => ({ text: 'never asked' })),
  },
};

const types = Object.keys(kinds) as TriedType[];
const typeOf = (index: number): TriedType => types[index % types.length] ?? 'cache';
const runsOf = (type: TriedType): readonly number[] =>
  Array.from({ length: RUNS }, (_, index) => index).filter((index) => typeOf(index) === type);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const callsOf = (type: TriedType): readonly Noted[] => inOrder.filter(({ who }) => who === type);
const tokensOf = (calls: readonly Noted[]): number => sum(calls.map(({ input, output }) => input + output));
const within = (calls: readonly Noted[], runs: readonly number[]): readonly Noted[] =>
  calls.filter((call) => runs.includes(call.run));

/** The calls that a cache would have answered: equal ones, of the hundred asked for last, less than five minutes after the answer. */
const repeatedCalls = (): readonly Noted[] => {
  const kept: { readonly text: string; readonly at: number }[] = [];
  return inOrder.filter(({ who, text, startedAt }) => {
    // Of all other agents no two requests are equal.
    const index = who === 'cache' ? kept.findIndex((each) => each.text === text) : -1;
    const [known] = index < 0 ? [] : kept.splice(index, 1);
    const isHit = known !== undefined && startedAt - known.at < 300_000;
    kept.push({ text, at: isHit ? known.at : startedAt });
    if (kept.length > 100) kept.shift();
    return isHit;
  });
};

const waitsOf = (index: number): number =>
  sum(ofType(results[index]?.events ?? [], 'model.retrying').map(({ waitMs }) => waitMs));
const durationOf = (index: number): number => results[index]?.totals.durationMs ?? NaN;
const distinct = (calls: readonly Noted[]): readonly number[] => [...new Set(calls.map((call) => call.run))];
const draftsIn = (): readonly number[] =>
  distinct(callsOf('stronger-model').filter(({ text }) => text === 'a draft'));

/** What is found, computed from what models saw: the runs that show it, the number of times, and the gain. */
const recomputed = (
  type: TriedType,
): {
  readonly runs: readonly number[];
  readonly count: number;
  readonly gain: Readonly<Record<string, number>>;
} => {
  const calls = callsOf(type);
  const runs = runsOf(type);
  switch (type) {
    case 'cache': {
      const hits = repeatedCalls();
      return {
        runs: distinct(hits),
        count: hits.length,
        gain: {
          latencyMs: 0,
          tokens: tokensOf(hits),
          costUsd: sum(hits.map(({ usd }) => usd)),
          modelCalls: hits.length,
        },
      };
    }
    case 'faster-model':
      return { runs, count: calls.length, gain: { latencyMs: sum(calls.map(({ ms }) => ms)) * 0.5 } };
    case 'smaller-model':
      return { runs, count: calls.length, gain: { costUsd: sum(calls.map(({ usd }) => usd)) * 0.8 } };
    case 'stronger-model':
      return { runs: draftsIn(), count: draftsIn().length, gain: {} };
    case 'prompt-prefix':
      return {
        runs: runs.slice(1),
        count: runs.length - 1,
        gain: { tokens: sum(calls.slice(0, -1).map(({ input }) => input)) * 0.9 },
      };
    case 'parallel-tools': {
      const between = runs.flatMap((index) => within(calls, [index])[1] ?? []);
      return {
        runs,
        count: runs.length,
        gain: {
          latencyMs: runs.length * (300 + 400),
          tokens: tokensOf(between),
          costUsd: sum(between.map(({ usd }) => usd)),
        },
      };
    }
    case 'unused-tool': {
      const shares = calls.map(({ tools, input, output, usd }) => {
        const tokens = Math.ceil(JSON.stringify(tools[0]).length / 4);
        return { tokens, usd: (usd * tokens) / (input + output) };
      });
      return {
        runs,
        count: calls.length,
        gain: { tokens: sum(shares.map(({ tokens }) => tokens)), costUsd: sum(shares.map(({ usd }) => usd)) },
      };
    }
    case 'unread-context':
      return {
        runs,
        count: runs.length,
        gain: { tokens: sum(runs.map((index) => Math.ceil(lengthOf(index) / 4))) },
      };
    case 'futile-retry':
      return { runs, count: runs.length, gain: { latencyMs: sum(runs.map(waitsOf)) } };
    case 'dead-branch':
      return { runs, count: runs.length, gain: {} };
  }
};

/** The figures of the proof: of the newest runs that were completed, else of the newest of the first ten that show it. */
const recomputedProof = (type: TriedType, asked: readonly Noted[]): readonly number[] => {
  const { runs: showing } = recomputed(type);
  const isOfAll = type === 'faster-model' || type === 'smaller-model';
  const runs = (isOfAll ? showing : showing.slice(0, NAMED)).slice(-TRIED);
  const calls = within(callsOf(type), runs);
  const forks = runs.length;
  switch (type) {
    case 'cache': {
      const hits = within(repeatedCalls(), runs);
      return [forks, forks, tokensOf(calls) - tokensOf(hits), tokensOf(calls)];
    }
    case 'faster-model':
      return [forks, forks, sum(asked.map(({ ms }) => ms)), sum(calls.map(({ ms }) => ms))];
    case 'smaller-model':
      return [forks, forks, sum(asked.map(({ usd }) => usd)), sum(calls.map(({ usd }) => usd))].map((each) =>
        Number(each.toPrecision(3)),
      );
    case 'stronger-model':
      return [forks, forks];
    case 'prompt-prefix':
      return [forks, forks, asked.length];
    case 'parallel-tools': {
      // Each is forked twice; the first answer is given, and one more is asked for.
      return [2 * forks, 2 * forks, 4 * forks, 6 * forks, tokensOf(asked), 2 * tokensOf(calls)];
    }
    case 'unused-tool':
      return [forks, forks, tokensOf(asked), tokensOf(calls), asked.length];
    case 'unread-context': {
      const first = runs.flatMap((index) => within(calls, [index])[0] ?? []);
      return [forks, forks, 500, tokensOf(first) + tokensOf(asked), tokensOf(calls)];
    }
    case 'futile-retry': {
      const before = sum(runs.map(durationOf));
      return [forks, forks, before - sum(runs.map(waitsOf)), before];
    }
    case 'dead-branch':
      return [];
  }
};

const numbersIn = (basis: string): readonly number[] =>
  [...basis.replace(/acme:\w+|'[^']*'/g, '').matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));

const found = new Map<string, Suggestion>();

beforeAll(async () => {
  for (run = 0; run < RUNS; run += 1) {
    const { of, question = (index: number) => `question ${index}` } = kinds[typeOf(run)];
    results.push(await letTimePass(clock, of(run).run(question(run), { store, clock, runId: `run-${run}` })));
  }
  for (const target of targets)
    for (const each of await suggestions(store, { target, unproven: true }))
      found.set(`${target} ${each.agent} ${each.type}`, each);
}, 600_000);

describe(`over ${RUNS} recorded runs`, () => {
  test.each(types)('[KAIZEN-57] the figures of a planted %s equal a plain recomputation', (type) => {
    const { runs, count, gain } = recomputed(type);
    const mine = [...found.values()].filter((each) => each.agent === type && each.type === type);
    expect(mine.length).toBeGreaterThan(0);
    for (const { evidence, expected } of mine) {
      expect(evidence).toMatchObject({
        runs: runs.slice(0, NAMED).map((index) => `run-${index}`),
        runCount: runs.length,
        count,
      });
      const { share: _, ...rest } = expected;
      expect(Object.keys(rest).toSorted()).toEqual(Object.keys(gain).toSorted());
      for (const [name, value] of Object.entries(gain)) expect(Reflect.get(rest, name)).toBeCloseTo(value, 6);
    }
  });

  test('[KAIZEN-57] nothing else is found, and shares are of the totals of all runs', () => {
    const all = [...found.entries()];
    expect(new Set(all.map(([, { agent: who, type }]) => `${who} ${type}`))).toEqual(
      new Set(types.map((type) => `${type} ${type}`)),
    );
    const total = (of: (result: RunResult<unknown, unknown>) => number): number =>
      sum(results.map((each) => (each === undefined ? NaN : of(each))));
    const latencyMs = total(({ totals }) => totals.durationMs);
    const costUsd = total(({ totals }) => totals.costUsd ?? NaN);
    const tokens = total(({ totals }) => totals.inputTokens + totals.outputTokens);
    for (const [key, { expected, type }] of all) {
      const { runs, gain } = recomputed(types.find((each) => each === type) ?? 'cache');
      const share = key.startsWith('latency')
        ? (gain['latencyMs'] ?? 0) / latencyMs
        : key.startsWith('accuracy')
          ? runs.length / RUNS
          : gain['costUsd'] === undefined
            ? (gain['tokens'] ?? 0) / tokens
            : gain['costUsd'] / costUsd;
      expect(expected.share).toBeCloseTo(share, 9);
    }
  });

  test.each(types)(
    '[KAIZEN-57] the proof of a planted %s equals a plain recomputation, and is the same each time',
    async (type) => {
      const mine = [...found.values()]
        .filter((each) => each.agent === type && each.type === type)
        .slice(0, 1);
      isTrial = true;
      const { of, model } = kinds[type];
      const proofs: (readonly Suggestion[])[] = [];
      for (let time = 0; time < 2; time += 1) {
        tried.length = 0;
        const options = { agent: of(0), model, runs: TRIED, clock };
        proofs.push(await letTimePass(clock, proveByForks(mine, store, options), 100));
      }
      isTrial = false;
      const [proof] = proofs[0] ?? [];
      expect(proofs[1]).toEqual(proofs[0]);
      const { runs } = recomputed(type);
      const isReplayed = type === 'dead-branch';
      expect(proof?.proven).toEqual(
        isReplayed ? { by: 'replay', runs: runs.length } : { by: 'forks', runs: TRIED },
      );
      expect(isReplayed ? [] : numbersIn(proof?.basis ?? '')).toEqual(recomputedProof(type, tried));
    },
  );
});
