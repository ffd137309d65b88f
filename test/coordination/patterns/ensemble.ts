import { ensemble } from '../../../src/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';

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
