/** A process with a run of which nearly everything is secret: begins it, or resumes it, and says by digests what it came to. */
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { traceFiles } from '../../../src/inspect/traces/trace-files.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { settled } from '../../support/runs.ts';
import type { Kill } from './kill-point.ts';
import { Killer } from './kill-point.ts';
import { digestOf, INPUT, till, TYPED } from './till.ts';

/** What a process is to do. */
export interface TillOrder {
  readonly file?: string | undefined;
  readonly connectionString?: string | undefined;
  readonly schema?: string | undefined;
  readonly ledger: string;
  readonly traces: string;
  readonly secretKey: string;
  readonly kill?: Kill | undefined;
  /** Nobody answers: it says `asked` when its run waits for a person. */
  readonly isSilent?: boolean;
}

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as TillOrder;
const { file = '', connectionString, schema, ledger, traces, secretKey, kill, isSilent = false } = order;
const killer = new Killer(kill);
const store =
  connectionString === undefined ? sqliteStore(file) : postgresStore({ connectionString, schema });
const cashier = till({ ledger, killer });
const trace = traceFiles({ folder: traces });
const options = {
  store: killer.in(store),
  secretKey,
  hooks: [trace],
  person: isSilent ? undefined : { answer: () => TYPED },
};
const isNew = (await store.entry('r')) === undefined || (await store.read('r', 0, 1)).length === 0;
const handle = isNew
  ? cashier.stream(INPUT, { ...options, runId: 'r', thread: 'ada' })
  : await resume(cashier, 'r', options);
if (isSilent)
  void (async () => {
    for await (const event of handle) if (event.type === 'person.asked') process.stdout.write('asked\n');
  })();
const result = await settled(handle);
await trace.written();
process.stdout.write(`${JSON.stringify([result.status, digestOf(result.output), digestOf(result.state)])}\n`);
await store.close();
