import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditLog, readAudit, verifyAudit } from '../../../src/inspect/index.ts';
import { AuditChain } from '../../../src/inspect/audit/audit-chain.ts';
import { eraseContent } from '../../../src/inspect/audit/erase-content.ts';
import { policy } from '../../../src/policy/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { auditedRun, auditedRuns, changeLines, payer, temporaryFolder, textOf } from './audit-kit.ts';

/** A folder with a run for ada, and one for bob. */
const twoPeople = async (): Promise<string> => {
  const folder = temporaryFolder();
  await auditedRun('a', auditLog({ folder, onBehalfOf: 'ada@example.com' }));
  await auditedRun('b', auditLog({ folder, onBehalfOf: 'bob@example.com' }));
  return folder;
};

const allText = (folder: string): string =>
  ['a.jsonl', 'b.jsonl', 'content/a.jsonl', 'content/b.jsonl']
    .map((name) => textOf(join(folder, name)))
    .join('');

describe('[KAIZEN-61] an erasure', () => {
  test('of a person removes their name and texts everywhere; the chain stays, verifies, and says so without the name', async () => {
    const folder = await twoPeople();
    const before = readAudit(folder, { run: 'a' });
    expect(await eraseContent(folder, { person: 'ada@example.com' }, 5)).toEqual([
      { file: join(folder, 'a.jsonl'), entries: 10 },
    ]);
    expect(allText(folder)).not.toContain('ada@');
    expect(allText(folder)).toContain('bob@example.com');
    const after = readAudit(folder, { run: 'a' });
    const kept = after.slice(0, -1);
    const erasure = after.at(-1);
    expect(kept.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(
      kept.every(
        ({ content, person, onBehalfOf }) =>
          content === undefined && person === undefined && onBehalfOf === undefined,
      ),
    ).toBe(true);
    expect(erasure).toMatchObject({
      at: before.at(-1)?.at,
      seq: 10,
      action: 'audit.erase',
      details: { erased: '0-9', entries: 10, because: 'person' },
    });
    expect(verifyAudit(folder)).toMatchObject({ erased: 10, problems: [] });
    expect(readAudit(folder, { person: 'ada@example.com' })).toEqual([]);
  });

  test('of a person removes their name from answers that were refused, too, whose reasons say it', async () => {
    const folder = temporaryFolder();
    const safety = policy({
      rules: [{ name: 'four-eyes', effect: 'ask', tool: 'pay', by: 'lead', approvals: 2 }],
    });
    const store = memoryStore();
    const eve = { name: 'eve@example.com', roles: ['guest'] };
    const handle = payer(5).stream('Pay.', {
      runId: 'r',
      store,
      hooks: [auditLog({ folder })],
      safety,
      person: { by: eve, approve: () => true },
    });
    handle.events$.subscribe((event) => {
      if (event.type !== 'answer.refused' || event.id === undefined) return;
      handle.approve(event.id, { by: { name: 'Ada', roles: ['lead'] } });
      handle.approve(event.id, { by: { name: 'Ben', roles: ['lead'] } });
    });
    await handle.result;
    expect(readAudit(folder, { person: eve.name })).toMatchObject([
      {
        action: 'answer.refuse',
        content: { reason: "it needs a person with the role 'lead': 'eve@example.com' has 'guest'" },
      },
    ]);
    await eraseContent(folder, { person: eve.name }, 5);
    expect(textOf(join(folder, 'r.jsonl')) + textOf(join(folder, 'content/r.jsonl'))).not.toContain('eve@');
    expect(verifyAudit(folder)).toMatchObject({ erased: 1, problems: [] });
  });

  test('of a run, or of what is old, leaves all else', async () => {
    const folder = await twoPeople();
    await eraseContent(folder, { run: 'b' }, Date.now());
    expect(allText(folder)).not.toContain('bob@');
    expect(allText(folder)).toContain('ada@example.com');
    expect(await eraseContent(folder, { before: 1 }, Date.now())).toEqual([]);
    expect(await eraseContent(folder, { before: Infinity }, Date.now())).toHaveLength(1);
    expect(allText(folder)).not.toContain('ada@');
    expect(verifyAudit(folder).problems).toEqual([]);
  });

  test('that was interrupted before content went is found, and completed by the next one', async () => {
    const folder = await auditedRuns(['r']);
    const apart = textOf(join(folder, 'content/r.jsonl'));
    await eraseContent(folder, { run: 'r' }, 5);
    writeFileSync(join(folder, 'content/r.jsonl'), apart);
    expect(verifyAudit(folder).problems[0]).toMatchObject({
      kind: 'content',
      seq: 0,
      message: 'Entry 0 was erased, and has content in content/r.jsonl line 1: the next erasure removes it',
    });
    await eraseContent(folder, { person: 'somebody else' }, 6);
    expect(textOf(join(folder, 'content/r.jsonl'))).toBe('');
    expect(verifyAudit(folder).problems).toEqual([]);
  });

  test('is refused where the log is damaged, or while it is written', async () => {
    const folder = await auditedRuns(['r']);
    const file = join(folder, 'r.jsonl');
    const chain = AuditChain.open({
      file,
      head: { chain: 'r.jsonl', run: 'r' },
      anchor: () => undefined,
      anchorEvery: 100,
    });
    await expect(eraseContent(folder, { run: 'r' }, 5)).rejects.toThrow(
      /as a process is writing it: erase when its run has ended/,
    );
    chain?.close();
    changeLines(folder, 'r.jsonl', (lines) => lines.toSpliced(3, 1));
    await expect(eraseContent(folder, { run: 'r' }, 5)).rejects.toThrow(
      /as it is damaged: Entry 2 is missing/,
    );
    expect(textOf(join(folder, 'content/r.jsonl'))).toContain('Bob');
    rmSync(folder, { recursive: true });
  });
});
