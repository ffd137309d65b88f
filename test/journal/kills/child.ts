/** A process with a stored run: begins it, or goes on with it, and says how it ended. Told what by its argument. */
import { toJson } from '../../../src/contracts/json.ts';
import { sqliteStore } from '../../../src/persistence/sqlite-store.ts';
import { resume } from '../../../src/runtime/journal/resume.ts';
import type { RetailTask } from '../../support/retail.ts';
import type { Kill } from './kill-point.ts';
import { Killer } from './kill-point.ts';
import type { Outside } from './subjects.ts';
import { subject, whoKnows } from './subjects.ts';

/** What a child is told. */
export interface ChildOrder {
  readonly subject: string;
  readonly input: string;
  readonly file: string;
  readonly folder: string;
  readonly port: number;
  readonly kill?: Kill | undefined;
  readonly tasks: readonly RetailTask[];
}

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;
const outside: Outside = async (request) => {
  const response = await fetch(`http://127.0.0.1:${order.port}`, {
    method: 'POST',
    body: JSON.stringify(request),
  });
  return toJson(await response.json());
};
const killer = new Killer(order.kill);
const store = sqliteStore(order.file);
const watched = killer.in(store);
const { tasks, folder } = order;
const agent = subject(order.subject, { outside, killer, folder, tasks });
const options = { store: watched, person: whoKnows(outside) };
process.stdout.write('ready\n');
// One that was killed before anything of it was written is begun anew.
const isNew = (await store.entry('r')) === undefined || (await store.read('r', 0, 1)).length === 0;
const result = await (isNew
  ? agent.run(order.input, { ...options, runId: 'r' })
  : (await resume(agent, 'r', options)).result);
const { status, stopReason, output } = result;
process.stdout.write(`${JSON.stringify({ status, stopReason, output })}\n`);
await store.close();
