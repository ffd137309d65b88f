import { saga } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';

export const row: PatternRow = {
  name: 'saga',
  machine: saga.machine,
  ownStates: ['goingForward', 'goingBack', 'undoing'],
  make: (members, { name = 'trip', ...beside } = {}) =>
    saga({
      ...beside,
      name,
      steps: Object.fromEntries(
        Object.entries(members).map(([step, does]) => [step, { does, undoes: parrot(`no-${step}`, 'gone') }]),
      ),
    }),
  says: (name) => name,
  output: 'bob',
  oneFails: 'failed',
  isParallel: false,
};
