import { ensemble } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';
import type { SetupRow } from '../setup-row.ts';
import { ann, bob, two } from '../setup-row.ts';

export const row: PatternRow = {
  name: 'ensemble',
  machine: ensemble.machine,
  ownStates: ['synthesising', 'comparing'],
  make: (proposers, { name = 'choir', ...beside } = {}) =>
    ensemble({ ...beside, name, proposers, aggregator: { model: scripted(['in unison']) } }),
  says: (name) => name,
  output: 'in unison',
  isParallel: true,
};

export const setup: SetupRow = {
  setup: { proposers: two, aggregator: {} },
  options: { proposers: 'needed', aggregator: 'role', top: 'count', layers: 'count', concurrency: 'count' },
  places: {
    'a proposer': ['needed', (found) => ({ proposers: { ann, bob: found } })],
    skills: ['list', (found) => ({ proposers: { ann, bob: { agent: bob, skills: found } } })],
  },
};
