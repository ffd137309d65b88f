/**
 * A stored run is its journal: what can be done with it beside running on.
 */
export { DeterminismError } from './replay/determinism-error.ts';
export type { Divergence } from './replay/determinism-error.ts';
export { compare } from './replay/compare.ts';
export type { Comparable, Parted, RunComparison, RunSummary, Sides } from './replay/compare.ts';
export { fork } from './resume/fork.ts';
export type { ForkChange, ForkOptions } from './resume/fork.ts';
export { replay } from './replay/replay.ts';
export type { Replayed, ReplayOptions } from './replay/replay.ts';
export type { RunPoint } from './resume/run-point.ts';
export { recordsIn } from './resume/stored-run.ts';
export { resume } from './resume/resume.ts';
export { resumeAll } from './resume/resume-all.ts';
export type { ResumeAllOptions, ResumedRuns } from './resume/resume-all.ts';
export { runOrResume } from './resume/run-or-resume.ts';
export type { RunOrResumeOptions } from './resume/run-or-resume.ts';
export type { ResumeOptions } from './resume/resume.ts';
export { answerRequest, openRequests, openRequestsOf } from './letters/requests.ts';
export type { StoredRequest } from './letters/requests.ts';
export type { RequestAnswer } from '../../contracts/people/request.ts';
export { JOURNAL_VERSION } from '../../contracts/journals/journal-record.ts';
export type {
  Arrival,
  Arrived,
  Began,
  BudgetDrawn,
  ForkPoint,
  Happened,
  JournalRecord,
} from '../../contracts/journals/journal-record.ts';
