import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { play } from './fake-terminal.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-call-actors-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** One call waits for an approval, another for its retry: each has an actor of its own meanwhile. */
const clerk = () => {
  let tries = 0;
  return agent({
    name: 'clerk',
    model: scriptedModel([calls({ name: 'send', input: {} }, { name: 'flaky', input: {} }), 'done']),
    tools: [
      tool({
        name: 'send',
        description: 'Sends.',
        input: z.object({}),
        approval: true,
        execute: () => 'sent',
      }),
      tool({
        name: 'flaky',
        description: 'Fails once.',
        input: z.object({}),
        retry: { attempts: 2, initialWaitMs: 1 },
        execute: () => {
          if ((tries += 1) === 1) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
          return 'worked';
        },
      }),
    ],
  });
};

test('a call that has an actor of its own is a part of its step in troupe show, and no row that was cut short', async () => {
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  await clerk().run('go', { store, runId: 'called', person: { approve: () => true } });
  await store.close();
  const { code, stdout } = await play(['show', 'called', '--store', file], { folder });
  expect(code).toBe(0);
  expect(stdout).not.toContain('~');
  expect(stdout).not.toContain('cut short');
  const rows = stdout.split('\n').filter((line) => / step \d/.test(line));
  expect(rows.map((row) => row.trim().split(/\s+/).slice(0, 3))).toEqual([
    ['clerk', 'step', '0'],
    ['clerk', 'step', '1'],
  ]);
  const { stdout: json } = await play(['show', 'called', '--json', '--store', file], { folder });
  const { steps } = JSON.parse(json) as { readonly steps: readonly { readonly path: string }[] };
  expect(steps.map(({ path }) => path)).toEqual(['clerk', 'clerk']);
});
