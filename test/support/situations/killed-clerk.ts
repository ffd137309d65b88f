/** A process in which a clerk pays, and which is killed while the receipt is written. */
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { CLERK_RUN, CLERK_TASK, clerkWho } from './clerk.ts';
import { clockAtNine } from './situation.ts';

// Only its parent gives it orders.
const { file } = JSON.parse(process.argv[2] ?? '') as { file: string };
const clock = clockAtNine();
const die = (): string => {
  process.kill(process.pid, 'SIGKILL');
  return '';
};
await clerkWho(clock, die, 0).run(CLERK_TASK, { store: sqliteStore(file), clock, runId: CLERK_RUN });
