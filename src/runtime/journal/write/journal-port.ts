import type { Desk } from '../../../actors/desk.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import type { Json } from '../../../base/json/json.ts';
import type { Arrival, BudgetDrawn } from '../../../contracts/journals/journal-record.ts';
import type { OpenRequest } from '../../../contracts/people/request.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Actor, Job } from '../../actors/actor.ts';
import type { MemoryKeeper } from '../../actors/agent-memory.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { LogKeeper } from '../../log/event-log.ts';
import type { CallKeys } from './call-keys.ts';
import type { Scope } from './scope.ts';

/** Runs the turns of a run and the work between them. The journal owns the scopes: which one is entered, and its time. */
export interface TurnRecorder {
  /** Runs a job in its scope; `counts` is false for one that may be missing in a replay. */
  job(scope: Scope, counts: boolean, work: () => void): void;
  /** Runs work that is not part of a machine's turn. */
  outside<T>(work: () => T): T;
  /** Like `outside`, but after the current job, so that its events are not recorded in that job's scope. */
  aside(work: () => void): void;
  readonly again: {
    /** The job to enqueue; undefined if it is deferred because its scope is being replayed. */
    due(job: Job): Job | undefined;
    /** Runs a job that follows from the record. */
    resuming(work: () => void): void;
  };
}

/** Records arrivals and their times. */
export interface ArrivalRecorder {
  /** Records an arrival and returns its time. */
  arrive(scope: Scope | undefined, arrival: Arrival): number;
  /** Records an arrival and applies it. */
  take(scope: Scope | undefined, arrival: Arrival, work: () => void): void;
}

/** Records effects, and holds them until they may start. The journal owns the state of each: pending, answered or withdrawn. */
export interface EffectRecorder {
  /** Checks whether an effect is deferred because its answer may be on record. */
  holds(entry: Actor, ask: Ask, epoch: number): boolean;
  begin(entry: Actor, ask: Ask, isWanted: () => boolean, go: () => void): void;
  settled(entry: Actor, key: string, answer: EffectAnswer): number;
  withdrawn(key: string): void;
  /** Restores the setup that an effect relies on; undefined if there is none. */
  reopen(entry: Actor, ask: Ask, desk: Desk): Promise<void> | undefined;
  /** The reason for which the run is not kept here any more: its effects may be executed again elsewhere. */
  readonly lost: TroupeError | undefined;
  /** Commits everything, then stops writing: the run ends here with `reason`, and continues elsewhere. */
  leave(reason: TroupeError): Promise<void>;
}

/** Records the children of a run. The journal owns their addresses. */
export interface ChildRecorder {
  readonly root: Scope;
  scopeAt(path: string): Scope;
  /** Checks whether the child that an effect is about to run is on record. */
  knowsChild(key: string): boolean;
  /** Registers that an effect runs one more actor, or one less: it waits for what its actors wait for. */
  runs(key: string, isRunning: boolean): void;
  /** The place of an effect's next child: its recorded one, or a free one. */
  place(child: WantedChild, freePath: () => string): PlacedChild;
  engage(child: Actor, start: () => void): void;
  stop(actor: Actor, reason: string, work: () => void): void;
}

/** Records budget usage, and knows the usage from before the run was resumed. */
export interface BudgetRecorder {
  readonly budgets: { at(path: string): BudgetDrawn | undefined; isPaid(key: string): boolean };
  drawn(actor: Pick<Actor, 'path' | 'scope'>, account: { readonly drawn: BudgetDrawn }, key?: string): void;
}

/** Flushes the journal, and lets a run publish its end. */
export interface EndRecorder {
  /** Checks whether the journal publishes the end of the run; `close` is called if the records stop before that. */
  awaitsEnd(close: () => void): boolean;
  readonly lastWrite: { hurry(why: 'it was aborted' | 'its time was up'): void };
  /** Commits everything recorded so far. */
  flush(): void | Promise<void>;
  end(tell: () => void): void;
  /** Settles when the lease is released; undefined while there is none. */
  readonly released: Promise<void> | undefined;
}

/** The journal as the run sees it: records every arrival and every event, and owns the time. */
export interface JournalPort
  extends
    LogKeeper,
    TurnRecorder,
    ArrivalRecorder,
    EffectRecorder,
    ChildRecorder,
    BudgetRecorder,
    EndRecorder {
  readonly memories: MemoryKeeper;
  readonly keys: Pick<CallKeys, 'of' | 'hasDigests'>;
  readonly again: TurnRecorder['again'] & {
    /** A person's recorded answer to the `index`-th question of an effect. */
    previousAnswer(key: string, index: number): string | undefined;
  };
  /** Registers that an effect waits for a person or a time, or no longer does. */
  waits(key: string, awaited: Awaited, isWaiting: boolean): void;
  tookLetter(id: string): void;
}

/** A request for a person, which may expire, or a time that a call waits for. */
export type Awaited = Pick<OpenRequest, 'expiresAt'>;

/** A child run by an effect, as recorded. */
export interface RecordedChild {
  readonly path: string;
  readonly agent: string;
  readonly input: Json;
}

/** A child that an effect asks to run. */
export interface WantedChild {
  /** The key of the effect. */
  readonly key: string;
  readonly scope: Scope;
  readonly agent: string;
  readonly input: Json;
}

/** Address and input of an effect's child. */
export interface PlacedChild {
  readonly path: string;
  readonly input: unknown;
  /** True if the child is on record. */
  readonly isKnown: boolean;
}
