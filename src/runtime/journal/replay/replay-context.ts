import type { DrawnBudgets } from '../write/drawn-budgets.ts';
import type { Arrival } from '../../../contracts/journals/journal-record.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Actor } from '../../actors/actor.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { MemoryWrites } from '../write/memory-writes.ts';
import type { JournalClock } from '../write/journal-clock.ts';
import type { Scope } from '../write/scope.ts';

/** Actions at the end of the records. */
export interface AtEnd {
  /** The run forks from another there, and that one has written its memories. */
  readonly isFork?: true | undefined;
  readonly before?: (() => void) | undefined;
  /** Answers an effect without executing it, if its answer is known; returns false otherwise. */
  readonly answer: (entry: Actor, ask: Ask) => boolean;
}

/** An effect that was asked for during the replay of a scope and has no recorded answer yet. */
export interface Pending {
  readonly entry: Actor;
  readonly ask: Ask;
  readonly epoch: number;
}

/** The instructions and tools that an agent sent its models. */
export type Prompted = Extract<Arrival, { readonly type: 'prompted' }>;

/** Called with what is on record only to be compared, and the effects that have no answer yet, by key. */
export type OnRead = (arrival: Arrival, pending: ReadonlyMap<string, Pending>) => void;

/** The run, its journal's clock, and the callbacks that a replay needs. */
export interface ReplayContext {
  readonly root: Scope;
  readonly clock: JournalClock;
  readonly run: JournaledRun;
  readonly memories: MemoryWrites;
  readonly budgets: DrawnBudgets;
  /** Runs a job of a scope. */
  readonly job: (scope: Scope, work: () => void) => void;
  /** Called when the run has passed the end of its journal. */
  readonly onAhead: () => void;
  readonly onRead: OnRead | undefined;
}
