import { router } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

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

export const setup: SetupRow = {
  setup: { members: two },
  options: { members: 'needed', strategy: 'optional', maxAttempts: 'count' },
  places: {
    'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
    'the agent of a member': ['needed', (found) => ({ members: { ann: { agent: found, skills: [] } } })],
    skills: ['list', (found) => ({ members: { ann: { agent: ann, skills: found } } })],
    'the kind of a strategy': ['needed', (found) => ({ strategy: { kind: found } })],
    'a judge': ['optionalRole', (found) => ({ strategy: { kind: 'semantic', judge: found } })],
    'a score': ['optional', (found) => ({ strategy: { kind: 'semantic', score: found } })],
    turns: ['optional', (found) => ({ strategy: { kind: 'round-robin', turns: found } })],
    'a load': ['optional', (found) => ({ strategy: { kind: 'least-loaded', load: found } })],
    'an assessment': ['optional', (found) => ({ strategy: { kind: 'tiers', assess: found } })],
    'the top tier': ['count', (found) => ({ strategy: { kind: 'tiers', maxTier: found } })],
  },
};
