import { debate } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

const turn = (member: string, round: number, stage: string) => ({
  stage,
  round,
  member,
  side: member === 'ann' ? 'for' : 'against',
  text: member,
  error: null,
});

export const row: PatternRow = {
  name: 'debate',
  machine: debate.machine,
  ownStates: ['opening', 'rebutting', 'closing', 'judgement'],
  make: (debaters, { name = 'court', ...beside } = {}) =>
    debate({
      ...beside,
      name,
      debaters,
      rounds: 2,
      judge: { model: scripted(['{"decision": "for", "confidence": 0.7, "reason": "well put"}']) },
    }),
  says: (name) => name,
  output: {
    decision: 'for',
    confidence: 0.7,
    reason: 'well put',
    turns: [
      turn('ann', 1, 'opening'),
      turn('bob', 1, 'opening'),
      turn('ann', 2, 'closing'),
      turn('bob', 2, 'closing'),
    ],
  },
  isParallel: false,
};

export const setup: SetupRow = {
  setup: { debaters: two },
  options: { debaters: 'needed', sides: 'record', rounds: 'count', judge: 'optionalRole' },
  places: {
    'a debater': ['role', (found) => ({ debaters: { ann, bob: found } })],
    'a side': ['optional', (found) => ({ sides: { ann: found } })],
  },
};
