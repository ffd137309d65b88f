import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { Definition } from '../define/definition.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import type { KeptActor } from './kept-run.ts';
import type { LogicOptions } from './logic-options.ts';

/** A follower of the run's events from a number on. */
export interface Follower {
  next: number;
  readonly tell: (event: LiveEvent) => void;
  readonly complete: () => void;
}

/** The identity and initial state of a seat. */
export interface SeatPlan {
  readonly definition: Definition;
  readonly options: LogicOptions;
  readonly latest: MachineSnapshot;
  readonly input?: unknown;
  /** The state to restore from. */
  readonly kept?: KeptActor | undefined;
  /** The reason why it cannot be restored: its run ends with that. */
  readonly refusal?: Outcome | undefined;
}
