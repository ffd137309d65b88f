import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { HookScope, LiveEvent } from '../../../contracts/events/event.ts';

/** A kind of timed work. `wait` is a requested tool call that has not started: held by a cap, a lock or a person. */
export type WorkKind = 'agent' | 'team' | 'phase' | 'model' | 'tool' | 'wait';

/** A piece of work with a start and an end, derived from events. */
export interface Work {
  readonly kind: WorkKind;
  readonly runId: string;
  /** Address of its actor; work of an agent's helper (`~model-0`) is the agent's. */
  readonly path: string;
  readonly agent: string;
  /** Of an actor its agent's name, of a model call `provider:id`, of a tool call the tool. */
  readonly name: string;
  /** By the run's clock, in ms. */
  readonly startedAt: number;
  /** The phase of its actor when it started. */
  readonly phase: string | undefined;
  /** Its parent: of an actor the one that engaged it, else its actor. */
  readonly parent: Work | undefined;
  /** The event that started it. */
  readonly by: LiveEvent;
  readonly scope: HookScope;
}

/** The end of a piece of work. */
export interface WorkEnd {
  /** By the run's clock, in ms. */
  readonly at: number;
  /** `unfinished`: ended because its parent did, without a result. */
  readonly outcome: 'done' | 'failed' | 'unfinished';
  readonly error?: ErrorData | undefined;
  /** The event that reported the end; for unfinished work the one that cancelled it, if any. */
  readonly by: LiveEvent | undefined;
}

/** Receives work from {@link WorkFollower}: each piece starts once and ends once. */
export interface WorkListener {
  began?(work: Work): void;
  ended?(work: Work, end: WorkEnd): void;
  /** Called for every event of the log, after starts and before ends that it causes; `about` is its call or actor. */
  noted?(event: LiveEvent, about: Work | undefined): void;
}
