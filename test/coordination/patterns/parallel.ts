import { parallelMachine } from '../../../src/coordination/parallel.ts';
import { parallel } from '../../../src/runtime/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

const reply = (member: string) => ({ member, status: 'completed', output: member, error: null });

export const row: PatternRow = {
  name: 'parallel',
  chart: parallelMachine,
  ownStates: ['dealing', 'gathering', 'reducing'],
  make: (members, { name = 'all', ...beside } = {}) => parallel({ ...beside, name, members }),
  says: (name) => name,
  output: [reply('ann'), reply('bob')],
  isParallel: true,
};
