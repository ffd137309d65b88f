import { ensembleMachine } from '../../../src/coordination/ensemble.ts';
import { ensemble } from '../../../src/runtime/patterns/index.ts';
import { scripted } from '../../support/prompt-book.ts';
import type { PatternRow } from './pattern-row.ts';

export const row: PatternRow = {
  name: 'ensemble',
  chart: ensembleMachine,
  ownStates: ['synthesising', 'comparing'],
  make: (proposers, { name = 'choir', ...beside } = {}) =>
    ensemble({ ...beside, name, proposers, aggregator: { model: scripted(['in unison']) } }),
  says: (name) => name,
  output: 'in unison',
  isParallel: true,
};
