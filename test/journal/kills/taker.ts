/** A process that begins a run that was asked for, and is killed at one of its commits: before it is written, or once it is. */
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { clerkWith, subjectOf } from '../../support/asked-runs.ts';
import { settled } from '../../support/runs.ts';

/** Where a taker keeps its run. */
export type TakerPlace =
  | { readonly file: string }
  | { readonly connectionString: string; readonly schema: string };

/** What a taker is told. */
export type TakerOrder = TakerPlace & {
  /** Of what is asked for. */
  readonly seed: number;
  /** At which commit it dies. */
  readonly diesAt: number;
  readonly isWritten: boolean;
};

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as TakerOrder;
const { seed, diesAt, isWritten } = order;
const inner = 'file' in order ? sqliteStore(order.file) : postgresStore(order);
const die = (): void => void process.kill(process.pid, 'SIGKILL');

let commits = 0;
const store: JournalStore = new Proxy(inner, {
  get: (target, name) => {
    const value: unknown = Reflect.get(target, name, target);
    if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
    const commit: JournalStore['commit'] = async (lease, given) => {
      commits += 1;
      if (commits === diesAt && !isWritten) die();
      await target.commit(lease, given);
      if (commits === diesAt) die();
    };
    return commit;
  },
});

const { asked, runId } = subjectOf(seed);
const handle = clerkWith(asked.state, asked.text).stream(asked.text, { ...asked.given, runId, store });
const { status } = await settled(handle);
process.stdout.write(`${status}\n`);
await inner.close();
