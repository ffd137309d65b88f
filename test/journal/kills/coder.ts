/** A process whose model has written a program over a tool, which is killed in the midst of a call: begins a run, or resumes it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { codeTool } from '../../../src/runtime/programs/code-tool.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** What a coder is told. */
export interface CoderOrder {
  readonly file: string;
  /** Where its tool writes down what it did: a line for each seat that was booked. */
  readonly ledger: string;
  /** The seat at which it dies, after it is booked; none: it lives. */
  readonly diesAt?: number | undefined;
}

// Only its parent gives it orders.
const { file, ledger, diesAt } = JSON.parse(process.argv[2] ?? '') as CoderOrder;

interface Booked {
  readonly key: string;
  readonly seat: number;
  readonly luck: number;
}

const booked = (): readonly Booked[] =>
  existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Booked)
    : [];

/** Not to be repeated: what it has done it knows by key. */
const book = tool({
  name: 'book',
  description: 'Books a seat.',
  input: z.object({ seat: z.number(), luck: z.number() }),
  safety: 'write',
  execute: ({ seat, luck }, { key }) => {
    appendFileSync(ledger, `${JSON.stringify({ key, seat, luck })}\n`);
    if (seat === diesAt) process.kill(process.pid, 'SIGKILL');
    return `seat ${seat}`;
  },
  whatBecame: (key) => {
    const found = booked().find((each) => each.key === key);
    return found === undefined ? undefined : { value: `seat ${found.seat}` };
  },
});

const code = `
  const seats = [await tools.book({ seat: 1, luck: Math.random() })];
  seats.push(...(await Promise.all([2, 3, 4].map((seat) => tools.book({ seat, luck: Math.random() })))));
  seats.push(await tools.book({ seat: 5, luck: Math.random() }));
  return seats.join();`;

const store = sqliteStore(file);
const isNew = (await store.entry('r')) === undefined;
const coder = agent({
  name: 'coder',
  model: scriptedModel(isNew ? [calls({ name: 'run_code', input: { code } }), 'done'] : ['done']),
  tools: [codeTool({ tools: [book] })],
});
const result = await (isNew
  ? coder.run('go', { store, runId: 'r' })
  : (await resume(coder, 'r', { store })).result);
const answers = result.events.flatMap((event) => (event.type === 'tool.finished' ? [event.text] : []));
process.stdout.write(
  `${JSON.stringify({ status: result.status, last: answers.at(-1), calls: answers.length })}\n`,
);
await store.close();
