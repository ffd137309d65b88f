import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

const ESC = String.fromCodePoint(0x1b);
const plain = (text: string): string => text.replaceAll(new RegExp(`${ESC}\\[[\\d;?]*[A-Za-z]`, 'g'), '');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-failed-members-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['before its first step', 'unready-member.ts', 'unready-2', 'the price of a model is not known'],
  ['in a step', 'broken-member.ts', 'broken-2', 'the kettle is empty'],
])('a member that failed %s, in a team that went on without it', (_, module, name, error) => {
  test('is in the live view of a terminal, with its error', async () => {
    const { code, stderr } = await play(['run', moduleOf(module), 'x'], { isTTY: true, columns: 200 });
    expect(code).toBe(0);
    const last = plain(stderr)
      .split('\n')
      .findLast((line) => line.includes(name));
    expect(last).toMatch(new RegExp(`^  ✗ ${name} +failed .*${error}`));
  });

  test('is a line where there is no terminal, with its error told once', async () => {
    const { stderr } = await play(['run', moduleOf(module), 'x']);
    expect(stderr).toMatch(new RegExp(`^  ${name} · .*(?:Failed|Cannot start)`, 'm'));
    expect(stderr.split(error)).toHaveLength(2);
  });

  test('is in show and in trace show, with its error', async () => {
    const place = mkdtempSync(join(folder, 'run-'));
    const store = ['--store', join(place, 'runs.db')];
    await play(['run', moduleOf(module), 'x', '--trace', join(place, 'traces'), ...store]);
    const { runId } = JSON.parse((await play(['runs', '--json', ...store])).stdout) as {
      readonly runId: string;
    };
    const [trace = ''] = readdirSync(join(place, 'traces'));
    const file = join(place, 'traces', trace);
    for (const args of [
      ['show', runId, ...store],
      ['trace', 'show', file],
    ]) {
      const { stdout } = await play(args);
      expect(stdout).toMatch(new RegExp(`^  (?:✗ )?${name} .*failed: .*${error}`, 'm'));
      const shown = JSON.parse((await play([...args, '--json'])).stdout) as unknown;
      expect(shown).toMatchObject({
        failedMembers: [{ path: expect.stringContaining(`/${name}`) as string }],
      });
    }
  });
});

test('a run that failed is listed with its error', async () => {
  const store = ['--store', join(folder, 'failed.db')];
  await play(['run', `${moduleOf('failing-member.ts')}#fragile`, 'x', ...store]);
  const { stdout } = await play(['runs', ...store]);
  expect(stdout).toMatch(/ failed .*Cannot answer as the account is out of credit/);
});
