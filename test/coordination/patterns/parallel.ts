import { parallel } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

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

export const setup: SetupRow = {
  setup: { members: two },
  options: {
    members: 'needed',
    concurrency: 'count',
    quorum: 'optional',
    failsFast: 'optional',
    aggregator: 'optionalRole',
  },
  places: {
    'a member': ['needed', (found) => ({ members: { ann, bob: found } })],
    'the one for each': ['optional', (found) => ({ each: found })],
  },
};
