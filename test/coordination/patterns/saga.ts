import { saga } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import { parrot } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann } from '../setup-row.ts';

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

export const setup: SetupRow = {
  setup: { steps: { one: { does: ann } } },
  options: { steps: 'needed' },
  places: {
    'a step': ['needed', (found) => ({ steps: { one: found } })],
    'who does it': ['needed', (found) => ({ steps: { one: { does: found } } })],
    'who undoes it': ['optional', (found) => ({ steps: { one: { does: ann, undoes: found } } })],
    'a map': ['optional', (found) => ({ steps: { one: { does: ann, map: found } } })],
  },
};
