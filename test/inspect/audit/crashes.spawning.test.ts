import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAudit, verifyAudit } from '../../../src/inspect/index.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import type { AuditOrder } from './child.ts';
import { filesIn, temporaryFolder } from './audit-kit.ts';
import { isThorough } from '../../support/thorough.ts';

const child = new AnotherProcess('../../inspect/audit/child.ts');
beforeAll(() => child.build());
afterAll(() => {
  child.remove();
});

const run = (order: AuditOrder) =>
  child.run(order, {
    onLine: (line, kill) => {
      if (line === 'working') kill();
    },
  });

test('[KAIZEN-61] [M68] killed in the middle, with its last line cut off: the log is continued by the next process, and nothing that was on record is missing', async () => {
  const [folder, apart] = [temporaryFolder(), temporaryFolder()];
  const order = { folder, store: join(apart, 'runs.db'), runId: 'r' };
  expect((await run({ ...order, how: 'kill' })).wasKilled).toBe(true);
  const file = join(folder, 'r.jsonl');
  // The call that was under way has its entry.
  expect(readAudit(folder).at(-1)).toMatchObject({
    action: 'tool.start',
    seq: 7,
    content: { input: { step: 3 } },
  });
  expect(verifyAudit(folder).problems).toEqual([]);
  truncateSync(file, statSync(file).size - 20);
  expect(verifyAudit(folder).problems).toMatchObject([{ kind: 'torn', seq: 7 }]);

  const { lines, failure } = await run({ ...order, how: 'resume' });
  expect({ lines, failure }).toEqual({ lines: ['ready', 'done'], failure: '' });
  expect(filesIn(folder)).toEqual(['content', 'r.jsonl']);
  expect(verifyAudit(folder).problems).toEqual([]);
  expect(readAudit(folder).map(({ action }) => action)).toEqual([
    'run.start',
    ...Array.from({ length: 3 }, () => ['tool.start', 'tool.end']).flat(),
    'audit.repair',
    'run.resume',
    // The call that was cut off; it was executed again, as nobody knew how far it had come.
    'tool.start',
    'tool.start',
    ...Array.from({ length: 2 }, () => ['tool.end', 'tool.start']).flat(),
    'tool.end',
    'run.end',
  ]);
});

if (isThorough)
  test('[KAIZEN-61] several processes write to one folder at once, and each log verifies', async () => {
    const [folder, apart] = [temporaryFolder(), temporaryFolder()];
    const runs = ['a', 'b', 'c'];
    await Promise.all(
      runs.map((runId) => run({ folder, store: join(apart, `${runId}.db`), runId, how: 'kill' })),
    );
    await Promise.all(
      runs.map((runId) => run({ folder, store: join(apart, `${runId}.db`), runId, how: 'resume' })),
    );
    expect(filesIn(folder)).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl', 'content']);
    expect(verifyAudit(folder)).toMatchObject({ chains: 3, problems: [] });
    for (const runId of runs) expect(readAudit(folder, { run: runId, action: 'run.end' })).toHaveLength(1);
  });
