import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent, answer } from '../../src/index.ts';
import { schedules } from '../../src/runtime/serve/index.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { play } from './fake-terminal.ts';

let folder = '';
let file = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-schedules-'));
  file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  const clock = virtualClock(Date.UTC(2026, 2, 2, 6));
  const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
  {
    await using live = schedules(store, { clock });
    await live.add({
      name: 'digest',
      agent: clerk,
      input: 'Go.',
      when: { cron: '0 8 * * *', zone: 'Europe/Vienna' },
    });
    await live.add({ name: 'mail', agent: clerk, input: 'Go.' });
    await live.pause('mail');
    await live.send('mail', { id: 'one', message: 'Hello.' });
  }
  await store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const call = (...args: readonly string[]) => play(['schedules', ...args, '--no-color'], { folder });
const kept = (...args: readonly string[]) => call(...args, '--store', file);
const listed = async (): Promise<readonly unknown[]> =>
  (await kept('list', '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

describe('troupe schedules', () => {
  test('lists the schedules of a store: when they are due, and what is pending', async () => {
    const { code, stdout, stderr } = await kept('list');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^digest {2}active {2}0 8 \* \* \* Europe\/Vienna {2}clerk {13}next 2026-03-02 \d\d:00:00\n/,
    );
    expect(stdout).toMatch(/\nmail {4}paused {2}messages {17}clerk {2}1 pending\n$/);
    expect(await listed()).toMatchObject([
      { name: 'digest', when: { cron: '0 8 * * *', zone: 'Europe/Vienna' }, nextAt: Date.UTC(2026, 2, 2, 7) },
      { name: 'mail', isPaused: true, pending: ['mail@one'] },
    ]);
  });

  test('pauses, resumes and removes one, and says so', async () => {
    expect(await kept('pause', 'digest')).toEqual({ code: 0, stdout: 'Paused digest\n', stderr: '' });
    expect(await listed()).toMatchObject([{ isPaused: true }, { isPaused: true }]);
    expect((await kept('resume', 'digest')).stdout).toBe('Resumed digest\n');
    expect(await listed()).toMatchObject([{ isPaused: false }, { isPaused: true }]);
    expect((await kept('remove', 'digest', '--quiet')).stdout).toBe('');
    expect(await listed()).toMatchObject([{ name: 'mail' }]);
  });

  test.each([
    [['lst'], /there is no subcommand 'lst' \(did you mean 'list'\?\)/, 2],
    [[], /the subcommand is missing: list, pause, resume or remove/, 2],
    [['pause'], /no schedule was named/, 2],
    [['list', 'digest'], /'digest' is unexpected: all are listed/, 2],
    [
      ['pause', 'nobody', '--store'],
      /Cannot find the schedule 'nobody' as sqlite:.* has none of that name: it has mail/,
      1,
    ],
  ] as const)('%j says what is wrong', async (args, message, exit) => {
    const { code, stderr } = await call(...args, ...(args.includes('--store' as never) ? [file] : []));
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
    expect(code).toBe(exit);
  });
});
