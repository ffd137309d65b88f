import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTrace } from '../../inspect/traces/read-trace.ts';
import type { Trace } from '../../inspect/traces/trace.ts';
import { traceOf } from '../../inspect/traces/trace.ts';
import type { Session } from '../session.ts';
import { findRun } from '../stored/find-run.ts';
import { withStore } from '../stored/open-store.ts';
import { readStoredRun } from '../stored/stored-run.ts';

/**
 * Reads the trace or the exported journal in a file, else the stored run of that id.
 *
 * @throws {TroupeError} `trace.unreadable`; `journal.…` for a run that is not stored, or whose journal is damaged.
 */
export const traceAt = (place: string, session: Session): Promise<Trace> => {
  const file = resolve(session.terminal.folder, place);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined || /[/\\]|\.jsonl$/.test(place))
    return readTrace(file);
  return withStore(session, async ({ store }) => {
    const entry = await findRun(store, place);
    const { events, damage } = await readStoredRun(store, entry);
    if (damage !== undefined) throw damage;
    const trace = traceOf(events);
    // Unlike its events, the journal shows that an unfinished run may continue.
    const status = trace.account.status === 'interrupted' ? 'running' : trace.account.status;
    return { ...trace, account: { ...trace.account, status, runId: entry.runId, agent: entry.agent } };
  });
};
