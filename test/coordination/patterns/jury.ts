import { jury } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'jury',
  machine: jury.machine,
  ownStates: ['deliberating', 'awaitingPeople'],
  make: (voters, { name = 'panel', ...beside } = {}) => jury({ ...beside, name, voters, maxRounds: 2 }),
  says: (name) => `reject: ${name} has doubts`,
  output: {
    decision: 'reject',
    rounds: 1,
    tally: {
      winner: 'reject',
      share: 1,
      abstentions: 0,
      counts: [
        { choice: 'approve', votes: 0, weight: 0, confidence: 0 },
        { choice: 'reject', votes: 2, weight: 2, confidence: 0.5 },
      ],
    },
    votes: ['ann', 'bob'].map((voter) => ({
      member: voter,
      vote: 'reject',
      confidence: 0.5,
      weight: 1,
      reason: `${voter} has doubts`,
      perspective: null,
      error: null,
    })),
  },
  isParallel: true,
  endless: {
    make: () =>
      jury({
        name: 'panel',
        maxRounds: 4,
        voters: { ann: parrot('ann', 'approve'), bob: parrot('bob', 'reject') },
      }),
    stopReason: { kind: 'maxRounds', limit: 4 },
  },
};

export const setup: SetupRow = {
  setup: { voters: two },
  options: {
    voters: 'needed',
    personTimeMs: 'optional',
    choices: 'optional',
    rule: 'optional',
    maxRounds: 'count',
  },
  places: { 'a voter': ['role', (found) => ({ voters: { ann, bob: found } })] },
};
