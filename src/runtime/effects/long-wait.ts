import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import type { LongWait } from '../../contracts/models/long-wait.ts';
import type { Awaited, JournalPort } from '../journal/write/journal-port.ts';
import type { Checkpoint } from './checkpoint.ts';

/** The calls that a long wait needs of the run. */
interface LongWaitRun {
  readonly clock: Clock;
  readonly effects: { readonly checkpoints: ReadonlyMap<string, Checkpoint> };
  readonly journal: Pick<JournalPort, 'lost' | 'waits'>;
}

/** The calls that a long wait needs of its effect. */
interface WaitingEffect {
  readonly key: string;
  readonly note: (name: string, value: Json) => Promise<void>;
  readonly during: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
  /** Publishes what it waits for. */
  readonly publish: (reason: string) => void;
}

/** A wait of a model call for hours: its notes are checkpoints of the run, and the store says until when it waits. */
export const longWaitOf = (
  { clock, effects, journal }: LongWaitRun,
  { key, note, during, publish }: WaitingEffect,
): LongWait => {
  let awaited: Awaited | undefined;
  return {
    clock,
    hasLeft: () => journal.lost !== undefined,
    noteOf: (name) => effects.checkpoints.get(name)?.value,
    note,
    shows: (reason, dueAt) => {
      if (awaited !== undefined) journal.waits(key, awaited, false);
      awaited = { expiresAt: dueAt };
      journal.waits(key, awaited, true);
      if (reason !== undefined) publish(reason);
    },
    during,
  };
};
