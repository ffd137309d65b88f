/** A process whose run is audited, and that is killed in the middle of it; or that resumes the run. */
import { z } from 'zod';
import { act, agent, answer, hook, maxSteps, tool } from '../../../src/index.ts';
import { auditLog } from '../../../src/inspect/audit/audit-log.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';

export interface AuditOrder {
  readonly folder: string;
  readonly store: string;
  readonly how: 'kill' | 'resume';
  readonly runId: string;
}

// Only its parent gives it orders.
const { folder, store: file, how, runId } = JSON.parse(process.argv[2] ?? '') as AuditOrder;

const work = tool({
  name: 'work',
  description: 'Works.',
  input: z.object({ step: z.number() }),
  idempotent: true,
  execute: ({ step }) => {
    if (step < 3 || how === 'resume') return `worked ${step}`;
    return new Promise<string>((resolve) => setTimeout(resolve, 60_000, 'late'));
  },
});

const worker = agent({
  name: 'worker',
  tools: [work],
  stop: [maxSteps(100)],
  decide: ({ step }) => (step < 6 ? act({ name: 'work', input: { step } }) : answer('done')),
});

const store = sqliteStore(file);
// Notified after the log: what the log has by then is on disk.
const telling = hook({
  name: 'telling',
  on: 'tool.started',
  priority: -1,
  handle: ({ step }) => void (step === 3 && how === 'kill' && process.stdout.write('working\n')),
});
const options = { hooks: [auditLog({ folder }), telling], store };
process.stdout.write('ready\n');
if (how === 'resume') await (await resume(worker, runId, options)).result;
else await worker.run('Work.', { runId, ...options });
await store.close();
process.stdout.write('done\n');
