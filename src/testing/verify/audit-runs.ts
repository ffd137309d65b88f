import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry, StoredStatus } from '../../contracts/journals/journal.ts';
import type { Violation } from '../../contracts/properties/property.ts';
import { PropertyMonitor } from '../../policy/properties/property-monitor.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';
import type { AuditOptions } from './verify-options.ts';

/**
 * One stored run.
 *
 * - `holds`: it has ended, and violates nothing.
 * - `open`: it goes on, and violates nothing so far.
 * - `violated`: by what `violations` says.
 * - `unread`: its journal is damaged behind the events that could be judged: `unread` says why. None of them is a violation.
 */
export interface AuditedRun {
  readonly runId: string;
  readonly status: StoredStatus;
  readonly verdict: 'holds' | 'open' | 'violated' | 'unread';
  readonly violations: readonly Violation[];
  readonly events: number;
  readonly unread?: string | undefined;
}

/** The outcome of an audit. */
export interface Audit {
  /** The earliest first. */
  readonly runs: readonly AuditedRun[];
  readonly holds: number;
  readonly open: number;
  readonly violated: number;
  readonly unread: number;
  /** Events that were judged. */
  readonly events: number;
}

/** Runs that are audited by default, the newest. */
const AUDITED = 1_000;

/** Judges stored runs by properties: their events are read, nothing is replayed, and no model is asked. */
export const auditRuns = async (agent: string, options: AuditOptions): Promise<Audit> => {
  const runs: AuditedRun[] = [];
  for (const entry of await entriesFor(agent, options)) {
    if (options.signal?.aborted === true) break;
    runs.push(await auditRun(entry, options));
  }
  const count = (verdict: AuditedRun['verdict']): number =>
    runs.filter((run) => run.verdict === verdict).length;
  return {
    runs,
    holds: count('holds'),
    open: count('open'),
    violated: count('violated'),
    unread: count('unread'),
    events: runs.reduce((sum, { events }) => sum + events, 0),
  };
};

const auditRun = async (entry: RunEntry, { over, properties }: AuditOptions): Promise<AuditedRun> => {
  const { events, damage } = await readStoredRun(over, entry);
  const monitor = new PropertyMonitor(properties);
  const violations = events.flatMap((event) => monitor.take(event));
  const { runId, status } = entry;
  const isOver = events.at(-1)?.type === 'run.ended';
  const sound = isOver ? 'holds' : 'open';
  return {
    runId,
    status,
    verdict: violations.length > 0 ? 'violated' : damage === undefined ? sound : 'unread',
    violations,
    events: events.length,
    ...(damage === undefined ? {} : { unread: damage.message }),
  };
};

/** The wanted runs, the earliest first. */
const entriesFor = async (
  agent: string,
  { over, runs, limit = AUDITED }: AuditOptions,
): Promise<readonly RunEntry[]> => {
  if (runs !== undefined) return Promise.all(runs.map((runId) => entryOf(runId, over)));
  const found = await over.list();
  const own = found.filter((entry) => entry.agent === agent);
  // Nothing to audit would look like nothing that is violated.
  if (own.length > 0) return own.slice(0, limit).toReversed();
  const others = [...new Set(found.map((entry) => `'${entry.agent}'`))].slice(0, NAMED).join(', ');
  const why = others === '' ? 'it is empty' : `it has runs of ${others}`;
  throw new TroupeError('journal.unknown', `Cannot audit '${agent}' as the store has no run of it: ${why}`);
};

/** Agents that are named, where there is no run of the one that is wanted. */
const NAMED = 5;

const entryOf = async (runId: string, over: JournalStore): Promise<RunEntry> => {
  const entry = await over.entry(runId);
  if (entry !== undefined) return entry;
  throw new TroupeError('journal.unknown', `Cannot audit run '${runId}' as it is not in the store`, {
    runId,
  });
};
