import { pipeline } from '../../../src/patterns/index.ts';
import type { PatternRow } from './pattern-row.ts';

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
