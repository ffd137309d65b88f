import { raceMachine } from '../../../src/coordination/race.ts';
import { race } from '../../../src/runtime/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

export const row: PatternRow = {
  name: 'race',
  chart: raceMachine,
  ownStates: ['racing'],
  make: (members, { name = 'quick', ...beside } = {}) =>
    race({ ...beside, name, members, hedgeAfterMs: 60_000, accept: (output) => output !== 'ann' }),
  says: (name) => name,
  output: 'bob',
  isParallel: false,
};
