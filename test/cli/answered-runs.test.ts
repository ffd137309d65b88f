import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { play } from './fake-terminal.ts';

const cashier = agent({
  name: 'cashier',
  tools: [
    tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number() }),
      approval: true,
      execute: ({ amount }) => `paid ${amount}`,
    }),
  ],
  model: scriptedModel([calls({ name: 'pay', input: { amount: 3 } }), 'It is paid.']),
});

test('a waiting run that no process has is listed as answered once all of its requests are, so that it is resumed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-answered-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  const handle = cashier.stream('go', { store, runId: 'run-1' });
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  await handle.suspend();
  await store.close();
  const listed = async () => (await play(['runs', '--store', file])).stdout;
  expect(await listed()).toMatch(/waiting(?!.*answered)/);
  expect((await play(['deny', 'run-1', '--store', file])).code).toBe(0);
  expect(await listed()).toMatch(/waiting.*\(answered: resume it\)/);
});
