/** A process with a stored run: one call that changes something, and one that takes long, in the midst of which the process is killed. */
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { keeper } from './keeper.ts';
import type { KeeperOrder } from './keeper.ts';

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as KeeperOrder;
const ada = { name: 'Ada', entityType: 'person', observations: ['likes rain'] };
const handle = keeper(order, [
  calls({ name: 'memory.create_entities', input: { entities: [ada] } }),
  calls({ name: 'everything.trigger-long-running-operation', input: { duration: 1, steps: 4 } }),
]).stream('go', { runId: 'kept', store: sqliteStore(order.store) });
handle.events$.subscribe(({ type }) => {
  if (type === 'tool.progressed') process.stdout.write('under way\n');
});
await handle.result;
