import type { Clock } from '../../../base/clock.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { OnRead } from '../replay/replay-context.ts';

/** Instructions for the end of a replay, where the run continues. */
export interface GoingOn {
  /** The run forks from another there, and that one has written its memories. */
  readonly isFork?: true | undefined;
  /** Called first. */
  readonly before?: (() => void) | undefined;
  /** Known answers, by key: these effects are not executed. */
  readonly inHand: ReadonlyMap<string, EffectAnswer>;
}

/** Collaborators and options of a journal. */
export interface JournalPlan {
  /** The address of the run's root. */
  readonly path: string;
  readonly run: JournaledRun;
  readonly clock: Clock;
  /** Redacts a call's arguments before they become part of its key: a variable may have another value when the run is resumed. */
  readonly redact: (text: string) => string;
  /** Records the requests sent to models, too. Default true. */
  readonly keepsSent?: boolean | undefined;
  /** Set if the journal is only read. */
  readonly reading?: Reading | undefined;
}

/** A replay that does not continue. */
export interface Reading {
  /** Called at the end of the journal: throws, as nothing may follow. Absent if the replay waits for more records there. */
  readonly onEnd?: (() => never) | undefined;
  readonly onRead: OnRead;
}
