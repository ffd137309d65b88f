import { parallel } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

const reply = (member: string) => ({ member, status: 'completed', output: member, error: null });

export const row: PatternRow = {
  name: 'parallel',
  machine: parallel.machine,
  ownStates: ['dealing', 'gathering', 'reducing'],
  make: (members, { name = 'all', ...beside } = {}) => parallel({ ...beside, name, members }),
  says: (name) => name,
  output: [reply('ann'), reply('bob')],
  isParallel: true,
};
