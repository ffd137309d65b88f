import { race } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'race',
  machine: race.machine,
  ownStates: ['racing'],
  make: (members, { name = 'quick', ...beside } = {}) =>
    race({ ...beside, name, members, hedgeAfterMs: 60_000, accept: (output) => output !== 'ann' }),
  says: (name) => name,
  output: 'bob',
  isParallel: false,
};

export const setup: SetupRow = {
  setup: { members: two },
  options: { members: 'needed', hedgeAfterMs: 'count', accept: 'optional' },
  places: { 'a member': ['needed', (found) => ({ members: { ann, bob: found } })] },
};
