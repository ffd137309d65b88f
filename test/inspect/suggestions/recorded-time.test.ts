import { expect, test } from 'vitest';
import { answer, bestCandidate, branch } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import type { TrialOptions } from '../../../src/inspect/suggestions/proof/trial-options.ts';
import { suggestions } from '../../../src/inspect/suggestions/suggestions.ts';
import type { Target } from '../../../src/inspect/suggestions/suggestion.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, ofType } from '../../support/runs.ts';
import { saying } from './planted-teams.ts';

const down = new TroupeError('model.unavailable', 'The service is down', { retryable: 'yes' });

/** Fails that many times, and answers then. */
const failing = (times: number): Model => {
  let left = times;
  return saying('shaky', () => {
    left -= 1;
    if (left >= 0) throw down;
    return { text: 'at last' };
  });
};

const retrying = (...models: readonly [Model, ...Model[]]) =>
  agent({ name: 'clerk', model: models, failures: { retry: { attempts: 3, initialWaitMs: 2_000 } } });

const slow = (clock: ReturnType<typeof virtualClock>) =>
  saying('backup', () => ({ text: 'here' }), 1_500, clock);

test('a retry that helped, in a run as it is stored, is not said to be futile', async () => {
  const clock = virtualClock();
  const store = memoryStore();
  for (let index = 0; index < 6; index += 1) {
    const result = await letTimePass(clock, retrying(failing(1)).run(`q${index}`, { store, clock }));
    expect(ofType(result.events, 'model.retrying')).toHaveLength(1);
  }
  expect(await suggestions(store, { target: 'latency', unproven: true })).toEqual([]);
});

test('what is on record takes its recorded time, to the millisecond, by the clock of the machine, too', async () => {
  const clock = virtualClock(5_000_000);
  const store = memoryStore();
  const waits: number[] = [];
  const times: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const clerk = retrying(failing(3), slow(clock));
    const { events, totals } = await letTimePass(clock, clerk.run(`q${index}`, { store, clock }));
    waits.push(ofType(events, 'model.retrying').reduce((sum, { waitMs }) => sum + waitMs, 0));
    times.push(totals.durationMs);
  }
  const never = saying('never', () => {
    throw new TroupeError('model.failed', 'nothing is to be asked');
  });
  const prove: TrialOptions = { agent: retrying(failing(3), slow(clock)), model: never };
  const proof = () =>
    suggestions(store, { target: 'latency', prove }).then((all) =>
      all.filter(({ type }) => type === 'futile-retry'),
    );
  const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
  const first = await proof();
  expect(first).toMatchObject([
    {
      proven: { by: 'forks', runs: 5 },
      basis: `5 of 5 forks without these retries ended the same; they took ${sum(times) - sum(waits)} ms instead of ${sum(times)} ms; no model was asked, as all is on record`,
    },
  ]);
  expect(await proof()).toEqual(first);
});

test('equal requests that got other answers are proven to need no second one where forks with the first end the same', async () => {
  const store = memoryStore();
  let drafts = 0;
  const deskOf = () =>
    pipeline({
      name: 'desk',
      stages: [
        agent({ name: 'clerk', model: saying('own', () => ({ text: `draft ${(drafts += 1)}` })) }),
        agent({ name: 'writer', model: saying('pen', () => ({ text: 'Done.' })) }),
      ],
    });
  for (let index = 0; index < 3; index += 1) await deskOf().run('the same', { store });
  const cacheOf = async (prove?: TrialOptions) =>
    (await suggestions(store, { unproven: true, prove })).find(
      ({ type, agent: who }) => type === 'cache' && who === 'clerk',
    );
  expect((await cacheOf())?.proven).toBe(false);
  const pen = saying('other', () => ({ text: 'Done.' }));
  expect(await cacheOf({ agent: deskOf(), model: pen })).toMatchObject({
    proven: { by: 'forks', runs: 2 },
    basis: expect.stringMatching(
      /^2 of 2 forks with the answers that a cache would have given ended the same; they took \d+ tokens instead of \d+; models were asked 2 times, for what is not on record: of 'clerk' acme:other$/,
    ),
  });
});

test.each([
  ['its score', bestCandidate, 'replay'],
  ['code of its own', <Value>([, , last]: readonly Value[]) => last, 'recount'],
] as const)(
  'a branch that was chosen against by %s is counted, and proven by what that says: a %s',
  async (_, select, by) => {
    const clerk = agent({
      name: 'clerk',
      decide: () =>
        branch(
          ['best', 'never', 'last'].map((label, index) => ({
            label,
            score: 0.9 - index / 10,
            decision: answer(label),
          })),
          select,
        ),
    });
    const store = memoryStore();
    for (let index = 0; index < 10; index += 1) await clerk.run(`q${index}`, { store });
    const target: Target = 'accuracy';
    const prove = { agent: clerk, model: saying('any', () => ({ text: '' })) };
    for (const found of [await suggestions(store, { target }), await suggestions(store, { target, prove })])
      expect(found).toMatchObject([
        { type: 'dead-branch', proven: { by, runs: 10 } },
        { type: 'dead-branch', proven: { by, runs: 10 } },
      ]);
  },
);
