import { pipeline } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, bob } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'pipeline',
  machine: pipeline.machine,
  ownStates: ['handingOver', 'standingIn'],
  make: (members, { name = 'line', ...beside } = {}) => {
    const [first, ...others] = Object.values(members);
    if (first === undefined) throw new Error('a pipeline needs a stage');
    const [last = first] = others.slice(-1);
    return others.length === 0
      ? pipeline({ ...beside, name, stages: [first] })
      : pipeline({ ...beside, name, stages: [first, ...others.slice(0, -1), last] });
  },
  says: (name) => name,
  output: 'bob',
  oneFails: 'failed',
  isParallel: false,
};

export const setup: SetupRow = {
  setup: { stages: [ann, bob] },
  options: { stages: 'needed', onStageError: 'optional' },
  places: {
    'a stage': ['needed', (found) => ({ stages: [ann, found] })],
    'the agent of a stage': ['needed', (found) => ({ stages: [{ agent: found }] })],
    'a map': ['optional', (found) => ({ stages: [{ agent: ann, map: found }] })],
    'what a failure means': ['optional', (found) => ({ stages: [{ agent: ann, onError: found }] })],
    'a stand-in': ['needed', (found) => ({ stages: [{ agent: ann, onError: { agent: found } }] })],
  },
};
