import { carryOut } from '../machines/noted-outputs.ts';
import type { Look } from './inspected-scope.ts';
import { InspectedScope } from './inspected-scope.ts';
import type { Actor } from './stage.ts';
import type { Host } from './stage.ts';
import type { TurnRecord, Turned } from './turn.ts';
import { firstTurn, turn } from './turn.ts';

/** As XState calls the event of an actor's first turn. */
const BEGINS = { type: 'xstate.init' };

/**
 * Moves machines by the pure turn, holding their records in memory: no XState actor runs.
 *
 * What a store adds later is one line: committing record and outputs before they are carried out. With `look`, inspectors are told
 * what they would be told of actors.
 */
export const drivenHost = (look?: Look): Host => {
  const records = new Map<Actor, TurnRecord>();
  const seen = new Map<Actor, InspectedScope>();

  const commit = (entry: Actor, { record, outputs }: Turned): void => {
    const wasDone = records.get(entry)?.isDone ?? false;
    records.set(entry, record);
    carryOut(outputs, entry);
    if (record.isDone && !wasDone) entry.run.over(entry, record.output);
  };

  return {
    start: (entry, input) => {
      const inspected = look === undefined ? undefined : new InspectedScope(entry, look);
      if (inspected !== undefined) seen.set(entry, inspected);
      const turned = firstTurn(entry.definition, input, entry.run.log.now(), inspected?.scope);
      inspected?.rests(turned.record.snapshot, BEGINS);
      commit(entry, turned);
    },
    deliver: (entry, envelope) => {
      const record = records.get(entry);
      if (record === undefined) return;
      const inspected = seen.get(entry);
      inspected?.takes(envelope);
      const turned = turn(entry.definition, record, envelope, inspected?.scope);
      inspected?.rests(turned.record.snapshot, envelope);
      commit(entry, turned);
    },
    stop: (entry) => {
      records.delete(entry);
      seen.delete(entry);
    },
    contextOf: (entry) => records.get(entry)?.snapshot?.context as unknown,
  };
};
