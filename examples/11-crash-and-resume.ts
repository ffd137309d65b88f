// A run whose process dies in the middle, and another process that resumes it: nothing is paid twice.
//
//   npx tsx examples/11-crash-and-resume.ts
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, resume, tool } from 'troupe';
import { sqliteStore } from 'troupe/stores';
import { z } from 'zod';

// This file runs twice: started by you, and by itself as a child process that can be killed.
const [, , folder = mkdtempSync(join(tmpdir(), 'troupe-crash-'))] = process.argv;
const isChild = process.argv.length > 2;
const book = join(folder, 'book.txt');

const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  input: z.object({ amount: z.number() }),
  safety: 'write',
  execute: ({ amount }) => {
    appendFileSync(book, `paid ${amount}\n`);
    return `paid ${amount}`;
  },
});

const receipt = tool({
  name: 'receipt',
  description: 'Writes a receipt.',
  input: z.object({}),
  // It is idempotent: so it is simply repeated after a crash.
  idempotent: true,
  execute: () => {
    if (isChild) process.kill(process.pid, 'SIGKILL');
    return 'receipt written';
  },
});

const clerk = agent({
  name: 'clerk',
  tools: [pay, receipt],
  // In place of a model: it pays, writes the receipt, and finishes.
  decide: ({ step }) => {
    if (step === 0) return { kind: 'act', calls: [{ name: 'pay', input: { amount: 30 } }] };
    if (step === 1) return { kind: 'act', calls: [{ name: 'receipt', input: {} }] };
    return { kind: 'answer', answer: 'paid, with a receipt' };
  },
});

const store = sqliteStore(join(folder, 'runs.db'));

if (isChild) {
  await clerk.run('Pay the 30.', { store, runId: 'payment-1' });
} else {
  const child = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, folder]);
  assert.equal(child.signal, 'SIGKILL');
  console.log('The process died while it wrote the receipt.');

  // Here, or tomorrow, or on another machine that has the file.
  const handle = await resume(clerk, 'payment-1', { store });
  const { output, events } = await handle.result;
  console.log(`It went on, and the answer is: ${output}`);

  assert.equal(output, 'paid, with a receipt');
  assert.equal(readFileSync(book, 'utf8'), 'paid 30\n');
  const payments = events.filter((event) => event.type === 'tool.started' && event.tool === 'pay');
  assert.equal(payments.length, 1);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
