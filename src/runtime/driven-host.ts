import { carryOut } from '../machines/noted-outputs.ts';
import type { Look } from './inspected-scope.ts';
import { InspectedScope } from './inspected-scope.ts';
import type { Actor } from './stage.ts';
import type { Host } from './stage.ts';
import type { TurnRecord, Turned } from './turn.ts';
import { firstTurn, turn } from './turn.ts';
import type { Watch } from './watch.ts';

/** As XState calls the event of an actor's first turn. */
const BEGINS = { type: 'xstate.init' };

/**
 * Moves machines by the pure turn, holding their records in memory: no XState actor runs.
 *
 * `watch` follows each machine as it moves. With `look`, inspectors are told what they would be told of actors.
 */
export const drivenHost = (watch?: Watch, look?: Look): Host => {
  const records = new Map<Actor, TurnRecord>();
  const seen = new Map<Actor, InspectedScope>();

  const carry = (entry: Actor, { record, outputs }: Turned): void => {
    carryOut(outputs, entry);
    if (record.isDone) entry.run.over(entry, record.output);
  };

  return {
    start: (entry, input) => {
      const inspected = look === undefined ? undefined : new InspectedScope(entry, look);
      if (inspected !== undefined) seen.set(entry, inspected);
      const turned = firstTurn(entry.definition, input, entry.run.log.now(), inspected?.scope);
      inspected?.rests(turned.record.snapshot, BEGINS);
      records.set(entry, turned.record);
      watch?.started(entry, turned.record.snapshot);
      carry(entry, turned);
    },
    deliver: (entry, envelope) => {
      const record = records.get(entry);
      // What comes in between its end and the run's learning of it comes too late.
      if (record === undefined || record.isDone) return;
      const inspected = seen.get(entry);
      inspected?.takes(envelope);
      const turned = turn(entry.definition, record, envelope);
      inspected?.rests(turned.record.snapshot, envelope);
      records.set(entry, turned.record);
      watch?.moved(entry, envelope, turned.record.snapshot);
      carry(entry, turned);
    },
    stop: (entry) => {
      if (!records.delete(entry)) return;
      seen.delete(entry);
      watch?.stopped(entry);
    },
    contextOf: (entry) => records.get(entry)?.context,
  };
};
