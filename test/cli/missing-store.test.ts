import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-missing-store-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const commands: readonly (readonly string[])[] = [
  ['runs'],
  ['runs', '--json'],
  ['show', 'abcd'],
  ['replay', 'abcd'],
  ['compare', 'abcd', 'efgh'],
  ['resume', 'abcd'],
  ['resume', '--all-due'],
  ['fork', 'abcd', '--at', '0'],
  ['approve', 'abcd'],
  ['export', 'abcd'],
  ['prune', '--older-than', '1d'],
  ['suggest'],
  ['inspect'],
];

describe('a command that works on runs that are kept', () => {
  test.each(commands)('refuses a store that is not there, and makes none: %s %s', async (...args) => {
    const given = args.filter((word) => word !== undefined);
    const named = await play([...given, '--store', 'typo/runs.db'], { folder });
    const file = join(folder, 'typo/runs.db');
    const refusal = (option: string) =>
      `✗ Cannot look for runs as ${option} names a store that is not there: ${file}. Check its name\n`;
    expect([named.code, named.stdout, named.stderr]).toEqual([2, '', refusal('--store')]);
    const byEnvironment = await play(given, { folder, environment: { TROUPE_STORE: 'typo/runs.db' } });
    expect([byEnvironment.code, byEnvironment.stderr]).toEqual([2, refusal('TROUPE_STORE')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('finds nothing where a user has kept nothing yet, and makes no store', async () => {
    const environment = { TROUPE_STORE: '', HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
    const listed = await play(['runs'], { folder, environment });
    expect([listed.code, listed.stdout]).toEqual([0, '']);
    expect(listed.stderr).toBe(`No runs in sqlite:${join(folder, 'data/troupe/runs.db')}\n`);
    const shown = await play(['show', 'abcd'], { folder, environment });
    expect([shown.code, shown.stderr]).toMatchObject([2, expect.stringMatching(/Cannot find run 'abcd'/)]);
    const resumed = await play(['resume', '--all-due'], { folder, environment });
    expect([resumed.code, resumed.stderr]).toMatchObject([0, expect.stringMatching(/^No run in /)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('finds what a run and an import leave: they make the store', async () => {
    const first = ['--store', join(folder, 'made/first.db')];
    const second = ['--store', join(folder, 'made/second.db')];
    await play(['run', moduleOf('echo.ts'), 'go', ...first], { folder });
    const { runId } = JSON.parse((await play(['runs', '--json', ...first], { folder })).stdout) as {
      readonly runId: string;
    };
    const file = join(folder, 'run.journal');
    expect((await play(['export', runId, file, ...first], { folder })).code).toBe(0);
    expect((await play(['import', file, ...second], { folder })).code).toBe(0);
    expect(existsSync(join(folder, 'made/second.db'))).toBe(true);
    expect((await play(['show', runId, ...second], { folder })).code).toBe(0);
  });
});
