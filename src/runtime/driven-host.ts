import { carryOut } from '../machines/noted-outputs.ts';
import type { Actor } from './stage.ts';
import type { Host } from './stage.ts';
import type { TurnRecord, Turned } from './turn.ts';
import { firstTurn, turn } from './turn.ts';

/** A host whose machines can be looked at. */
export interface DrivenHost extends Host {
  /** What an actor's machine knows; undefined for one that is over. */
  contextOf(actor: Actor): unknown;
}

/**
 * Moves machines by the pure turn, holding their records in memory: no XState actor runs.
 *
 * What a store adds later is one line: committing record and outputs before they are carried out.
 */
export const drivenHost = (): DrivenHost => {
  const records = new Map<Actor, TurnRecord>();

  const commit = (entry: Actor, { record, outputs }: Turned): void => {
    const wasDone = records.get(entry)?.isDone ?? false;
    records.set(entry, record);
    carryOut(outputs, entry);
    if (record.isDone && !wasDone) entry.run.over(entry, record.output);
  };

  return {
    start: (entry, input) => {
      commit(entry, firstTurn(entry.definition, input, entry.run.log.now()));
    },
    deliver: (entry, envelope) => {
      const record = records.get(entry);
      if (record !== undefined) commit(entry, turn(entry.definition, record, envelope));
    },
    stop: (entry) => {
      records.delete(entry);
    },
    contextOf: (entry) => records.get(entry)?.snapshot?.context as unknown,
  };
};
