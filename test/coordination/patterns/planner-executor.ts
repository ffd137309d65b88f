import { plannerExecutor } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

const plan = (executors: readonly string[], answer: string | null = null): string =>
  JSON.stringify({ steps: executors.map((executor) => ({ task: `for ${executor}`, executor })), answer });

export const row: PatternRow = {
  name: 'plannerExecutor',
  machine: plannerExecutor.machine,
  ownStates: ['drawingUp', 'executing', 'replanning', 'concluding'],
  make: (executors, { name = 'trip', ...beside } = {}) =>
    plannerExecutor({
      ...beside,
      name,
      executors,
      planner: { model: scripted([plan(Object.keys(executors)), plan([], 'all done')]) },
    }),
  says: (name) => name,
  output: 'all done',
  // The planner reads what failed, and answers all the same.
  allFail: 'completed',
  isParallel: false,
  endless: {
    make: () =>
      plannerExecutor({
        name: 'trip',
        executors: { ann: parrot('ann', new Error('no')) },
        maxReplans: 50,
        maxSteps: 4,
        planner: { model: scripted(Array.from({ length: 10 }, () => plan(['ann', 'ann']))) },
      }),
    stopReason: { kind: 'maxSteps', limit: 4 },
  },
};

export const setup: SetupRow = {
  setup: { planner: {}, executors: two },
  options: {
    planner: 'role',
    executors: 'needed',
    result: 'optional',
    maxSteps: 'count',
    maxReplans: 'count',
  },
  places: { 'an executor': ['needed', (found) => ({ executors: { ann, bob: found } })] },
};
