import type { Desk } from '../actors/desk.ts';
import type { Agent } from '../contracts/agent.ts';
import type { ErrorData, TroupeError } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import type { ChildOptions, ChildTerms } from '../contracts/delegation.ts';
import type { Arrival, BudgetDrawn } from '../contracts/journal-record.ts';
import type { Json } from '../contracts/json.ts';
import type { Clock } from '../contracts/clock.ts';
import type { MemoryRecord } from '../contracts/memory.ts';
import type { Message, Messenger } from '../contracts/message.ts';
import type { Model } from '../contracts/model.ts';
import type { EffectRecord, Outcome, RunOptions, RunResult } from '../contracts/run.ts';
import type { OpenRequest } from '../contracts/request.ts';
import type { RunTask } from '../actors/run-task.ts';
import type { Artifact } from '../contracts/tool.ts';
import type { Ask } from '../machines/asks.ts';
import type { Carrier, Engagement } from '../machines/outputs.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import type { MemorySession, MemoryWriting } from '../memory/memory-session.ts';
import type { ShownConversation } from '../memory/shown-conversation.ts';
import type { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { CallCache } from '../tools/call-cache.ts';
import type { TurnCounter } from '../memory/count-tokens.ts';
import type { BudgetAccount } from '../policy/budget-account.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Definition } from './definition.ts';
import type { Scope } from './journal/scope.ts';
import type { Envelope } from './envelope.ts';
import type { EventLog, LogKeeper } from './event-log.ts';
import type { RunSecrets } from './run-secrets.ts';
import type { Gate } from './gate.ts';
import type { PriceBook } from './price-book.ts';
import type { RunCounter } from './run-counter.ts';
import type { Slot } from './slot.ts';
import type { Said } from './request-book.ts';
import type { Wanting, Wish } from './wanting.ts';
import type { PlacedParty } from './waits.ts';

/** The parts of a run as they know each other: shapes only, so that each part is a file of its own and none imports the whole. */
export interface Stage {
  readonly runId: string;
  readonly clock: Clock;
  /** What the caller gave with the run, for every tool call and every function of its agents. */
  readonly given: Pick<RunOptions, 'safety' | 'executor' | 'context'>;
  /** The conversation that the run belongs to, if the caller named one. */
  readonly thread: string | undefined;
  /** What was said before: told to the root, or to the members of a team. */
  readonly history: RunOptions['history'];
  /** What the run is about. */
  readonly task: RunTask | undefined;
  /** What the run may use, and what it costs. */
  readonly money: {
    readonly counter: TurnCounter;
    readonly prices: PriceBook;
    accountOf(actor: Actor): BudgetAccount | undefined;
  };
  readonly host: Host;
  /** What writes a stored run down, and replays it; one that writes nothing where the run is kept nowhere. */
  readonly journal: Recorder;
  /** Redacted from what is published. */
  readonly secrets: RunSecrets;
  readonly log: EventLog;
  readonly gate: Gate;
  /** Where requests to people wait. */
  readonly person: {
    want(wish: Wish, wanting: Wanting): Promise<Said>;
    saidTo(id: string): Said | undefined;
    /** An effect is over: nobody waits for what it wanted of people. */
    over(path: string, step: number, callId: string | undefined): void;
  };
  /** Who gets which message. */
  readonly mail: {
    /** A machine told something, perhaps of whom it restarts. */
    heard(body: EventBody): void;
    began(actor: Actor): void;
    /** An actor is over, by its own end or stopped. */
    gone(actor: Actor, isItsEnd: boolean): void;
    messengerFor(work: TalkingWork): Messenger;
  };
  readonly tearDowns: { begin(actor: Actor): void };
  readonly deadlines: { begin(actor: Actor, at: number): void; end(actor: Actor): void };
  readonly artifacts: KeptArtifact[];
  readonly root: Actor;
  readonly isOver: boolean;
  /** Why the run is being aborted; undefined while it is not. */
  readonly abortedFor: string | undefined;
  readonly effects: {
    readonly records: readonly EffectRecord[];
    readonly answers: CallCache;
    /** Puts an effect on record that is done elsewhere. */
    note(record: EffectRecord): void;
    withdraw(gone: readonly EffectUnderWay[]): void;
  };
  readonly actors: {
    readonly running: Iterable<Actor>;
    at(path: string): Actor | undefined;
    runWithin<Input, Output>(
      parent: Actor,
      agent: Agent<Input, Output> | 'self',
      input: Input,
      ask: Ask,
      abort: LazyAbort,
      options?: ChildOptions,
    ): Promise<RunResult<Output>>;
  };
  /** From 0 to below 1. */
  random(): number;
  /** Puts something into the queue, which is worked off soon, in order. */
  enqueue(job: Job): void;
  hasJobFor(actor: Actor): boolean;
  /** A machine entered a state. */
  entered(actor: Actor, phase: string, step: number): void;
  /** A machine has come to its end. */
  over(actor: Actor, output: unknown): void;
  toolsOf(actor: Actor): ToolRegistry;
  environmentOf(actor: Actor): EnvironmentSession | undefined;
  modelsOf(actor: Actor): readonly Model[];
  finish(outcome: Outcome): void;
}

/** Work that talks to others. */
export interface TalkingWork {
  readonly actor: Actor;
  readonly ask: Ask;
  readonly abort: LazyAbort;
  /** Others may work while it waits. */
  whileWaiting<T>(answer: Promise<T>): Promise<T>;
}

/** A child that an effect ran, as a journal has it. */
export interface RecordedChild {
  readonly path: string;
  readonly agent: string;
  readonly input: Json;
}

/** What a journal has to do with what its run remembers. */
export interface MemoryKeeper {
  /** Whether, and when, records may be written; undefined: now. */
  when(actor: Actor, key: string, records: readonly MemoryRecord[]): Promise<MemoryWriting> | undefined;
  /** They are. */
  done(actor: Actor, key: string): void;
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

/** What writes down a stored run: everything that comes into it from outside, and every event. It says what time it is. */
export interface Recorder extends LogKeeper {
  readonly root: Scope;
  readonly memories: MemoryKeeper;
  scopeAt(path: string): Scope;
  /** Does a job in its scope; `counts` is false for one that may be missing when the run is gone through again. */
  job(scope: Scope, counts: boolean, work: () => void): void;
  /** Does work that is not the machines'. */
  outside<T>(work: () => T): T;
  /** Like `outside`, once the job under way is through: what is told in its midst would be told of its scope. */
  aside(work: () => void): void;
  stop(actor: Actor, reason: string, work: () => void): void;
  /** Records what came in; gives when. */
  arrive(scope: Scope | undefined, arrival: Arrival): number;
  /** Records what came in, and does what comes of it. */
  take(scope: Scope | undefined, arrival: Arrival, work: () => void): void;
  settled(entry: Actor, key: string, answer: EffectAnswer): number;
  withdrawn(key: string): void;
  /** Whether an effect waits for a person. */
  waits(key: string, request: OpenRequest, isWaiting: boolean): void;
  tookLetter(id: string): void;
  /** What was used before the run was taken up again. */
  readonly budgets: { at(path: string): BudgetDrawn | undefined; isPaid(key: string): boolean };
  drawn(actor: Actor, account: { readonly drawn: BudgetDrawn }, key?: string): void;
  /** Whether an effect is kept back, as its answer may be on record. */
  holds(entry: Actor, ask: Ask, epoch: number): boolean;
  begin(entry: Actor, ask: Ask, isWanted: () => boolean, go: () => void): void;
  readonly keys: { of(call: string, input: Json): string };
  /** Whether the child that an effect is about to run is on record. */
  knowsChild(key: string): boolean;
  /** Finds the place of an effect's next child: where it sat before, or a free one. */
  place(child: WantedChild, freePath: () => string): PlacedChild;
  engage(child: Actor, start: () => void): void;
  /** Sets up anew what an effect needs of what was set up before; undefined where nothing has to be. */
  reopen(entry: Actor, ask: Ask, desk: Desk): Promise<void> | undefined;
  /** What effects did before. */
  readonly again: {
    toldBefore(key: string, index: number): string | undefined;
    /** The job as it is to be queued; undefined if it is kept, as its scope is being replayed. */
    due(job: Job): Job | undefined;
    /** Does a job that follows from what is on record. */
    resuming(work: () => void): void;
  };
  /** Whether the end of the run is the journal's to tell; `close` is called where it stops before it does. */
  awaitsEnd(close: () => void): boolean;
  readonly lastWrite: { hurry(why: 'it was aborted' | 'its time was up'): void };
  /** Writes what there is to be written. */
  flush(): void | Promise<void>;
  end(tell: () => void): void;
  /** Settles when the lease is given back; undefined while there is none. */
  readonly released: Promise<void> | undefined;
  /** Writes all that there is, and then nothing any more: the run ends here with `reason`, and goes on elsewhere. */
  leave(reason: TroupeError): Promise<void>;
}

/** What came of an effect. */
export type EffectAnswer = { readonly output: unknown } | { readonly error: ErrorData };

/** What a tool made beside its result, and the agent that it was made for. */
export interface KeptArtifact {
  readonly path: string;
  readonly artifact: Artifact;
}

/** One actor of a run: its place in the tree, and what is under way for it. */
export interface Actor extends Carrier, PlacedParty {
  readonly run: Stage;
  readonly agent: string;
  readonly definition: Definition;
  readonly sponsor: Sponsor;
  /** On what terms it works, where whoever engaged it set some. */
  readonly terms: ChildTerms | undefined;
  readonly children: Set<Actor>;
  /** The part of the journal that tells of it. */
  readonly scope: Scope;
  readonly underWay: Set<EffectUnderWay>;
  /** The effect that is being begun: not yet under way, and perhaps done before it ever is. */
  atHand: EffectUnderWay | undefined;
  /** Asks that are held back, be it by the gate or by a store. One that nobody wants any more may stay counted. */
  heldBack: number;
  /** Turns in which its machine asked for something. */
  askingTurns: number;
  /** Grows with every withdrawal: asks from before it are not carried out any more. */
  epoch: number;
  /** The state that its machine entered last. */
  phase: string;
  isOver: boolean;
  /** What it and all below it use; kept only for one that somebody's work runs, whose result says it. */
  readonly counter: RunCounter | undefined;
  tools: ToolRegistry | undefined;
  environment: EnvironmentSession | undefined;
  memory: MemorySession | undefined;
  conversation: ShownConversation | undefined;
  models: readonly Model[] | undefined;
  systemPrompt: string | undefined;
  /** What it and all below it may use; its own, or the nearest above it. */
  account: BudgetAccount | undefined;
  /** Whether this is the actor of a troubled call, which has no tools or models of its own. */
  readonly isCall: boolean;
  /** The agent that this actor works for: itself, or for a call the agent that made it. */
  readonly principal: Actor;
}

/** Where an actor's end is reported: to its parent's machine, or to somebody who awaits it. */
export type Sponsor =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'machine';
      readonly parent: Actor;
      readonly port: Engagement['port'];
      readonly index: number;
    }
  | {
      readonly kind: 'effect';
      readonly parent: Actor;
      /** The idempotency key of the call that waits for it, where it is one. */
      readonly call: string | undefined;
      settle(outcome: Outcome): void;
    };

/** An effect under way. */
export interface EffectUnderWay {
  readonly abort: LazyAbort;
  /** Made when it is needed: an effect that is done at once needs none. */
  slot: Slot | undefined;
  readonly ask: Ask;
  /** It may have been done, wholly or in part, before the run was taken up again. */
  readonly isResumed: boolean;
  readonly record: { -readonly [Key in keyof EffectRecord]: EffectRecord[Key] };
}

/** What moves machines: the pure turn, or XState for an actor of an app's own; everything else of a run is the same code. */
export interface Host {
  start(actor: Actor, input: unknown): void;
  deliver(actor: Actor, envelope: Envelope): void;
  /** The actor is over; let go of it. */
  stop(actor: Actor): void;
  /** What an actor's machine knows; undefined for one that is over. */
  contextOf(actor: Actor): unknown;
}

/** A thing to do, in its turn. */
export type Job = JobContent & {
  /** It follows from the journal of a run that is resumed: an effect that it leads to may have begun before. */
  readonly isResumed?: boolean;
};

type JobContent =
  | { readonly kind: 'ask'; readonly actor: Actor; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly actor: Actor; readonly envelope: Envelope }
  | { readonly kind: 'withdraw'; readonly actor: Actor; readonly gone: readonly EffectUnderWay[] }
  | { readonly kind: 'engage'; readonly actor: Actor; readonly engagement: Engagement }
  | { readonly kind: 'dismiss'; readonly actor: Actor }
  | { readonly kind: 'stop'; readonly actor: Actor; readonly paths: readonly string[] }
  | { readonly kind: 'post'; readonly actor: Actor; readonly to: string; readonly message: Message }
  /** An actor is handed the messages that came in. */
  | { readonly kind: 'mail'; readonly actor: Actor }
  | { readonly kind: 'over'; readonly actor: Actor; readonly output: unknown };
