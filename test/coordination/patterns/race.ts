import { race } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

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
