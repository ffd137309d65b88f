import { blackboard } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';

const next = (name: string): string => JSON.stringify({ complete: false, next: name });

/** The more important one first, whenever it came. */
const insight = (name: string): { content: string; importance: number } => ({
  content: name,
  importance: name === 'ann' ? 0.9 : 0.4,
});

export const row: PatternRow = {
  name: 'blackboard',
  machine: blackboard.machine,
  ownStates: ['reading', 'contributing', 'noting'],
  make: (specialists, { name = 'board', ...beside } = {}) =>
    blackboard({
      ...beside,
      name,
      specialists,
      controller: { model: scripted([...Object.keys(specialists).map(next), '{"complete": true}']) },
    }),
  says: (name) => JSON.stringify(insight(name)),
  output: { converged: true, rounds: 2, answer: null, insights: [insight('ann'), insight('bob')] },
  // Nothing is on the board, and that is said.
  allFail: 'stopped',
  isParallel: false,
  endless: {
    make: () =>
      blackboard({
        name: 'board',
        specialists: { ann: parrot('ann', 'more') },
        controller: { model: scripted(Array.from({ length: 10 }, () => next('ann'))) },
      }),
    stopReason: { kind: 'maxRounds', limit: 5 },
  },
};
