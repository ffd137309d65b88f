import type { DrawnBudgets } from '../write/drawn-budgets.ts';
import type { Arrival } from '../../../contracts/journal-record.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Actor } from '../../actors/actor.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { MemoryWrites } from '../write/memory-writes.ts';
import type { Moment } from '../write/moment.ts';
import type { Scope } from '../write/scope.ts';

/** What is done when the records are at their end. */
export interface AtEnd {
  /** The run parts there from another, which has remembered what it did. */
  readonly isFork?: true | undefined;
  readonly before?: (() => void) | undefined;
  /** Answers an effect without doing it, if its answer is known. */
  readonly answer: (entry: Actor, ask: Ask) => boolean;
}

/** An effect that was asked for while a scope was replayed, and of which the journal has no answer yet. */
export interface Pending {
  readonly entry: Actor;
  readonly ask: Ask;
  readonly epoch: number;
}

/** What an agent told its models of itself. */
export type Prompted = Extract<Arrival, { readonly type: 'prompted' }>;

/** Whose journal is gone through. */
export interface Journey {
  readonly root: Scope;
  readonly moment: Moment;
  readonly run: JournaledRun;
  readonly memories: MemoryWrites;
  readonly budgets: DrawnBudgets;
  /** Does a job of a scope. */
  readonly job: (scope: Scope, work: () => void) => void;
  /** The run is ahead of its journal from now on. */
  readonly onAhead: () => void;
  /** Told what an agent told its models of itself. */
  readonly onPrompted: (prompted: Prompted) => void;
}
