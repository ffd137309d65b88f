import type { JournalStore, RunEntry, StoredStatus } from '../../../contracts/journals/journal.ts';
import type { RemoteEntry } from '../../../contracts/runs/remote-run.ts';
import type { Caller } from '../serve-options.ts';
import type { FoundRun, LiveRun } from './live-run.ts';
import { movedRun, unknownRun } from './run-errors.ts';
import type { ServedNames } from './served-names.ts';
import { tenantIn } from './stored-events.ts';
import { isOfTenant } from './tenant-ids.ts';

/** The runs that a server has. */
export interface RunsHere {
  at(runId: string): LiveRun | undefined;
  /** Newest first. */
  readonly here: readonly LiveRun[];
}

/**
 * Finds the runs that a caller may know of.
 *
 * I1  A caller finds the runs of their tenant only; of all others there are none, whatever their ids.
 * I2  A run of an agent that is not served is none.
 */
export class RunFinder {
  readonly #runs: RunsHere;
  readonly #names: ServedNames;
  readonly #store: JournalStore | undefined;

  constructor(runs: RunsHere, names: ServedNames, store: JournalStore | undefined) {
    this.#runs = runs;
    this.#names = names;
    this.#store = store;
  }

  /** Finds a run of a caller. @throws {TroupeError} `journal.unknown`, also for a run of another tenant */
  async find(runId: string, { tenant }: Caller): Promise<FoundRun> {
    if (!(await this.#isOwn(runId, tenant))) throw unknownRun();
    const live = this.#runs.at(runId);
    if (live !== undefined && !live.isLeft) return { live };
    const stored = await this.#store?.entry(runId);
    if (stored === undefined || this.#names.of(stored.agent) === undefined) throw unknownRun();
    if (!isHere(stored.status)) throw movedRun(runId);
    return { stored };
  }

  /** Lists the runs of a caller, newest first. */
  async list({ tenant }: Caller, limit: number): Promise<readonly RemoteEntry[]> {
    const entries: RemoteEntry[] = [];
    const stored = await this.#store?.list();
    for (const each of stored ?? this.#runs.here) {
      if (entries.length >= limit) break;
      const entry = 'handle' in each ? each.entry : this.entryOf(each);
      if (entry !== undefined && (await this.#isOwn(each.runId, tenant))) entries.push(entry);
    }
    return entries;
  }

  /** The entry of a stored run as callers see it; undefined if its agent is not served, or it is in another store. */
  entryOf({ dueAt: _dueAt, agent: ownName, ...entry }: RunEntry): RemoteEntry | undefined {
    const agent = this.#names.of(ownName);
    if (agent === undefined || !isHere(entry.status)) return undefined;
    const status = this.#runs.at(entry.runId)?.entry.status ?? entry.status;
    return { ...entry, agent: agent.name, status };
  }

  /** Checks whether a run is a tenant's: by its id, or, where no server started it, by its journal. */
  async #isOwn(runId: string, tenant: string | undefined): Promise<boolean> {
    const isOwn = isOfTenant(runId, tenant);
    if (isOwn !== undefined) return isOwn;
    // What no tenant has is in memory, or says so in its journal; what cannot be read is nobody's.
    if (this.#store === undefined) return tenant === undefined;
    return (await tenantIn(this.#store, runId).catch(() => UNREADABLE)) === tenant;
  }
}

const isHere = (status: StoredStatus): status is Exclude<StoredStatus, 'arriving' | 'moved'> =>
  status !== 'arriving' && status !== 'moved';

/** No tenant. */
const UNREADABLE = Symbol('unreadable');
