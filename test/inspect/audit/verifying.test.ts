import { appendFileSync, copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditLog, readAudit, verifyAudit } from '../../../src/inspect/index.ts';
import type { AuditHead } from '../../../src/inspect/audit/anchor.ts';
import { hashOf, lineOf, parseEntry, withoutContent } from '../../../src/inspect/audit/audit-entry.ts';
import { readChain } from '../../../src/inspect/audit/read-chain.ts';
import { inRanges, rangesOf } from '../../../src/inspect/audit/seq-ranges.ts';
import { eraseContent } from '../../../src/inspect/audit/erase-content.ts';
import { auditedRun, auditedRuns, changeLines, temporaryFolder, textOf } from './audit-kit.ts';

/** The entry of number n stands in line n + 1, counted from 0. */
const lineOfEntry = (seq: number): number => seq + 1;

/** The text of a chain of ten entries. */
let whole = '';
let entries = 0;
beforeAll(async () => {
  const folder = await auditedRuns(['r'], {}, temporaryFolder(afterAll));
  whole = textOf(join(folder, 'r.jsonl'));
  entries = readAudit(folder).length;
});

const firstBad = (text: string): number | undefined => readChain(text, 'r.jsonl').problems[0]?.seq;

/** The chain with its lines changed; the first one is its head. */
const withLines = (change: (lines: string[]) => readonly string[]): string =>
  change(whole.split('\n')).join('\n');

describe('[M68] a chain that was changed is named by its first bad entry', () => {
  test('whichever character of it is another', () => {
    expect(firstBad(whole)).toBeUndefined();
    const lines = whole.split('\n');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: entries - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.integer({ min: 1, max: 127 }),
        (seq, share, bits) => {
          const line = lines[lineOfEntry(seq)] ?? '';
          const at = Math.floor(share * line.length);
          const other = String.fromCharCode(line.charCodeAt(at) ^ bits);
          const changed = line.slice(0, at) + other + line.slice(at + 1);
          expect(firstBad(lines.with(lineOfEntry(seq), changed).join('\n'))).toBe(seq);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('whichever entry was removed, unless it is the last', () => {
    for (let seq = 0; seq < entries - 1; seq += 1)
      expect(firstBad(withLines((lines) => lines.toSpliced(lineOfEntry(seq), 1)))).toBe(seq);
  });

  test('whichever entry was inserted, or stands twice', () => {
    for (let seq = 0; seq < entries; seq += 1) {
      const copy = withLines((lines) =>
        lines.toSpliced(lineOfEntry(seq) + 1, 0, lines[lineOfEntry(seq)] ?? ''),
      );
      expect(firstBad(copy)).toBe(seq + 1);
    }
  });

  test('whichever two entries changed places', () => {
    for (let seq = 0; seq < entries - 1; seq += 1) {
      const swapped = withLines((lines) =>
        lines
          .with(lineOfEntry(seq), lines[lineOfEntry(seq + 1)] ?? '')
          .with(lineOfEntry(seq + 1), lines[lineOfEntry(seq)] ?? ''),
      );
      expect(firstBad(swapped)).toBe(seq);
    }
  });

  test('also where an entry was forged with a hash of its own', () => {
    const forged = withLines((lines) => {
      const entry = parseEntry(lines[lineOfEntry(4)] ?? '');
      if (entry === undefined) throw new Error('no entry');
      const { prev, hash: _, ...facts } = { ...entry, outcome: 'denied' as const };
      return lines.with(lineOfEntry(4), lineOf({ ...facts, prev, hash: hashOf(prev, facts) }));
    });
    expect(readChain(forged, 'r.jsonl').problems).toMatchObject([{ kind: 'foreign', seq: 5 }]);
  });

  test('also where a line has a key twice, or an empty line stands between', () => {
    const twice = withLines((lines) =>
      lines.with(lineOfEntry(3), (lines[lineOfEntry(3)] ?? '').replace('{', '{"tool":"look",')),
    );
    expect(firstBad(twice)).toBe(3);
    expect(firstBad(withLines((lines) => lines.toSpliced(lineOfEntry(6), 0, '')))).toBe(6);
  });

  test('and so is its first line', () => {
    expect(firstBad(whole.replace('"run":"r"', '"run":"q"'))).toBe(0);
    expect(firstBad(whole.replace('"v":1', '"v":1,"note":"x"'))).toBe(0);
  });
});

describe('[KAIZEN-61] a log that was exchanged is found', () => {
  test('[M68] where the files of two runs changed places, by each of them', async () => {
    const folder = await auditedRuns(['a', 'b']);
    for (const under of ['', 'content/']) {
      renameSync(join(folder, `${under}a.jsonl`), join(folder, `${under}x`));
      renameSync(join(folder, `${under}b.jsonl`), join(folder, `${under}a.jsonl`));
      renameSync(join(folder, `${under}x`), join(folder, `${under}b.jsonl`));
    }
    expect(verifyAudit(folder).problems.map(({ kind, seq, message }) => ({ kind, seq, message }))).toEqual([
      { kind: 'foreign', seq: 0, message: 'The file is a.jsonl, and its first line says that it is b.jsonl' },
      { kind: 'foreign', seq: 0, message: 'The file is b.jsonl, and its first line says that it is a.jsonl' },
    ]);
  });

  test('[M68] by its anchored head, where its end is missing, the file is gone, or an old one was put back', async () => {
    const folder = temporaryFolder();
    const anchor = join(folder, 'apart/heads.jsonl');
    const place = join(folder, 'logs');
    await auditedRun('r', auditLog({ folder: place, anchor }));
    const file = join(place, 'r.jsonl');
    expect(verifyAudit(place, { anchor }).problems).toEqual([]);

    copyFileSync(file, join(folder, 'whole'));
    // Without its last two entries it is a chain like any other.
    changeLines(place, 'r.jsonl', (lines) => lines.slice(0, -3).concat(''));
    expect(verifyAudit(place).problems).toEqual([]);
    expect(verifyAudit(place, { anchor }).problems).toMatchObject([
      { kind: 'anchor', seq: 8, message: 'The end is missing: 10 entries were anchored, found 8' },
    ]);
    rmSync(file);
    expect(verifyAudit(place, { anchor }).problems).toMatchObject([{ kind: 'anchor', file: 'r.jsonl' }]);
    // Another run of the same id, written as a whole.
    rmSync(join(place, 'content/r.jsonl'));
    await auditedRun('r', auditLog({ folder: place }));
    expect(verifyAudit(place).problems).toEqual([]);
    expect(verifyAudit(place, { anchor }).problems).toMatchObject([{ kind: 'anchor', seq: 0 }]);
    copyFileSync(join(folder, 'whole'), file);
    expect(verifyAudit(place, { anchor }).problems.map(({ kind }) => kind)).not.toContain('anchor');
  });

  test('where content was changed or removed, or is there although it was erased', async () => {
    const folder = await auditedRuns(['r']);
    const apart = join(folder, 'content/r.jsonl');
    const before = textOf(apart);
    writeFileSync(apart, before.replace('paid 50', 'paid 59'));
    expect(verifyAudit(folder).problems).toMatchObject([
      {
        kind: 'content',
        seq: 6,
        message:
          'The content of entry 6 was changed, in content/r.jsonl line 7: put that line back from a copy, as the log has only its digest',
      },
    ]);
    writeFileSync(apart, before.replace('{"seq":6', '{"seq":6,,'));
    expect(verifyAudit(folder).problems).toMatchObject([
      {
        seq: 6,
        message:
          'The content of entry 6 is missing in content/r.jsonl, where line 7 cannot be read. Put it back from a copy',
      },
    ]);
    writeFileSync(apart, before);
    changeLines(folder, 'content/r.jsonl', (lines) => lines.toSpliced(6, 1));
    expect(verifyAudit(folder).problems).toMatchObject([
      {
        seq: 6,
        message: expect.stringMatching(
          /^The content of entry 6 is missing in content\/r\.jsonl, and no entry says that/,
        ),
      },
    ]);
  });

  test('where the end is missing that said that content was erased, as one problem', async () => {
    const folder = await auditedRuns(['r']);
    await eraseContent(folder, { run: 'r' }, 5);
    changeLines(folder, 'r.jsonl', (lines) => lines.toSpliced(-2, 1));
    expect(verifyAudit(folder).problems).toMatchObject([
      {
        kind: 'content',
        seq: 0,
        message:
          'The content of 10 entries (0-9) is missing in content/r.jsonl, and no entry says that it was erased: it was removed, or the end of the log was, which said so. Put it back from a copy',
      },
    ]);
  });

  test('and what is no log is named, beside those that are', async () => {
    const folder = await auditedRuns(['r']);
    appendFileSync(join(folder, 'notes.jsonl'), 'buy milk\n');
    expect(verifyAudit(folder)).toMatchObject({
      chains: 2,
      problems: [
        { kind: 'unreadable', message: /notes\.jsonl as it is no audit log: it begins with "buy milk"/ },
      ],
    });
    expect(() => verifyAudit(join(folder, 'nowhere'))).toThrow(/there is no such file or folder/);
    const heads: readonly AuditHead[] = [];
    expect(verifyAudit(join(folder, 'r.jsonl'), { anchor: heads }).problems).toEqual([]);
    expect(() => verifyAudit(folder, { anchor: join(folder, 'none') })).toThrow(/its anchor cannot be read/);
    writeFileSync(join(folder, 'bad-anchor'), '{"count":-1}\n');
    expect(() => verifyAudit(folder, { anchor: join(folder, 'bad-anchor') })).toThrow(
      /line 1 is no anchored head/,
    );
  });
});

test('an entry has one line: what is read is written the same again', () => {
  const lines = whole.split('\n').slice(1, -1);
  for (const line of lines) {
    const entry = parseEntry(line);
    expect(entry && lineOf(withoutContent(entry))).toBe(line);
  }
});

test('ranges hold the numbers that they were made of, and no others', () => {
  expect(rangesOf([0, 1, 2, 5, 7, 8])).toBe('0-2,5,7-8');
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), (numbers) => {
      const has = inRanges(rangesOf(numbers.toSorted((a, b) => a - b)));
      for (let each = 0; each <= 51; each += 1) expect(has(each)).toBe(numbers.includes(each));
    }),
  );
  expect(inRanges(5)(5)).toBe(false);
});
