import type { Desk } from '../../../actors/desk.ts';
import type { TroupeError } from '../../../contracts/error.ts';
import type { Json } from '../../../contracts/json.ts';
import type { Arrival, BudgetDrawn } from '../../../contracts/journal-record.ts';
import type { OpenRequest } from '../../../contracts/request.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Actor, Job } from '../../actors/actor.ts';
import type { MemoryKeeper } from '../../actors/agent-memory.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { LogKeeper } from '../../log/event-log.ts';
import type { Scope } from './scope.ts';

/** Does the turns of a run, and what happens between them. The journal owns the scopes: who is inside one, and when it is. */
export interface TurnRecorder {
  /** Does a job in its scope; `counts` is false for one that may be missing when the run is replayed. */
  job(scope: Scope, counts: boolean, work: () => void): void;
  /** Does work that is not the machines'. */
  outside<T>(work: () => T): T;
  /** Like `outside`, once the job under way is through: what is told in its midst would be told of its scope. */
  aside(work: () => void): void;
  readonly again: {
    /** The job as it is to be queued; undefined if it is kept, as its scope is being replayed. */
    due(job: Job): Job | undefined;
    /** Does a job that follows from what is on record. */
    resuming(work: () => void): void;
  };
}

/** Records what came in from outside, and when. */
export interface ArrivalRecorder {
  /** Records what came in; gives when. */
  arrive(scope: Scope | undefined, arrival: Arrival): number;
  /** Records what came in, and does what comes of it. */
  take(scope: Scope | undefined, arrival: Arrival, work: () => void): void;
}

/** Records effects, and holds them until they may begin. The journal owns what is known of each: that it waits, was answered or withdrawn. */
export interface EffectRecorder {
  /** Checks whether an effect is deferred, as its answer may be on record. */
  holds(entry: Actor, ask: Ask, epoch: number): boolean;
  begin(entry: Actor, ask: Ask, isWanted: () => boolean, go: () => void): void;
  settled(entry: Actor, key: string, answer: EffectAnswer): number;
  withdrawn(key: string): void;
  /** Sets up anew what an effect needs of what was set up before; undefined where nothing has to be. */
  reopen(entry: Actor, ask: Ask, desk: Desk): Promise<void> | undefined;
  /** Writes all that there is, and then nothing any more: the run ends here with `reason`, and goes on elsewhere. */
  leave(reason: TroupeError): Promise<void>;
}

/** Records the children of a run. The journal owns where each one sat. */
export interface ChildRecorder {
  readonly root: Scope;
  scopeAt(path: string): Scope;
  /** Checks whether the child that an effect is about to run is on record. */
  knowsChild(key: string): boolean;
  /** Finds the place of an effect's next child: where it sat before, or a free one. */
  place(child: WantedChild, freePath: () => string): PlacedChild;
  engage(child: Actor, start: () => void): void;
  stop(actor: Actor, reason: string, work: () => void): void;
}

/** Records what was used of budgets, and knows what was before the run was resumed. */
export interface BudgetRecorder {
  readonly budgets: { at(path: string): BudgetDrawn | undefined; isPaid(key: string): boolean };
  drawn(actor: Pick<Actor, 'path' | 'scope'>, account: { readonly drawn: BudgetDrawn }, key?: string): void;
}

/** Writes what there is, and says when a run may tell its end. */
export interface EndRecorder {
  /** Checks whether the end of the run is the journal's to publish; `close` is called where it stops before it does. */
  awaitsEnd(close: () => void): boolean;
  readonly lastWrite: { hurry(why: 'it was aborted' | 'its time was up'): void };
  /** Writes what there is to be written. */
  flush(): void | Promise<void>;
  end(tell: () => void): void;
  /** Settles when the lease is given back; undefined while there is none. */
  readonly released: Promise<void> | undefined;
}

/** What writes down a run: everything that comes into it from outside, and every event. It says what time it is. */
export interface Recorder
  extends
    LogKeeper,
    TurnRecorder,
    ArrivalRecorder,
    EffectRecorder,
    ChildRecorder,
    BudgetRecorder,
    EndRecorder {
  readonly memories: MemoryKeeper;
  readonly keys: { of(call: string, input: Json): string };
  readonly again: TurnRecorder['again'] & {
    /** What a person answered to the `index`-th question of an effect. */
    toldBefore(key: string, index: number): string | undefined;
  };
  /** Checks whether an effect waits for a person. */
  waits(key: string, request: OpenRequest, isWaiting: boolean): void;
  tookLetter(id: string): void;
}

/** A child that an effect ran, as a journal has it. */
export interface RecordedChild {
  readonly path: string;
  readonly agent: string;
  readonly input: Json;
}

/** A child that an effect wants to run. */
export interface WantedChild {
  /** Of the effect. */
  readonly key: string;
  readonly scope: Scope;
  readonly agent: string;
  readonly input: unknown;
}

/** Where a child of an effect sits, and what it is given. */
export interface PlacedChild {
  readonly path: string;
  readonly input: unknown;
  /** It sat there before. */
  readonly isKnown: boolean;
}
