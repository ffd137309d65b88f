/** A process with a stored run: begins it, or goes on with it, and says how it ended. Told what by its argument. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { toJson } from '../../../src/base/json/json.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import type { RetailTask } from '../../support/retail.ts';
import type { Kill } from './kill-point.ts';
import { Killer } from './kill-point.ts';
import { rowIn } from '../../coordination/row-in.ts';
import { PromptBook } from '../../support/prompt-book.ts';
import type { PromptNote } from '../../support/prompt-book.ts';
import { settled } from '../../support/runs.ts';
import type { Outside } from './outside-tools.ts';
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
  /** The files of the rows of the pattern contract that it is made of. */
  readonly rows: readonly string[];
}

/** What models of a script have said, also in processes that are no more. */
const bookIn = (file: string): PromptBook => {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return new PromptBook(
    // Only this very function wrote them.
    known.map((line) => JSON.parse(line) as PromptNote),
    (note) => {
      appendFileSync(file, `${JSON.stringify(note)}\n`);
    },
  );
};

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;
const outside: Outside = async (request) => {
  const response = await fetch(`http://127.0.0.1:${order.port}`, {
    method: 'POST',
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(await response.text());
  return toJson(await response.json());
};
const killer = new Killer(order.kill);
const store = sqliteStore(order.file);
const watched = killer.in(store);
const { tasks, folder } = order;
const rows = await Promise.all(order.rows.map(rowIn));
const book = bookIn(`${order.file}.prompts`);
const agent = book.with(() => subject(order.subject, { outside, killer, folder, tasks, rows }));
const options = { store: watched, person: whoKnows(outside) };
process.stdout.write('ready\n');
// One that was killed before anything of it was written is begun anew.
const isNew = (await store.entry('r')) === undefined || (await store.read('r', 0, 1)).length === 0;
const result = await settled(
  isNew ? { result: agent.run(order.input, { ...options, runId: 'r' }) } : await resume(agent, 'r', options),
);
const { status, stopReason, output } = result;
process.stdout.write(`${JSON.stringify({ status, stopReason, output })}\n`);
process.stdout.write(`${JSON.stringify(killer.visits)}\n`);
await store.close();
