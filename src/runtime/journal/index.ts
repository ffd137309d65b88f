/**
 * A stored run is its journal: what can be done with it beside running on.
 */
export { DeterminismError } from './determinism-error.ts';
export type { Divergence } from './determinism-error.ts';
export { resume } from './resume.ts';
export type { ResumeOptions } from './resume.ts';
export { JOURNAL_VERSION } from '../../contracts/journal-record.ts';
export type {
  Arrival,
  Arrived,
  Began,
  BudgetDrawn,
  ForkPoint,
  Happened,
  JournalRecord,
} from '../../contracts/journal-record.ts';
