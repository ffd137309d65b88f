import { router } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

export const row: PatternRow = {
  name: 'router',
  machine: router.machine,
  ownStates: ['consulting', 'routing', 'weighing'],
  // The first has the best score; the others are next, one by one.
  make: (members, { name = 'switch', ...beside } = {}) => {
    const order = Object.keys(members);
    return router({
      ...beside,
      name,
      members,
      maxAttempts: order.length,
      strategy: { kind: 'semantic', score: (_, card) => 1 / (2 + order.indexOf(card.name)) },
    });
  },
  says: (name) => name,
  output: 'ann',
  isParallel: false,
};
