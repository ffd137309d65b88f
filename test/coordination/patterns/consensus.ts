import { consensus } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'consensus',
  machine: consensus.machine,
  ownStates: ['polling', 'tallying', 'summarising'],
  make: (voters, { name = 'board', ...beside } = {}) => consensus({ ...beside, name, voters, maxRounds: 2 }),
  says: (name) => `{"vote": "approve", "confidence": 0.9, "reason": "${name} likes it"}`,
  output: {
    decision: 'approve',
    rounds: 1,
    summary: null,
    tally: {
      winner: 'approve',
      share: 1,
      abstentions: 0,
      counts: [
        { choice: 'approve', votes: 2, weight: 2, confidence: 0.9 },
        { choice: 'reject', votes: 0, weight: 0, confidence: 0 },
      ],
    },
    votes: ['ann', 'bob'].map((voter) => ({
      member: voter,
      vote: 'approve',
      confidence: 0.9,
      weight: 1,
      reason: `${voter} likes it`,
      perspective: null,
      error: null,
    })),
  },
  isParallel: true,
  endless: {
    make: () =>
      consensus({
        name: 'board',
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
    choices: 'optional',
    rule: 'optional',
    threshold: 'optional',
    weights: 'record',
    countAbstentions: 'optional',
    maxRounds: 'count',
    summariser: 'optionalRole',
    concurrency: 'count',
  },
  places: {
    'a voter': ['role', (found) => ({ voters: { ann, bob: found } })],
    'the threshold of a rule that has one': [
      'optional',
      (found) => ({ rule: 'threshold', threshold: found }),
    ],
    'what a vote weighs': ['number', (found) => ({ rule: 'weighted', weights: { ann: found } })],
  },
};
