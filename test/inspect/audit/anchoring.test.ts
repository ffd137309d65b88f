import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { act, agent, answer, maxSteps, resume, tool } from '../../../src/index.ts';
import type { Hook } from '../../../src/index.ts';
import { auditLog, readAudit, verifyAudit } from '../../../src/inspect/index.ts';
import type { Anchor, AuditHead } from '../../../src/inspect/audit/anchor.ts';
import { eraseContent } from '../../../src/inspect/audit/erase-content.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { z } from 'zod';
import { auditedRuns, changeLines, payer, temporaryFolder, textOf } from './audit-kit.ts';

/** A folder for a log, the heads that are anchored, and an anchor that collects them. */
const place = () => {
  const heads: AuditHead[] = [];
  const anchor: Anchor = (head) => void heads.push(head);
  return { folder: temporaryFolder(), heads, anchor };
};

/** The numbers of entries to which a log can be cut without that its anchored heads find it; all of them are left out. */
const unseenCuts = (folder: string, heads: readonly AuditHead[]): readonly number[] => {
  const { length } = readAudit(folder);
  const cut = join(temporaryFolder(), 'r.jsonl');
  mkdirSync(join(cut, '../content'));
  writeFileSync(join(cut, '../content/r.jsonl'), textOf(join(folder, 'content/r.jsonl')));
  const lines = textOf(join(folder, 'r.jsonl')).split('\n');
  return Array.from({ length }, (_, kept) => kept).filter((kept) => {
    writeFileSync(cut, [...lines.slice(0, kept + 1), ''].join('\n'));
    return verifyAudit(cut, { anchor: heads }).problems.every(({ kind }) => kind !== 'anchor');
  });
};

const work = tool({
  name: 'work',
  description: 'Works.',
  safety: 'read',
  input: z.object({}),
  execute: () => 'worked',
});

/** Works ten times without asking anybody. */
const worker = agent({
  name: 'worker',
  tools: [work],
  stop: [maxSteps(100)],
  decide: ({ step }) => (step < 10 ? act({ name: 'work', input: {} }) : answer('done')),
});

/** The handle of a run that has asked a person, who does not answer. */
const asking = async (hooks: readonly Hook[], store = memoryStore()) => {
  const handle = payer(5, 6, 50).stream('Pay.', { runId: 'r', hooks, store });
  await new Promise<void>((resolve) => {
    handle.events$.subscribe(({ type }) => {
      if (type === 'tool.approval-requested') resolve();
    });
  });
  return handle;
};

describe('a log that is cut is found by its anchored heads', () => {
  test('while its run waits for a person, wherever it is cut', async () => {
    const { folder, heads, anchor } = place();
    const handle = await asking([auditLog({ folder, anchor })]);
    expect(readAudit(folder)).toHaveLength(6);
    expect(verifyAudit(folder, { anchor: heads }).problems).toEqual([]);
    expect(unseenCuts(folder, heads)).toEqual([]);
    handle.abort();
    await handle.result.catch(() => undefined);
  });

  test('[KAIZEN-61] behind each permission that was asked, granted or denied', async () => {
    const { heads, anchor } = place();
    const folder = await auditedRuns(['r'], { anchor });
    const permissions = readAudit(folder).filter(({ action }) => action.startsWith('permission.'));
    expect(permissions).toHaveLength(4);
    for (const { seq, hash } of permissions)
      expect(heads).toContainEqual(expect.objectContaining({ count: seq + 1, head: hash }));
  });

  test('of a run that was suspended, and behind its being resumed', async () => {
    const { folder, heads, anchor } = place();
    const store = memoryStore();
    const first = worker.stream('Work.', {
      runId: 'r',
      store,
      hooks: [auditLog({ folder, anchor })],
    });
    // At once: on a busy machine it would be over before somebody who waits goes on.
    await new Promise<void>((resolve, reject) => {
      first.events$.subscribe(({ type, step }) => {
        if (type === 'tool.finished' && step === 1) first.suspend().then(resolve, reject);
      });
    });
    await first.result.catch(() => undefined);
    const before = readAudit(folder);
    expect(before.at(-1)?.action).not.toBe('run.end');
    expect(unseenCuts(folder, heads)).toEqual([]);
    expect(verifyAudit(folder, { anchor: heads }).problems).toEqual([]);

    const second = await resume(worker, 'r', { store, hooks: [auditLog({ folder, anchor })] });
    await second.result;
    const { seq } = readAudit(folder, { action: 'run.resume' })[0] ?? {};
    expect(seq).toBe(before.length);
    // It is written together with the entry that follows.
    expect(heads.map(({ count }) => count)).toContain(before.length + 2);
    expect(verifyAudit(folder, { anchor: heads }).problems).toEqual([]);
  });

  test('of a run that is paused, and behind its going on', async () => {
    const { folder, heads, anchor } = place();
    const handle = worker.stream('Work.', {
      runId: 'r',
      paused: true,
      hooks: [auditLog({ folder, anchor })],
    });
    handle.resume();
    await handle.result;
    const paused = readAudit(folder).filter(({ action }) => /^run\.(?:pause|continue)$/.test(action));
    expect(paused.length).toBeGreaterThan(0);
    for (const { hash } of paused) expect(heads.map(({ head }) => head)).toContain(hash);
  });

  test('behind an erasure, whose content is not gone before its head is anchored', async () => {
    const { heads, anchor } = place();
    const folder = await auditedRuns(['r'], { anchor });
    const failing = (): void => {
      throw new Error('the vault is closed');
    };
    await expect(eraseContent(folder, { run: 'r' }, 5, failing)).rejects.toThrow(
      /Cannot read the audit log r\.jsonl as its head cannot be anchored: the vault is closed/,
    );
    expect(textOf(join(folder, 'content/r.jsonl'))).not.toBe('');
    await eraseContent(folder, { run: 'r' }, 6, anchor);
    expect(verifyAudit(folder, { anchor: heads })).toMatchObject({ problems: [] });
    expect(unseenCuts(folder, heads)).toEqual([]);
    changeLines(folder, 'r.jsonl', (lines) => lines.toSpliced(-2, 1));
    expect(verifyAudit(folder, { anchor: heads }).problems.map(({ kind }) => kind)).toContain('anchor');
  });

  test('wherever it is cut, at any time, with a head for each entry', async () => {
    const { folder, heads, anchor } = place();
    await worker.run('Work.', { runId: 'r', hooks: [auditLog({ folder, anchor, anchorEvery: 1 })] });
    expect(heads.map(({ count }) => count)).toEqual(readAudit(folder).map(({ seq }) => seq + 1));
    const some = place();
    await worker.run('Work.', {
      runId: 'r',
      hooks: [auditLog({ folder: some.folder, anchor: some.anchor, anchorEvery: 8 })],
    });
    expect(some.heads.map(({ count }) => count)).toEqual([1, 9, 17, 22]);
  });
});

test('how often heads are anchored is a whole number of entries, and goes with an anchor', () => {
  expect(() => auditLog({ folder: 'a', anchor: 'b/heads', anchorEvery: 0 })).toThrow(
    /its anchorEvery is not a whole number/,
  );
  expect(() => auditLog({ folder: 'a', anchorEvery: 1 })).toThrow(
    /its anchorEvery is of no use: name an `anchor`, too/,
  );
});
