/** A process that keeps a schedule by a clock of its own, in the midst of which it kills itself: before or after an operation on its store. */
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { echo, settableClock, watchedStore } from './schedule-kit.ts';

/** What a keeper is told. */
export interface KeeperOrder {
  /** The store: a file of SQLite, or a database of PostgreSQL. */
  readonly file?: string;
  readonly connectionString?: string;
  /** What its clock says. */
  readonly nowMs: number;
  /** For how long it stays, on its clock, and by how much its clock is set meanwhile. */
  readonly stayMs: number;
  readonly jumpMs: number;
  readonly everyMs: number;
  /** Before that operation it dies at `N.5`, after it at `N`; none: it lives until all is delivered. */
  readonly diesAfter: number | undefined;
}

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as KeeperOrder;

let left = order.diesAfter ?? Infinity;
const dying = <Living extends object>(living: Living): Living =>
  new Proxy(living, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]): unknown => {
        if (name === 'files') {
          const files: unknown = Reflect.apply(value, target, given);
          return typeof files === 'object' && files !== null ? dying(files) : files;
        }
        left -= 1;
        if (left < 0) process.kill(process.pid, 'SIGKILL');
        const result: unknown = Reflect.apply(value, target, given);
        if (left === 0) process.kill(process.pid, 'SIGKILL');
        return result;
      };
    },
  });

const { file = ':memory:', connectionString } = order;
const inner: JournalStore =
  connectionString === undefined ? sqliteStore(file) : postgresStore({ connectionString });
const { store, isQuiet } = watchedStore(dying(inner));
const clock = settableClock(order.nowMs, isQuiet);
const say = (): void => void process.stdout.write(`${clock.now()}\n`);
const live = schedules(store, { clock, lookEveryMs: order.everyMs / 4 });
await live.add({
  name: 'job',
  agent: echo,
  input: ({ dueAt }) => String(dueAt),
  when: { everyMs: order.everyMs },
  missed: 'all',
  overlap: 'queue',
  backlog: 10_000,
});
say();
await isQuiet();
for (let passed = 0; passed < order.stayMs; passed += order.everyMs / 2) {
  await clock.pass(order.everyMs / 2);
  say();
  if (passed * 2 >= order.stayMs && passed * 2 < order.stayMs + order.everyMs) clock.jump(order.jumpMs);
}
while ((await live.list()).some(({ pending }) => pending.length > 0)) await clock.pass(order.everyMs / 4);
say();
await live[Symbol.asyncDispose]();
await inner.close();
