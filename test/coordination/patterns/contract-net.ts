import { contractNet } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, bob, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'contractNet',
  machine: contractNet.machine,
  ownStates: ['announcing', 'weighing', 'consulting', 'awarding', 'executing'],
  make: (contractors, { name = 'market', ...beside } = {}) => contractNet({ ...beside, name, contractors }),
  says: (name) => JSON.stringify({ cost: name === 'ann' ? 1 : 2, confidence: 0.9 }),
  output: '{"cost":1,"confidence":0.9}',
  // Nobody bids, and that is said.
  allFail: 'stopped',
  isParallel: true,
};

export const setup: SetupRow = {
  setup: { contractors: two },
  options: { contractors: 'needed', bidTimeMs: 'count', award: 'optional', manager: 'optionalRole' },
  places: {
    'a contractor': ['needed', (found) => ({ contractors: { ann, bob: found } })],
    'the agent of a contractor': [
      'needed',
      (found) => ({ contractors: { ann: { agent: found, bidder: bob } } }),
    ],
    'a bidder': ['optional', (found) => ({ contractors: { ann: { agent: ann, bidder: found } } })],
  },
};
