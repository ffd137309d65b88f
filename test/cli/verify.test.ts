import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../src/index.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-verify-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const verified = moduleOf('verified.ts');

/** A store with a run that pays without a check, and one that checks. */
const keptRuns = async (): Promise<string> => {
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  const named = (name: string) =>
    tool({ name, description: name, input: z.object({ amount: z.number() }), execute: () => 'done' });
  const call = (name: string) => calls({ name, input: { amount: 1 } });
  const clerk = (...names: readonly string[]) =>
    agent({
      name: 'clerk',
      tools: [named('check'), named('pay')],
      model: scriptedModel([...names.map(call), 'Done.']),
    });
  await clerk('check', 'pay').run('go', { store, runId: 'good' });
  await clerk('pay').run('go', { store, runId: 'bad' });
  await store.close();
  return file;
};

describe('troupe verify', () => {
  test('prints what holds, and of what does not the shortest story', async () => {
    const story = join(folder, 'story.mmd');
    const { code, stdout, stderr } = await play(
      ['verify', `${verified}#clerk`, '--mermaid', story, '--no-color'],
      { folder },
    );
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      '✗ checked-first',
      '  pay happened before check',
      '  0. caller: clerk starts the run',
      '  1. model: clerk calls pay',
      expect.stringMatching(/^ {2}A genuine run does the same$/),
      '✓ never wipe',
    ]);
    expect(stdout).toContain(': all there are\n');
    expect(stdout).toContain('  With: tool\n');
    expect(readFileSync(story, 'utf8')).toContain('calls pay');
  });

  test('ends with 0 where all holds, and says what was not looked at', async () => {
    const sound = await play(['verify', `${verified}#sound`, '--no-color'], { folder });
    expect([sound.code, sound.stderr]).toEqual([0, '']);
    const short = await play(['verify', `${verified}#sound`, '--depth', '1', '--no-color'], { folder });
    expect(short.stdout).toContain('✓ never wipe  within the bounds\n');
    expect(short.stdout).toMatch(/states? not looked behind\n/);
  });

  test('writes a signed report, which another makes again, and in which nothing can be changed', async () => {
    const keys = (name: string) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const files = [join(folder, `${name}.pem`), join(folder, `${name}.pub`)] as const;
      writeFileSync(files[0], privateKey.export({ type: 'pkcs8', format: 'pem' }));
      writeFileSync(files[1], publicKey.export({ type: 'spki', format: 'pem' }));
      return files;
    };
    const [[own, ownPublic], [, otherPublic]] = [keys('own'), keys('other')];
    const report = join(folder, 'proof.json');
    const sound = ['verify', `${verified}#sound`, '--no-color'];
    const against = (...args: readonly string[]) =>
      play([...sound, '--against', report, ...args], { folder });
    const written = await play([...sound, '--report', report, '--sign', own], { folder });
    expect([written.code, written.stderr]).toEqual([0, '']);

    const again = await against('--key', ownPublic);
    expect([again.code, again.stdout.split('\n').slice(-3)]).toEqual([
      0,
      ['✓ The report says the same', '✓ It is signed by that key', ''],
    ]);
    expect((await against()).stdout).toContain('! It is signed, by the key that it names');
    const strange = await against('--key', otherPublic);
    expect([strange.code, strange.stdout]).toEqual([
      1,
      expect.stringContaining('✗ It is not signed by that key'),
    ]);

    const text = readFileSync(report, 'utf8');
    writeFileSync(report, text.replace('"verdict": "holds"', '"verdict": "fails"'));
    const changed = await against('--key', ownPublic);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('✗ The report differs in: verdict');
    expect(changed.stdout).toContain('✗ It is not signed by that key, or was changed since');

    // A report of another agent, unsigned.
    await play(['verify', `${verified}#clerk`, '--report', report], { folder });
    const other = await against('--json');
    expect(other.code).toBe(1);
    expect(JSON.parse(other.stdout)).toMatchObject({
      verdict: 'holds',
      against: { differs: expect.arrayContaining(['verdict', 'agent', 'violations']), signature: 'none' },
    });
  });

  test('writes the report as JSON, with the story and without the journal', async () => {
    const { stdout } = await play(['verify', `${verified}#clerk`, '--json'], { folder });
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({
      verdict: 'violated',
      agent: 'clerk',
      isComplete: true,
      violations: [{ rule: 'checked-first', confirmed: 'genuine', tool: 'pay' }],
    });
    expect(report).not.toHaveProperty('violations.0.journal');
  });

  test('audits the runs of a store: run, event, agent and step', async () => {
    const file = await keptRuns();
    const audit = await play(['verify', `${verified}#clerk`, '--over', file, '--no-color'], { folder });
    expect([audit.code, audit.stderr]).toEqual([1, '']);
    expect(audit.stdout).toMatch(
      /^✗ bad {2}checked-first\n {2}event \d+ \(tool.started pay\) of clerk in step 0: pay happened before check\n2 runs, \d+ events: 1 hold, 1 violated\n$/,
    );
    const good = await play(['verify', `${verified}#clerk`, '--over', file, '--run', 'good', '--json'], {
      folder,
    });
    expect(good.code).toBe(0);
    const lines = good.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({ runId: 'good', verdict: 'holds' }),
      expect.objectContaining({ holds: 1, violated: 0 }),
    ]);
  });

  test.each([
    [['verify', moduleOf('unverified.ts')], 'its export `properties` is no list of properties'],
    [['verify', `${verified}#clerk`, '--run', 'x'], '--run is of use with --over only'],
    [
      ['verify', `${verified}#clerk`, '--over', 'x.db', '--depth', '3'],
      '--depth is of use without --over only',
    ],
    [['verify', `${verified}#clerk`, '--depth', '0'], "--depth is too few: '0'"],
    [['verify', `${verified}#sound`, '--mermaid', 'x.mmd'], 'leave --mermaid out'],
    [['verify', `${verified}#sound`, '--sign', 'key.pem'], '--sign is of use with --report only'],
    [['verify', `${verified}#sound`, '--key', 'key.pem'], '--key is of use with --against only'],
    [['verify', `${verified}#sound`, '--against', 'nowhere.json'], 'Cannot read the report'],
    [['verify', `${verified}#sound`, '--against', verified], 'Cannot read the report'],
    [
      ['verify', `${moduleOf('misnamed.ts')}`],
      "names the tool 'wipee', which it does not have: there are wipe; did you mean 'wipe'?",
    ],
    [['verify', 'none.ts'], 'there is no such file'],
    [['verify'], 'no file was named'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await play(args, { folder });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
