import { supervisorWorker } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

const plan = (
  assignments: readonly (readonly [worker: string, task: string])[],
  answer: string | null = null,
): string => JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer });

export const row: PatternRow = {
  name: 'supervisorWorker',
  machine: supervisorWorker.machine,
  ownStates: ['collecting', 'reviewing', 'reassigning'],
  make: (workers, { name = 'desk', ...beside } = {}) =>
    supervisorWorker({
      ...beside,
      name,
      workers,
      supervisor: {
        model: scripted([
          plan(Object.keys(workers).map((worker) => [worker, `for ${worker}`])),
          plan([], 'all done'),
        ]),
      },
    }),
  says: (name) => name,
  output: 'all done',
  // The supervisor reads what failed, and answers all the same.
  allFail: 'completed',
  isParallel: true,
  endless: {
    make: () =>
      supervisorWorker({
        name: 'desk',
        workers: { ann: parrot('ann', 'more') },
        maxRounds: 4,
        supervisor: { model: scripted(Array.from({ length: 10 }, () => plan([['ann', 'again']]))) },
      }),
    stopReason: { kind: 'maxRounds', limit: 4 },
  },
};

export const setup: SetupRow = {
  setup: { supervisor: {}, workers: two },
  options: {
    supervisor: 'role',
    workers: 'needed',
    reviewer: 'optionalRole',
    maxRejections: 'count',
    maxAttempts: 'count',
    result: 'optional',
    maxRounds: 'count',
    maxAssignments: 'count',
    maxDelegations: 'count',
    concurrency: 'count',
  },
  places: {
    'a worker': ['needed', (found) => ({ workers: { ann, bob: found } })],
    skills: ['list', (found) => ({ workers: { ann: { agent: ann, skills: found } } })],
  },
};
