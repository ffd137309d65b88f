import type { Threads } from '../../../contracts/conversations/thread.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Engine } from '../../../contracts/runs/engine.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { threads } from '../../../memory/threads/threads.ts';
import { shareOf } from '../../engines/engine-defaults.ts';
import { THREADS_ROOM } from '../../thread/run-thread.ts';
import type { RunParty, ServedRunOptions } from '../serve-options.ts';
import { storeMissing } from './run-errors.ts';

/** The parts that the options of a run are made of. */
export interface PartyOptionsSetup {
  readonly engine: Engine;
  readonly store: JournalStore | undefined;
  readonly context: (party: RunParty) => unknown;
  readonly run: ServedRunOptions;
}

/** The options of the runs of a server, by the party that they work for. */
export class PartyOptions {
  readonly #setup: PartyOptionsSetup;
  readonly #threads = new Map<string | undefined, Threads>();

  constructor(setup: PartyOptionsSetup) {
    this.#setup = setup;
  }

  /** The options of a run, without those of the engine, which adds them itself. @throws {TroupeError} `engine.invalid` where the engine does not tell tenants apart */
  of(party: RunParty): RunOptions {
    const { run, store } = this.#setup;
    const { who, tenant } = party;
    const context = this.#setup.context({
      ...(who === undefined ? {} : { who }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    this.#assertApart(context, tenant);
    // A tenant's threads are its own; without one they are those of the store.
    const own = store === undefined || tenant === undefined ? {} : { threads: this.threadsOf(party) };
    return { ...run, ...own, context };
  }

  /** The options of a run that the engine does not start itself. */
  byEngine(party: RunParty): RunOptions {
    return shareOf(this.#setup.engine).optionsFor(this.of(party));
  }

  /** The threads of a party's tenant. @throws {TroupeError} `engine.invalid` without a store */
  threadsOf({ tenant }: RunParty): Threads {
    const known = this.#threads.get(tenant);
    if (known !== undefined) return known;
    const { store } = this.#setup;
    if (store === undefined) throw storeMissing('read threads');
    const files = store.files(THREADS_ROOM);
    const made = tenant === undefined ? threads(files) : threads(files, { scope: `tenant ${tenant}` });
    this.#threads.set(tenant, made);
    return made;
  }

  /** Fails closed: memories and caches that tenants share would show one what is the other's. */
  #assertApart(context: unknown, tenant: string | undefined): void {
    if (tenant === undefined || shareOf(this.#setup.engine).tenantOf(context) === tenant) return;
    throw new TroupeError(
      'engine.invalid',
      'Cannot start a run of a tenant as the engine does not tell tenants apart: create it with `by`, such as ({ tenant }) => tenant',
    );
  }
}
