import type { EventOf } from '../../contracts/events/event.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';

type Asked = EventOf<'model.asked'>;

/** The model calls of a run, by key. */
export const modelCallsIn = (
  runId: string,
  records: readonly JournalRecord[],
): ReadonlyMap<string, Asked> => {
  const asked = new Map<string, Asked>();
  for (const record of records)
    if (record.kind === 'event' && record.event.type === 'model.asked')
      asked.set(record.event.key, { v: 1, runId, ...record.event } as Asked);
  return asked;
};

/**
 * A call of which the request alone is on record, as the process died before it was made. Later requests are made of those before, so it is to be
 * read like any other.
 */
export const neverMade = (key: string, path: string): Asked => ({
  v: 1,
  runId: '',
  seq: 0,
  at: 0,
  path,
  agent: '',
  type: 'model.asked',
  model: '',
  key,
  messages: 0,
  attempt: 1,
});
