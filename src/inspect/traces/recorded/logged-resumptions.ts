import { isJsonObject } from '../../../base/json/json.ts';
import type { OpenedLog } from '../../../persistence/run-log.ts';
import type { Trace } from '../trace.ts';
import { noteIn } from '../trace-record.ts';

/** The resumptions of a run in its log: a journal has them on record; of a trace another writer opens the file again. */
export const resumptionsIn = ({ records }: Pick<OpenedLog, 'records'>): Pick<Trace, 'resumed'> => {
  const found: { seq: number; at: number }[] = [];
  let seq = 0;
  let writer: string | undefined;
  for (const { record } of records) {
    if (!isJsonObject(record)) continue;
    const { event, arrival, at } = record;
    if (isJsonObject(event) && typeof event['seq'] === 'number') seq = Math.max(seq, event['seq'] + 1);
    if (isJsonObject(arrival) && arrival['type'] === 'resumed' && typeof at === 'number')
      found.push({ seq, at });
    const note = noteIn(record);
    if (note?.kind !== 'opened') continue;
    if (writer !== undefined && writer !== note.holder) found.push({ seq, at: note.at });
    writer = note.holder;
  }
  return found.length === 0 ? {} : { resumed: found };
};
