import { blackboard } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

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

export const setup: SetupRow = {
  setup: { specialists: two, controller: {} },
  options: {
    specialists: 'needed',
    controller: 'role',
    reads: 'record',
    maxRounds: 'count',
    size: 'count',
    maxAgeMs: 'count',
  },
  places: {
    'a specialist': ['needed', (found) => ({ specialists: { ann, bob: found } })],
    'the agent of a specialist': [
      'needed',
      (found) => ({ specialists: { ann: { agent: found, reads: {} } } }),
    ],
    'what a specialist reads': [
      'record',
      (found) => ({ specialists: { ann: { agent: ann, reads: found } } }),
    ],
    'how much is read': ['count', (found) => ({ reads: { limit: found } })],
    'how old it may be': ['count', (found) => ({ reads: { maxAgeMs: found } })],
    'how important': ['optional', (found) => ({ reads: { minImportance: found } })],
    tags: ['list', (found) => ({ reads: { tags: found } })],
    'how tags count': ['optional', (found) => ({ reads: { tagMode: found } })],
    'by whom not': ['optional', (found) => ({ reads: { notBy: found } })],
  },
};
