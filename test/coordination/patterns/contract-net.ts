import { contractNet } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

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
