import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { SentSource } from '../../contracts/models/sent-request.ts';
import { readTrace } from '../../inspect/traces/read-trace.ts';
import type { Trace } from '../../inspect/traces/trace.ts';
import { traceOf } from '../../inspect/traces/trace.ts';
import { withSent } from '../../runtime/log/sent-requests.ts';
import { redactorOf, secretsIn } from '../../policy/redaction.ts';
import { sentRequestsOf } from '../../runtime/journal/replay/sent-records.ts';
import { isLogName } from '../shown-file.ts';
import type { Session } from '../session.ts';
import { findRun } from '../stored/find-run.ts';
import { withStore } from '../stored/open-store.ts';
import { readStoredRun } from '../../runtime/journal/resume/sound-run.ts';

/**
 * Reads the trace or the exported journal in a file, else the stored run of that id.
 *
 * @throws {TroupeError} `trace.unreadable`; `journal.…` for a run that is not stored, or whose journal is damaged.
 */
export const traceAt = (place: string, session: Session): Promise<Trace> => {
  const file = resolve(session.terminal.folder, place);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined || /[/\\]/.test(place) || isLogName(place))
    return readTrace(file);
  return withStore(session, async ({ store }) => {
    const entry = await findRun(store, place);
    const { events, records, damage } = await readStoredRun(store, entry);
    if (damage !== undefined) throw damage;
    const sent = redactedSent(records, entry.runId, session);
    const trace = traceOf(events.map((event) => withSent(event, sent)));
    // Unlike its events, the journal shows that an unfinished run may continue.
    const status = trace.account.status === 'interrupted' ? 'running' : trace.account.status;
    return { ...trace, account: { ...trace.account, status, runId: entry.runId, agent: entry.agent } };
  });
};

/** Model requests of a journal, without the secrets of this process: it may know others than the run did. */
const redactedSent = (
  records: readonly JournalRecord[],
  runId: string,
  { terminal }: Session,
): SentSource => {
  const redactor = redactorOf(secretsIn(terminal.environment));
  const sent = sentRequestsOf(records, runId);
  return {
    requestOf: (key) => redactor.value(sent.requestOf(key)),
    answerOf: (key) => redactor.value(sent.answerOf(key)),
  };
};
