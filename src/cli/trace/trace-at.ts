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
 * What is meant by a place: the trace in that folder, else the run of that id that is kept.
 *
 * @throws {TroupeError} `trace.unreadable`; `journal.…` for a run that is not kept, or whose journal is damaged.
 */
export const traceAt = (place: string, session: Session): Promise<Trace> => {
  const folder = resolve(session.terminal.folder, place);
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined || /[/\\]/.test(place))
    return readTrace(folder);
  return withStore(session, async ({ store }) => {
    const entry = await findRun(store, place);
    const { events, damage } = await readStoredRun(store, entry);
    if (damage !== undefined) throw damage;
    const trace = traceOf(events);
    // A journal says more of a run that has not ended than its events do: it may go on.
    const status = trace.manifest.status === 'interrupted' ? 'running' : trace.manifest.status;
    return { ...trace, manifest: { ...trace.manifest, status, runId: entry.runId, agent: entry.agent } };
  });
};
