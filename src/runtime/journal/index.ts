/**
 * A stored run is its journal: what can be done with it beside running on.
 */
export { DeterminismError } from './determinism-error.ts';
export type { Divergence } from './determinism-error.ts';
export { compare } from './compare.ts';
export type { Comparable, Parted, RunComparison, RunSummary, Sides } from './compare.ts';
export { fork } from './fork.ts';
export type { ForkChange, ForkOptions } from './fork.ts';
export { replay } from './replay.ts';
export type { Replayed, ReplayOptions } from './replay.ts';
export type { RunPoint } from './run-point.ts';
export { recordsIn } from './stored-run.ts';
export { resume } from './resume.ts';
export { resumeAll } from './resume-all.ts';
export type { ResumeAllOptions, ResumedRuns } from './resume-all.ts';
export { runOrResume } from './run-or-resume.ts';
export type { RunOrResumeOptions } from './run-or-resume.ts';
export type { ResumeOptions } from './resume.ts';
export { answerRequest, openRequests, openRequestsOf } from './requests.ts';
export type { StoredRequest } from './requests.ts';
export type { RequestAnswer } from '../../contracts/request.ts';
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
