import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
/** A run that looked once, and its events that a fork may change. */
const rainy = { run: '', answers: [0, 0] as readonly number[], result: 0 };

const call = (...args: readonly string[]) => play([...args, '--store', 'runs.db'], { folder });

const begun = async (module: string): Promise<string> => {
  await call('run', moduleOf(module), 'How is it?');
  const { stdout } = await call('runs', '--json', '--limit', '1');
  return /"runId":"(\w+)"/.exec(stdout)?.[1] ?? '';
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-fork-'));
  rainy.run = await begun('rainy.ts');
  const shown = await call('show', rainy.run, '--step', '0');
  const later = await call('show', rainy.run, '--step', '1');
  const [, answer = '', result = ''] =
    /events: (\d+) model\.answered, (\d+) tool\.finished/.exec(shown.stdout) ?? [];
  const [, last = ''] = /events: (\d+) model\.answered/.exec(later.stdout) ?? [];
  Object.assign(rainy, { answers: [Number(answer), Number(last)], result: Number(result) });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fork = (...args: readonly string[]) => call('fork', rainy.run, ...args);
const eventOf = (seq: number | undefined): readonly string[] => ['--event', String(seq)];

describe('troupe fork at an event', () => {
  test('has another result of a tool, another text of an answer, or other calls of it, which may stand in a file', async () => {
    const { code, stdout } = await fork(...eventOf(rainy.result), '--text', 'sun in A');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Seen: sun in A\n' });
    expect((await fork(...eventOf(rainy.answers[1]), '--text', 'All is well.')).stdout).toBe(
      'All is well.\n',
    );
    const calls = JSON.stringify([{ name: 'look', input: { where: 'B' } }]);
    expect((await fork(...eventOf(rainy.answers[0]), '--calls', calls)).stdout).toBe('Seen: rain in B\n');
    writeFileSync(join(folder, 'calls.json'), calls.replace('"B"', '"C"'));
    expect((await fork(...eventOf(rainy.answers[0]), '--calls', '@calls.json')).stdout).toBe(
      'Seen: rain in C\n',
    );
    const { stdout: events } = await fork(...eventOf(rainy.result), '--text', 'fog', '--json');
    expect(events.trim().split('\n').at(-1)).toContain('"output":"Seen: fog"');
    expect((await call('show', rainy.run)).stdout).toContain('Seen: rain in A');
  });

  test.each<[string, () => readonly string[], RegExp]>([
    [
      'a text without an event',
      () => ['--at', '0', '--text', 'x'],
      /--text changes an event: name it by --event SEQ/,
    ],
    [
      'both a step and an event',
      () => ['--at', '0', '--event', '1'],
      /one excludes the other: --at and --event/,
    ],
    ['neither', () => [], /give --at STEP or --event SEQ/],
    [
      'no JSON',
      () => [...eventOf(rainy.answers[0]), '--calls', '[look]'],
      /--calls is not JSON: found '\[look\]'.*@FILE/,
    ],
    [
      'no list of calls',
      () => [...eventOf(rainy.answers[0]), '--calls', '[{"tool":"look"}]'],
      /--calls is no list of calls: found '\[\{"tool":"look"\}\]' \(\[0\]/,
    ],
    [
      'a file that is not there',
      () => [...eventOf(0), '--calls', '@nowhere.json'],
      /cannot be read: '@nowhere\.json'/,
    ],
    [
      'a call that does not fit',
      () => [...eventOf(rainy.answers[0]), '--calls', '[{"name":"look","input":{"where":7}}]'],
      /arguments of 'look'.*given by --event, --calls/,
    ],
    [
      'an event that cannot be changed',
      () => ['--event', '0', '--text', 'x'],
      /Cannot change event 0 .*given by --event, --text: those that can be changed are \d+ model\.answered, \d+ tool\.finished, \d+ model\.answered/,
    ],
    [
      'an event that is not there',
      () => ['--event', '9999', '--text', 'x'],
      /event 9999.*those that can be changed/,
    ],
    ['nothing changed', () => [...eventOf(rainy.result), '--text', 'rain in A'], /nothing was changed/],
  ])('%s is refused with what was found, and what to do', async (_, args, words) => {
    const { code, stdout, stderr } = await fork(...args());
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/^✗ Cannot [^\n]+\n$/);
    expect({ stdout, isRefused: code !== 0 }).toEqual({ stdout: '', isRefused: true });
  });

  test('a secret that is shown by its name stays what it was, and its name is no text for another', async () => {
    const environment = { RAIN_API_KEY: 'rain in A' };
    const args = ['fork', rainy.run, ...eventOf(rainy.result), '--store', 'runs.db', '--text'];
    const same = await play([...args, '[redacted RAIN_API_KEY]'], { folder, environment });
    expect(same.stderr).toContain('nothing was changed');
    const other = await play([...args, 'no [redacted RAIN_API_KEY]'], { folder, environment });
    expect(other.stderr).toContain('stands for a secret');
  });
});

test('of a team that failed, the hint and the advice name the member, and an event that begins its last step', async () => {
  const run = await begun('late-failure.ts');
  const { stdout } = await call('show', run);
  const [, seq = ''] =
    /try again at press\/last-2, step 0 · troupe fork \w+ --event (\d+) --store runs\.db/.exec(stdout) ?? [];
  expect(seq).not.toBe('');
  const { stderr } = await call('fork', run, '--at', '0');
  expect(stderr).toContain(
    `its root is a team, whose members take the steps. Name an event, such as --event ${seq}, with which press/last-2 began step 0`,
  );
  const again = await call('fork', run, '--event', seq);
  expect(again.stderr).toContain('no ink');
});

describe('troupe fork with another state', () => {
  const total = (state: unknown): string => JSON.stringify(state);

  test('goes on from it, at a step or at any event of the agent, and names who changed it', async () => {
    const run = await begun('summing.ts');
    const { stdout } = await call('fork', run, '--at', '2', '--state', total({ total: 8 }), '--by', 'Ada');
    expect(stdout).toBe('11\n');
    const listed = await call('runs', '--json', '--limit', '1');
    const forked = /"runId":"([\w-]+)"/.exec(listed.stdout)?.[1] ?? '';
    expect((await call('show', forked)).stdout).toMatch(
      new RegExp(`forked from ${run} at step 2 of summing by Ada, .*, with another state`),
    );
    writeFileSync(join(folder, 'state.json'), total({ total: 40 }));
    const shown = await call('show', run, '--step', '2');
    expect(shown.stdout).toMatch(/total/);
    const [, seq = ''] = /(\d+) tool\.finished/.exec(shown.stdout) ?? [];
    expect((await call('fork', run, '--event', seq, '--state', '@state.json')).stdout).toBe('40\n');
    expect((await call('show', run)).stdout).toContain('12');
  });

  test('is that of a member where the root is a team: the event that names it is said', async () => {
    const run = await begun('summing-team.ts');
    const state = total({ total: 100 });
    for (const step of ['0', '1']) {
      const refused = await call('fork', run, '--at', step, '--state', state);
      const [, seq = '', path, began] =
        /has no state: that of a member is named by an event, such as --event (\d+) for (\S+) as step (\d) begins/.exec(
          refused.stderr,
        ) ?? [];
      expect([refused.code, path, began]).toEqual([2, 'summing-team/summing-2', step]);
      const { stdout } = await call('fork', run, '--event', seq, '--state', state);
      expect(stdout).toBe(step === '0' ? '108\n' : '104\n');
    }
  });

  test('is exported and imported with the fork, which replays, and can be forked again', async () => {
    const run = await begun('summing.ts');
    const { stdout } = await call('fork', run, '--at', '1', '--state', total({ total: 5 }), '--json');
    const forked = /"runId":"([\w-]+)"/.exec(stdout)?.[1] ?? '';
    const exported = await call('export', forked, 'fork.jsonl');
    expect(exported.code).toBe(0);
    const there = (...args: readonly string[]) => play([...args, '--store', 'other.db'], { folder });
    const imported = await there('import', 'fork.jsonl', '--agent', moduleOf('summing.ts'));
    expect(imported).toMatchObject({ code: 0 });
    const replayed = await there('replay', forked, '--agent', moduleOf('summing.ts'));
    expect(replayed).toMatchObject({ code: 0 });
    const again = await there('fork', forked, '--at', '2', '--agent', moduleOf('summing.ts'));
    expect(again.stdout).toBe('11\n');
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      'one that lacks a key',
      ['--at', '2', '--state', '{}'],
      /lacks 'total': give total \(given by --state\)/,
    ],
    [
      'another kind of value',
      ['--at', '2', '--state', '{"total":"x"}'],
      /state\.total has to be a number: found a text/,
    ],
    [
      'one that is no JSON',
      ['--at', '2', '--state', 'total: 1'],
      /--state is not JSON: found 'total: 1'.*@FILE/,
    ],
    ['the same', ['--at', '2', '--state', '{"total":6}'], /nothing was changed/],
    [
      'one beside a text',
      ['--event', '5', '--text', 'x', '--state', '{}'],
      /one excludes the other: --text and --state/,
    ],
    ['one at a step that is not there', ['--at', '99', '--state', '{"total":6}'], /step 99.*given by --at/],
  ])('refuses %s', async (_, args, words) => {
    const run = await begun('summing.ts');
    const { code, stderr } = await call('fork', run, ...args);
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/^✗ Cannot [^\n]+\n$/);
    expect(code).not.toBe(0);
  });
});
