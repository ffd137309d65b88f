/** A process whose tools do their work at once, in the midst of which it may be killed: begins a run, or resumes it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { settled } from '../../support/runs.ts';
import { slowStore } from '../../support/slow-store.ts';

/** What a booker is told. */
export interface BookerOrder {
  readonly file: string;
  /** Where its tools write down what they did: a line for each call that was begun. */
  readonly ledger: string;
  readonly manner: 'read' | 'idempotent' | 'write';
  /** At which line of the ledger it dies; none: it lives. */
  readonly diesAt: number | undefined;
  readonly steps: number;
  readonly commitMs: number;
}

/** A call that was begun. */
export interface BookedLine {
  readonly key: string;
  readonly seat: string;
}

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as BookerOrder;
const { file, ledger, manner, diesAt, steps, commitMs } = order;

const linesIn = (name: string): readonly string[] =>
  existsSync(name) ? readFileSync(name, 'utf8').split('\n').filter(Boolean) : [];

const book = tool({
  name: 'book',
  description: 'Books a seat.',
  input: z.object({ seat: z.string() }),
  safety: manner === 'read' ? 'read' : 'write',
  idempotent: manner !== 'write',
  execute: ({ seat }, { key }) => {
    appendFileSync(ledger, `${JSON.stringify({ key, seat })}\n`);
    if (linesIn(ledger).length === diesAt) process.kill(process.pid, 'SIGKILL');
    return `${seat} is booked`;
  },
});

/** Decides otherwise each time that it is asked, as models do: each answer is paid for, and on its bill. */
const whimsical: Model = {
  ...scriptedModel([]),
  answer: async (request, call) => {
    const turn = request.messages.toArray().filter(({ role }) => role === 'assistant').length;
    appendFileSync(`${ledger}.bill`, `${turn}\n`);
    const whim = linesIn(`${ledger}.bill`).length;
    await Promise.resolve();
    const seats = [0, 1].map((index) => ({
      name: 'book',
      input: { seat: `${turn}.${index} by whim ${whim}` },
    }));
    return scriptedModel([turn < steps ? calls(...seats) : 'done']).answer(request, call);
  },
};

const clerk = agent({ name: 'clerk', tools: [book], model: whimsical });
const store = sqliteStore(file);
const kept = slowStore(store, commitMs);
const options = { store: kept, person: { approve: () => false } };
const isNew = (await store.entry('r')) === undefined || (await store.read('r', 0, 1)).length === 0;
const result = await settled(
  isNew ? { result: clerk.run('go', { ...options, runId: 'r' }) } : await resume(clerk, 'r', options),
);
process.stdout.write(`${result.status}\n`);
await store.close();
