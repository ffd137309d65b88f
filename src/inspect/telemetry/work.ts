import type { ErrorData } from '../../contracts/error.ts';
import type { HookScope, LiveEvent } from '../../contracts/event.ts';

/**
 * What takes time in a run. `wait` is a tool call that was wanted and has not begun: held by a cap, a lock or a person.
 */
export type WorkKind = 'agent' | 'team' | 'phase' | 'model' | 'tool' | 'wait';

/** A piece of work that has a beginning and an end, as the events tell of it. */
export interface Work {
  readonly kind: WorkKind;
  readonly runId: string;
  /** Where its actor sits; what a helper of an agent does (`~model-0`) is the agent's. */
  readonly path: string;
  readonly agent: string;
  /** Of an actor its agent's name, of a model call `provider:id`, of a tool call the tool. */
  readonly name: string;
  /** By the run's clock, in ms. */
  readonly startedAt: number;
  /** The phase that its actor was in when it began. */
  readonly phase: string | undefined;
  /** What it is a part of: of an actor the one that engaged it, of all else its actor. */
  readonly parent: Work | undefined;
  /** The event that it began with. */
  readonly by: LiveEvent;
  readonly scope: HookScope;
}

/** How a piece of work ended. */
export interface WorkEnd {
  /** By the run's clock, in ms. */
  readonly at: number;
  /** `unfinished` ended because what it was a part of did: nobody wanted it any more. */
  readonly outcome: 'done' | 'failed' | 'unfinished';
  readonly error?: ErrorData | undefined;
  /** The event that told of it; of what is unfinished, the one that called it off, if any did. */
  readonly by: LiveEvent | undefined;
}

/** Told of work by {@link WorkFollower}: each piece begins once and ends once. */
export interface WorkListener {
  began?(work: Work): void;
  ended?(work: Work, end: WorkEnd): void;
  /** Every event of the log, after what it began and before what it ends; `about` is the call or the actor that it tells of. */
  told?(event: LiveEvent, about: Work | undefined): void;
}
