import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ReportedAlert, WorkReport, WorkRow } from '../../recording/report/work-report.ts';
import type { Recorder } from '../../recording/recorder.ts';
import type { AlertsHook } from '../../telemetry/alerts/alerts.ts';
import { addUp } from '../../telemetry/report/add-up.ts';
import type { WorkBook } from '../../telemetry/report/work-book.ts';
import { storedEvents } from '../stored-events.ts';
import { WantedReading } from '../wanted-reading.ts';

/** Runs in a report at most: the newest. */
export const MOST_REPORTED = 10_000;
const MOST_ALERTS = 100;

/** Alerts as a page shows them. */
export type ShownAlerts = Pick<AlertsHook, 'history' | 'firing'> & Partial<Pick<AlertsHook, 'failures'>>;

/** The sources of a report. */
export interface ReportSources {
  readonly recorder: Pick<Recorder, 'runs'>;
  readonly book: WorkBook;
  readonly store: JournalStore | undefined;
  readonly alerts: ShownAlerts | undefined;
}

/**
 * The work of the runs of this process and of its store, added up.
 *
 * Stored runs are read one after the other, the newest first, each row once, while somebody looks.
 */
export class ReportIndex {
  readonly #sources: ReportSources;
  /** The rows of each journal that were read, and its entry at that time. */
  readonly #known = new Map<string, { readonly sign: string; readonly rows: number }>();
  #entries: readonly RunEntry[] = [];
  readonly #reading: WantedReading;
  #sum: { readonly version: number; readonly rows: Promise<readonly WorkRow[]> } | undefined;

  constructor(sources: ReportSources) {
    this.#sources = sources;
    const { store } = sources;
    this.#reading = new WantedReading(async (entry) => store !== undefined && this.#read(store, entry));
  }

  /** The figures of what is read by now. */
  async report(): Promise<WorkReport> {
    const { store, recorder, alerts, book } = this.#sources;
    const here = new Set(recorder.runs.map(({ runId }) => runId));
    const entries = (await store?.list({ limit: MOST_REPORTED })) ?? [];
    this.#entries = entries.filter(({ runId }) => !here.has(runId));
    this.#forgetLost();
    await this.#reading.wants(this.#entries);
    const read = here.size + this.#entries.filter(({ runId }) => this.#known.has(runId)).length;
    if (this.#sum?.version !== book.version) this.#sum = { version: book.version, rows: addUp(book.runs) };
    return {
      runs: here.size + this.#entries.length,
      read,
      rows: await this.#sum.rows,
      alerts: alerts && reportedAlerts(alerts),
    };
  }

  /** Resolves when all runs that were listed last are read. */
  async filled(): Promise<void> {
    await this.#reading.finished();
  }

  close(): void {
    this.#reading.close();
  }

  /** Runs that were removed from the store are in no figure. */
  #forgetLost(): void {
    const there = new Set(this.#entries.map(({ runId }) => runId));
    const here = new Set(this.#sources.recorder.runs.map(({ runId }) => runId));
    for (const runId of this.#known.keys()) {
      if (there.has(runId)) continue;
      this.#known.delete(runId);
      if (!here.has(runId)) this.#sources.book.forget(runId);
    }
  }

  /** Reads what is new of a run; false if nothing is. */
  async #read(store: JournalStore, { runId, status, updatedAt }: RunEntry): Promise<boolean> {
    const sign = `${status} ${updatedAt}`;
    const known = this.#known.get(runId);
    if (known?.sign === sign) return false;
    let rows = known?.rows ?? 0;
    try {
      for await (const part of storedEvents(store, runId, rows)) {
        for (const event of part.events) this.#sources.book.take(event);
        ({ rows } = part);
      }
    } catch {
      // A journal that cannot be read has no figures; looking at the run says why.
    }
    this.#known.set(runId, { sign, rows });
    return true;
  }
}

const reportedAlerts = ({ history, firing, failures = [] }: ShownAlerts): readonly ReportedAlert[] => {
  const open = new Set(firing.map(({ id }) => id));
  return history
    .slice(-MOST_ALERTS)
    .toReversed()
    .map(({ id, text, severity, status, at, runs }) => ({
      id,
      text,
      severity,
      at,
      runs,
      isFiring: open.has(id),
      isResolved: status === 'resolved',
      failures: failures.flatMap(({ alert, channel, error }) => (alert === id ? [{ channel, error }] : [])),
    }));
};
