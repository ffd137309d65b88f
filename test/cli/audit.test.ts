import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditLog } from '../../src/inspect/index.ts';
import { sqliteStore } from '../../src/persistence/index.ts';
import { approvingUpTo, auditedRun, payer } from '../inspect/audit/audit-kit.ts';
import type { Played } from './fake-terminal.ts';
import { play } from './fake-terminal.ts';

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-cli-audit-'));
  const [audit, anchor] = [join(folder, 'audit'), join(folder, 'heads')];
  await auditedRun('a', auditLog({ folder: audit, anchor, onBehalfOf: 'ada' }));
  await auditedRun('b', auditLog({ folder: audit, anchor, onBehalfOf: '\u001b[31mbob\u0007' }));
  const store = sqliteStore(join(folder, 'runs.db'));
  const hooks = [auditLog({ folder: join(folder, 'live') })];
  await payer(5, 50).run('Pay.', { runId: 'stored-1', store, hooks, person: approvingUpTo(100) });
  await store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const call = (...args: readonly string[]): Promise<Played> =>
  play(['audit', ...args, '--no-color'], { folder });

const jsonOf = ({ stdout }: Played): readonly unknown[] =>
  stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('[KAIZEN-61] troupe audit', () => {
  test('verify: says that all is sound (0), or names the first bad entry (1), or that there is no log (2)', async () => {
    expect(await call('verify', 'audit', '--anchor', 'heads')).toEqual({
      code: 0,
      stdout: '✓ audit: no problems found (2 logs, 20 entries)\n',
      stderr: '',
    });
    expect(await call('verify', 'audit', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
    const file = join(folder, 'audit/a.jsonl');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace('"outcome":"denied"', '"outcome":"success"'));
    const bad = await call('verify', 'audit');
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /✗ audit: 1 problem .*\n {4}changed · a\.jsonl line 10 · Entry 8 was changed\n/,
    );
    const [verdict] = jsonOf(await call('verify', 'audit', '--json'));
    expect(verdict).toMatchObject({ chains: 2, problems: [{ file, kind: 'changed', seq: 8, line: 10 }] });
    writeFileSync(file, before);
    const none = await call('verify', 'nowhere');
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toMatch(/there is no such file or folder/);
  });

  test('query: all of its options hold together', async () => {
    const actions = async (...args: readonly string[]): Promise<readonly unknown[]> =>
      jsonOf(await call('query', 'audit', '--json', ...args)).map((entry) =>
        Reflect.get(Object(entry), 'seq'),
      );
    expect(await actions('--run', 'a', '--tool', 'pay', '--outcome', 'denied')).toEqual([8]);
    expect(await actions('--person', 'ada', '--action', 'permission.grant')).toEqual([4]);
    expect(await actions('--agent', 'payer', '--run', 'b', '--action', 'run.end', '--since', '1h')).toEqual([
      9,
    ]);
    expect(await actions('--run', 'a', '--tool', 'pay')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const filter of [
      ['--rule', 'large-sums'],
      ['--agent', 'other'],
      ['--since', '2100-01-01'],
    ])
      expect((await call('query', 'audit', '--json', ...filter)).stdout).toBe('');
    const none = await call('query', 'audit', '--until', '2020-01-01');
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No such entries in audit\n' });
  });

  test('query, report: a run may be abbreviated, as in other commands; several that begin so are named', async () => {
    const log = join(folder, 'abbreviated');
    for (const runId of ['paid-17', 'paid-18']) await auditedRun(runId, auditLog({ folder: log }));
    const whole = await call('query', 'abbreviated', '--json', '--run', 'paid-17');
    expect(whole.stdout).toContain('"paid-17"');
    await auditedRun('other-1', auditLog({ folder: log }));
    expect(jsonOf(await call('query', 'abbreviated', '--json', '--run', 'othe'))).toHaveLength(10);
    expect((await call('report', 'abbreviated', '--run', 'othe')).stdout).toContain('Asked of people: 2 ');
    const several = await call('query', 'abbreviated', '--run', 'paid');
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Cannot find run 'paid' as 2 start with that: paid-17, paid-18"),
    });
    expect(await call('erase', 'abbreviated', '--run', 'other')).toMatchObject({
      code: 0,
      stdout: 'Erased the content of 10 entries in 1 log\n',
    });
  });

  test('query and report: in a pipe nothing is cut, on a terminal what does not fit', async () => {
    const log = join(folder, 'long');
    const runId = `run-of-the-${'very-'.repeat(9)}long-id`;
    const name = `Ada ${'of the accounts department '.repeat(3)}`.trim();
    const audit = auditLog({ folder: log, onBehalfOf: name });
    const input = `Pay ${'all of it, and '.repeat(20)}at once.`;
    await payer(50).run(input, { runId, hooks: [audit], person: approvingUpTo(100) });
    const { stdout } = await call('query', 'long');
    const [first] = stdout.split('\n');
    expect(first).toContain(`${runId} `);
    expect(first).toContain(`for ${name}`);
    expect(first).toContain(`{"input":"${input}"}`);
    expect(stdout).not.toContain('…');
    expect((await call('report', 'long')).stdout).toContain(runId);
    const shown = await play(['audit', 'query', 'long', '--no-color'], { folder, isTTY: true, columns: 200 });
    expect(shown.stdout.split('\n')[0]).toMatch(/run-of-the-[^ ]+… .*… /);
  });

  test('query: hostile text is only text', async () => {
    const { stdout } = await call('query', 'audit', '--run', 'b', '--action', 'run.start');
    expect(stdout).toMatch(/run\.start +success +payer +for bob +\{"input":"Pay all\."\}/);
    expect(stdout).not.toContain('\u001b');
  });

  test('report: counts what people decided, and how fast', async () => {
    const { code, stdout } = await call('report', 'audit');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Asked of people: 4 \(2 granted, 2 denied\)\nDecided after .* \(median\)\nApproved in under 2 s: 2\n/,
    );
    expect(stdout).toContain('"description":"Paying 50 to Bob"');
    const [report] = jsonOf(await call('report', 'audit', '--run', 'a', '--json'));
    expect(report).toMatchObject({ counts: { granted: 1, denied: 1 }, grantedAtOnce: 1 });
  });

  test('export: writes the log of a stored run as the hook wrote it, and overwrites none', async () => {
    const args = ['export', 'stored-1', 'made', '--store', join(folder, 'runs.db')];
    const { code, stderr } = await call(...args);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: /Exported the audit log of run stored-1 to / });
    for (const name of ['stored-1.jsonl', 'content/stored-1.jsonl'])
      expect(readFileSync(join(folder, 'made', name), 'utf8')).toBe(
        readFileSync(join(folder, 'live', name), 'utf8'),
      );
    expect((await call(...args)).code).toBe(2);
  });

  test('erase: removes content, and the log verifies still', async () => {
    const { code, stdout } = await call('erase', 'audit', '--person', 'ada', '--anchor', 'heads');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Erased the content of 10 entries in 1 log\n' });
    expect((await call('query', 'audit', '--run', 'a')).stdout).toContain('(erased)');
    expect(await call('verify', 'audit', '--anchor', 'heads')).toMatchObject({
      code: 0,
      stdout: '✓ audit: no problems found (2 logs, 21 entries, content of 10 erased)\n',
    });
    const file = join(folder, 'audit/a.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\n]+\n$/, ''));
    const cut = await call('verify', 'audit', '--anchor', 'heads');
    expect(cut).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('11 entries were anchored, found 10'),
    });
  });

  test.each([
    [['verfy', 'audit'], /there is no subcommand 'verfy' \(did you mean 'verify'\?\)/],
    [['verify'], /no log was named: give its file, or the folder of all/],
    [['verify', 'audit', '--tool', 'x'], /'audit verify' has no such option: --tool/],
    [['verify', 'audit', 'other'], /'other' is unexpected/],
    [['query', 'audit', '--action', 'run.strt'], /--action has no 'run\.strt': did you mean 'run\.start'\?/],
    [['query', 'audit', '--since', 'monday'], /--since is not a time: 'monday'/],
    [['query', 'audit', '--person', ' '], /--person is empty/],
    [['erase', 'audit'], /nothing to erase was named: give --person NAME, --run RUN or --older-than 365d/],
    [['erase', 'audit', '--person', 'a', '--run', 'b'], /one excludes the other/],
    [['export'], /no run was named/],
  ])('refuses %j, with what to do', async (args, words) => {
    const { code, stderr } = await call(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });
});
