import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/index.ts';
import { auditLog, readAudit, verifyAudit } from '../../../src/inspect/index.ts';
import { AuditFold } from '../../../src/inspect/audit/audit-fold.ts';
import { storedAudit, writeAudit } from '../../../src/inspect/audit/stored-audit.ts';
import type { JournalStore } from '../../../src/persistence/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { fork } from '../../../src/runtime/journal/resume/fork.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { readStoredRun } from '../../../src/runtime/journal/resume/sound-run.ts';
import { approvingUpTo, filesIn, payer, temporaryFolder, textOf } from './audit-kit.ts';

/** The log of a stored run in a folder of its own. */
const exported = async (store: JournalStore, runId: string): Promise<string> => {
  const entry = await store.entry(runId);
  if (entry === undefined) throw new Error(`no run ${runId}`);
  const { records } = await readStoredRun(store, entry);
  const folder = temporaryFolder();
  writeAudit(folder, runId, storedAudit(runId, records));
  return folder;
};

const expectSame = (one: string, other: string, runId: string): void => {
  for (const name of [`${runId}.jsonl`, `content/${runId}.jsonl`])
    expect(textOf(join(one, name))).toBe(textOf(join(other, name)));
};

test('[KAIZEN-61] [M68] the log of a stored run, made from its journal, is the one that was written while it ran, hash by hash', async () => {
  const folder = temporaryFolder();
  const store = memoryStore();
  const options = { runId: 'r', store, hooks: [auditLog({ folder })], person: approvingUpTo(100) };
  await payer(5, 50, 500).run('Pay all, with sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.', options);
  expectSame(folder, await exported(store, 'r'), 'r');
  expect(textOf(join(folder, 'content/r.jsonl'))).toContain('[redacted key]');
});

test('a run that is resumed continues its chain, nothing is in it twice, and its journal gives the same', async () => {
  const folder = temporaryFolder();
  const store = memoryStore();
  const audit = auditLog({ folder });
  const one = payer(5, 50);
  const handle = one.stream('Pay.', { runId: 'r', store, hooks: [audit] });
  const left = handle.result.catch(() => undefined);
  await new Promise<void>((asked) => {
    handle.events$.subscribe((event) => {
      if (event.type === 'tool.approval-requested') asked();
    });
  });
  await handle.suspend();
  await left;
  expect(readAudit(folder).at(-1)).toMatchObject({ action: 'permission.ask' });

  // In a process of its own the hook is another, too.
  const hooks = [auditLog({ folder })];
  const resumed = await resume(one, 'r', { store, hooks, person: approvingUpTo(100) });
  await resumed.result;
  expect(filesIn(folder)).toEqual(['content', 'r.jsonl']);
  expect(readAudit(folder).map(({ action }) => action)).toEqual([
    'run.start',
    'tool.start',
    'tool.end',
    'permission.ask',
    'run.resume',
    'permission.grant',
    'tool.start',
    'tool.end',
    'run.end',
  ]);
  // The time that a person took counts across processes.
  expect(readAudit(folder, { action: 'permission.grant' })[0]?.details).toMatchObject({ request: 3 });
  expect(readAudit(folder, { action: 'run.resume' })).toMatchObject([{ path: 'payer', agent: 'payer' }]);
  expect(verifyAudit(folder).problems).toEqual([]);
  expectSame(folder, await exported(store, 'r'), 'r');

  // The beginning of a fork was resumed in the other run.
  const forked = await fork(payer(), 'r', { store, hooks, runId: 'f', at: { step: 2 } });
  await forked.result;
  expect(readAudit(folder, { run: 'f', action: 'run.resume' })).toEqual([]);
  expectSame(folder, await exported(store, 'f'), 'f');
});

test('a fork has a log of its own, which its journal gives, too', async () => {
  const folder = temporaryFolder();
  const store = memoryStore();
  const hooks = [auditLog({ folder })];
  await payer(5, 6).run('Pay.', { runId: 'r', store, hooks });
  const forked = await fork(payer(6), 'r', { store, hooks, runId: 'f', at: { step: 1 } });
  await forked.result;
  expect(verifyAudit(folder)).toMatchObject({ chains: 2, problems: [] });
  expectSame(folder, await exported(store, 'f'), 'f');
});

test('an exported log overwrites none', async () => {
  const folder = temporaryFolder();
  writeAudit(folder, 'r', []);
  expect(() => writeAudit(folder, 'r', [])).toThrow(/Cannot export the audit log of run 'r'.*EEXIST/);
});

test('that a run was resumed is noted of its root, and for whom it acts, also where a member is the first to go on', () => {
  const place = (path: string, seq: number) => ({
    v: 1,
    runId: 'r',
    path,
    agent: path.split('/').at(-1),
    seq,
    at: seq,
  });
  const fold = new AuditFold('genesis');
  // Of the form that the runtime writes.
  const take = (event: object) => fold.take(event as RuntimeEvent, 'ada');
  take({ ...place('office', 0), type: 'run.started', input: 'x' });
  fold.leave('r');
  const call = { callId: 'c', tool: 'pay', attempt: 1, input: {}, description: 'Paying' };
  expect(take({ ...place('office/cashier', 1), type: 'tool.started', ...call })).toMatchObject([
    { action: 'run.resume', path: 'office', agent: 'office', onBehalfOf: 'ada' },
    { action: 'tool.start', path: 'office/cashier', onBehalfOf: 'ada' },
  ]);
});
