import type { RunList } from '../../contracts/journals/journal.ts';
import { withForks } from './forks/fork-places.ts';
import type { RunSources, ListedRun } from './session-board.ts';
import { eachRunOnce } from './processes/each-run-once.ts';
import { runsHere, storedRuns, unreadableRuns } from './session-board.ts';
import { StoredFigures } from './stored-figures.ts';
import { WantedReading } from './wanted-reading.ts';

/** The rows of the table of runs that have changed since a version. */
export interface ChangedRows {
  readonly version: number;
  /** True if they are all there are: a run is gone, or the version is of another process. */
  readonly isWhole: boolean;
  readonly rows: readonly ListedRun[];
}

interface Row {
  readonly row: ListedRun;
  readonly text: string;
  readonly version: number;
}

/**
 * All runs of this process and of its store, with what each has used.
 *
 * The figures of stored runs are read one after the other, the newest first, while somebody looks: until then their rows lack them.
 */
export class RunsIndex {
  readonly #runs: RunSources;
  readonly #others: () => Promise<readonly ListedRun[]>;
  readonly #figures: StoredFigures | undefined;
  #rows = new Map<string, Row>();
  #version = 0;
  /** The version at which all rows were new. */
  #whole = 0;
  readonly #reading: WantedReading;

  /** `others` lists the runs of other processes. */
  constructor(runs: RunSources, others: () => Promise<readonly ListedRun[]> = () => Promise.resolve([])) {
    this.#runs = runs;
    this.#others = others;
    this.#figures = runs.store === undefined ? undefined : new StoredFigures(runs.store);
    this.#reading = new WantedReading(async (entry) => (await this.#figures?.read(entry)) ?? false);
  }

  /** The rows that have changed since a version; all of them without one. */
  async changedSince(since: number | undefined): Promise<ChangedRows> {
    const { recorder, store } = this.#runs;
    const entries: RunList = (await store?.list()) ?? [];
    await this.#reading.wants(entries);
    const here = runsHere(recorder, entries);
    const stored = await storedRuns(store, entries, here);
    const figured = stored.map((row) => ({ ...row, ...this.#figures?.of(row.run) }));
    const own = await withForks(store, entries, [...here, ...figured, ...unreadableRuns(entries)]);
    this.#take(eachRunOnce([...own, ...(await this.#others())]));
    const isWhole = since === undefined || since < this.#whole || since > this.#version;
    const rows = [...this.#rows.values()].filter(({ version }) => isWhole || version > since);
    return { version: this.#version, isWhole, rows: rows.map(({ row }) => row) };
  }

  /** Resolves when the figures of all runs that were listed last are read. */
  async filled(): Promise<void> {
    await this.#reading.finished();
  }

  close(): void {
    this.#reading.close();
  }

  #take(rows: readonly ListedRun[]): void {
    const version = this.#version + 1;
    const before = this.#rows;
    let kept = 0;
    this.#rows = new Map(
      rows.map((row): [string, Row] => {
        const known = before.get(row.run);
        if (known !== undefined) kept += 1;
        const text = JSON.stringify(row);
        return [row.run, known?.text === text ? known : { row, text, version }];
      }),
    );
    if ([...this.#rows.values()].some((each) => each.version === version)) this.#version = version;
    if (kept < before.size) this.#whole = this.#version = version;
  }
}
