/** A process whose run is traced, and that does not come to the end of it. How is said by its argument. */
import { act, agent, answer, maxSteps, tool } from '../../../src/index.ts';
import { traceFiles } from '../../../src/inspect/traces/trace-files.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { z } from 'zod';

/** How the process ends: killed by its parent, by itself, by a throw, or after the run, which it goes on with. */
export interface TraceOrder {
  readonly folder: string;
  readonly store?: string | undefined;
  readonly how: 'kill' | 'exit' | 'throw' | 'resume';
}

// Only its parent gives it orders.
const { folder, how, store: file } = JSON.parse(process.argv[2] ?? '') as TraceOrder;
const traces = traceFiles({ folder });

const work = tool({
  name: 'work',
  description: 'Works.',
  input: z.object({ step: z.number() }),
  idempotent: true,
  execute: async ({ step }) => {
    if (step < 3 || how === 'resume') return `worked ${step}`;
    if (how === 'exit') process.exit(0);
    if (how === 'throw')
      queueMicrotask(() => {
        throw new Error('thrown by somebody else');
      });
    await traces.written();
    process.stdout.write('working\n');
    return new Promise<string>((resolve) => setTimeout(resolve, 60_000, 'late'));
  },
});

const worker = agent({
  name: 'worker',
  tools: [work],
  stop: [maxSteps(100)],
  decide: ({ step }) => (step < 6 ? act({ name: 'work', input: { step } }) : answer('done')),
});

const store = file === undefined ? undefined : sqliteStore(file);
const options = { hooks: [traces], ...(store === undefined ? {} : { store }) };
process.stdout.write('ready\n');
if (how === 'resume' && store !== undefined) await (await resume(worker, 'r', { ...options, store })).result;
else await worker.run('Work.', { runId: 'r', ...options });
await traces.written();
await store?.close();
process.stdout.write('done\n');
