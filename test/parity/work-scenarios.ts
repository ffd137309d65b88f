import { blackboard, contractNet, pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { scripted } from '../support/prompt-book.ts';
import { never } from '../support/runs.ts';
import type { Scenario } from './scenarios.ts';
import { plan, says } from './scenarios.ts';

const verdict = (accepted: boolean, reason: string): string => JSON.stringify({ accepted, reason });

/** Work that is given out, looked at and given out again, in each of the patterns that do so. */
export const workScenarios: readonly Scenario[] = [
  {
    name: 'work that fails goes to another, and work that is sent back is done again',
    tells: ['work.reviewed', 'work.reassigned'],
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        supervisor: { model: scripted([plan(null, ['ann', 'one'], ['bob', 'two']), plan('done')]) },
        workers: {
          ann: says('ann', new Error('dead')),
          bob: says('bob', 'a draft', 'better'),
          carl: says('carl', 'instead'),
        },
        reviewer: {
          model: scripted([verdict(false, 'too short'), verdict(true, 'fine'), verdict(true, 'fine')]),
        },
        maxAttempts: 2,
        concurrency: 1,
      }),
    }),
  },
  {
    name: 'a pipeline that goes on without a stage, and with another in place of one',
    tells: ['stage.failed'],
    make: () => ({
      agent: pipeline({
        name: 'line',
        stages: [
          says('a', 'a'),
          { agent: says('b', new Error('dead')), onError: 'continue' },
          { agent: says('c', new Error('dead')), onError: { agent: says('d', 'instead') } },
          says('e', 'e'),
        ],
      }),
    }),
  },
  {
    name: 'an auction with a bid that is late, whose best contractor fails',
    tells: ['bid.made', 'contract.awarded'],
    make: () => {
      const bid = (cost: number): string => JSON.stringify({ cost, confidence: 1 });
      return {
        agent: contractNet({
          name: 'market',
          contractors: {
            a: says('a', bid(1), new Error('dead')),
            b: says('b', bid(2), 'by b'),
            c: says('c', () => never<string>()),
          },
          bidTimeMs: 5_000,
        }),
      };
    },
  },
  {
    name: 'a board that has no room left, with a specialist that fails and a controller that errs',
    tells: ['insight.shared'],
    make: () => ({
      agent: blackboard({
        name: 'board',
        specialists: { a: says('a', 'one', 'two'), b: says('b', new Error('dead')) },
        controller: says('boss', 'a', 'nobody', 'b', 'a', 'complete: it is two'),
        size: 1,
      }),
    }),
  },
];
