import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import type { RunFigures } from '../recording/run-sums.ts';
import { RunSums } from '../recording/run-sums.ts';
import { eventsInRows, storedEvents } from './stored-events.ts';

/** The figures of a run, and how far its journal was read for them. */
interface Known {
  readonly sign: string;
  readonly figures: RunFigures;
  /** Undefined for a run that was over when it was looked at first: only its end was read. */
  readonly read: { readonly sums: RunSums; readonly rows: number } | undefined;
}

/** Rows at the end of a journal that may hold its last event: what is closed after it comes later. */
const END = 4;

/**
 * The figures of stored runs. Of a run that is over only the last rows are read, as its last event has the totals; of one that goes on, each
 * row once.
 */
export class StoredFigures {
  readonly #store: JournalStore;
  readonly #known = new Map<string, Known>();

  constructor(store: JournalStore) {
    this.#store = store;
  }

  /** The figures of a run as far as they were read. */
  of(runId: string): RunFigures | undefined {
    return this.#known.get(runId)?.figures;
  }

  /** Reads the figures of a run, unless they are those of its entry already; then returns false. */
  async read(entry: RunEntry): Promise<boolean> {
    const { runId, status, updatedAt } = entry;
    const sign = `${status} ${updatedAt}`;
    const known = this.#known.get(runId);
    if (known?.sign === sign) return false;
    const isOver = status !== 'running' && status !== 'waiting';
    try {
      const found =
        isOver && known?.read === undefined
          ? { figures: await this.#endOf(runId), read: undefined }
          : await this.#goOn(runId, known?.read ?? { sums: new RunSums(), rows: 0 });
      const figures = ownFigures(found.figures, entry);
      this.#known.set(runId, { sign, ...found, figures });
    } catch {
      // Of a journal that cannot be read there are no figures; the others have theirs. Looking at the run says why.
      this.#known.set(runId, { sign, figures: {}, read: undefined });
    }
    return true;
  }

  /** The totals in the last event of a run that is over. */
  async #endOf(runId: string): Promise<RunFigures> {
    const length = await lengthOf(this.#store, runId);
    const rows = await this.#store.read(runId, Math.max(0, length - END));
    const last = eventsInRows(runId, rows).findLast(({ type }) => type === 'run.ended');
    if (last?.type !== 'run.ended') return {};
    const { durationMs, inputTokens, outputTokens, costUsd } = last.totals;
    // How many errors it has survived, only the whole of it would tell.
    const errors = last.status === 'failed' ? { errors: 1 } : {};
    return { durationMs, tokens: inputTokens + outputTokens, costUsd, ...errors, requests: 0 };
  }

  async #goOn(
    runId: string,
    { sums, rows: from }: NonNullable<Known['read']>,
  ): Promise<Pick<Known, 'figures' | 'read'>> {
    let rows = from;
    for await (const part of storedEvents(this.#store, runId, from)) {
      for (const event of part.events) sums.take(event, event.at);
      ({ rows } = part);
    }
    return { figures: sums.figures, read: { sums, rows } };
  }
}

/** The figures of a run with its own duration: that of a fork, whose journal has the start of the run that it was forked from, counts from its fork. */
const ownFigures = (figures: RunFigures, { forkedFrom, createdAt, updatedAt }: RunEntry): RunFigures =>
  forkedFrom === undefined || figures.durationMs === undefined
    ? figures
    : { ...figures, durationMs: Math.max(0, updatedAt - createdAt) };

/** The number of rows of a run: a store is asked for single rows, of which a few show where they end. */
const lengthOf = async (store: JournalStore, runId: string): Promise<number> => {
  const has = async (n: number): Promise<boolean> => (await store.read(runId, n, 1)).length > 0;
  let beyond = 1;
  while (await has(beyond - 1)) beyond *= 2;
  // Row `within - 1` is there, row `beyond - 1` is not.
  let within = Math.floor(beyond / 2);
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (await has(middle - 1)) within = middle;
    else beyond = middle;
  }
  return within;
};
