import { supervisorWorker } from '../../src/runtime/patterns/index.ts';
import { scripted } from '../support/prompt-book.ts';
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
        maxReassignments: 1,
        concurrency: 1,
      }),
    }),
  },
];
