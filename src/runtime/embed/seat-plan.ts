import type { LiveEvent } from '../../contracts/event.ts';
import type { Outcome } from '../../contracts/run.ts';
import type { Definition } from '../define/definition.ts';
import type { MachineSnapshot } from '../turn/turn.ts';
import type { KeptActor } from './kept-run.ts';
import type { LogicOptions } from './logic-options.ts';

/** Somebody who follows the events of the run, from a number on. */
export interface Follower {
  next: number;
  readonly tell: (event: LiveEvent) => void;
  readonly complete: () => void;
}

/** What a seat is made for. */
export interface SeatPlan {
  readonly definition: Definition;
  readonly options: LogicOptions;
  readonly latest: MachineSnapshot;
  readonly input?: unknown;
  /** What it goes on from. */
  readonly kept?: KeptActor | undefined;
  /** Why it cannot go on: it ends with that. */
  readonly refusal?: Outcome | undefined;
}
