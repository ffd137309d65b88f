import type { Clock } from '../../../contracts/clock.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { Prompted } from '../replay/journey.ts';

/** How a run goes on where the records that it went through end. */
export interface GoingOn {
  /** It parts there from another, which has remembered what it did. */
  readonly isFork?: true | undefined;
  /** Done first. */
  readonly before?: (() => void) | undefined;
  /** Answers that are known, by key: these effects are not done. */
  readonly inHand: ReadonlyMap<string, EffectAnswer>;
}

/** What a journal is made for. */
export interface JournalPlan {
  /** The address of the run's root. */
  readonly path: string;
  readonly run: JournaledRun;
  readonly clock: Clock;
  /** Takes out of a call's arguments what has no part in its key: a variable may have another value by the time that a run is resumed. */
  readonly redact: (text: string) => string;
  /** True if what models are sent is recorded, too. Default true. */
  readonly keepsSent?: boolean | undefined;
  /** Set where the journal is only read. */
  readonly reading?: Reading | undefined;
}

/** Going through a journal without going on. */
export interface Reading {
  /** The journal is at its end: throws, as nothing may come after it. */
  readonly onEnd: () => never;
  readonly onPrompted: (prompted: Prompted) => void;
}
