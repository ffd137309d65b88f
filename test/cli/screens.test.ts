import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cellsOf } from '../../src/cli/terminal/cells.ts';
import { startWords, timeWords } from '../../src/cli/stored/run-words.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { parallel } from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { play } from './fake-terminal.ts';

const STARTED = Date.UTC(2026, 10, 27, 12);
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u202e';

const look = tool({
  name: 'look',
  description: 'Looks at the weather.',
  input: z.object({ town: z.string() }),
  retry: false,
  execute: ({ town }) => {
    if (town === '京都')
      throw new Error(`the station in ${town} ${EVIL}does not answer since the storm of last week`);
    return '晴れ';
  },
});
const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  input: z.object({ to: z.string() }),
  safety: 'write',
  approval: true,
  describe: ({ to }) => `Sending the report about the weather in 東京 and 京都 to ${to} ${EVIL}`,
  execute: ({ to }) => `sent to ${to}`,
});
const usage = { input: 1_200, output: 34, billedUsd: 0.0123 };

const broken = () =>
  agent({
    name: 'broken',
    decide: () => {
      throw new Error(`the barometer is ${EVIL}broken, and nobody has another one anywhere on the islands`);
    },
  });

/** One member looks at two towns, of which one fails; one fails; one waits for a person. */
const team = (to: string) =>
  parallel({
    name: 'weather-desk-of-the-archipelago',
    members: {
      reporter: agent({
        name: 'reporter',
        tools: [look],
        model: scriptedModel([
          {
            ...calls({ name: 'look', input: { town: '東京' } }, { name: 'look', input: { town: '京都' } }),
            usage,
          },
          { text: '東京は晴れ、京都は分かりません。', usage },
        ]),
      }),
      'messenger-to-everybody-who-has-asked': agent({
        name: 'messenger-to-everybody-who-has-asked',
        tools: [send],
        model: scriptedModel([{ ...calls({ name: 'send', input: { to } }), usage }, 'Sent.']),
      }),
      broken: broken(),
    },
  });

let folder = '';
let file = '';
const screen = async (args: readonly string[], columns = 80): Promise<readonly string[]> => {
  const { stdout, stderr } = await play([...args, '--store', 'runs.db'], {
    isTTY: true,
    columns,
    environment: { NO_COLOR: '1' },
    folder,
  });
  expect(stderr).toBe('');
  return stdout.split('\n');
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-screens-'));
  file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  for (const [runId, to] of [
    ['run-1', 'Ada'],
    ['run-2', 'Bob'],
  ] as const) {
    const clock = virtualClock(STARTED);
    const handle = team(to).stream('東京と京都の天気 👩‍👩‍👧', { store, runId, clock });
    const awaited = new Set([
      'messenger-to-everybody-who-has-asked: tool.approval-requested',
      'reporter: member.ended',
    ]);
    for await (const event of handle)
      if (awaited.delete(`${event.agent}: ${event.type}`) && awaited.size === 0) break;
    await handle.suspend();
  }
  await broken()
    .stream('x', { store, runId: 'run-3', clock: virtualClock(STARTED) })
    .result.catch(() => undefined);
  await store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a terminal of 80 columns', () => {
  test('shows of a run who did what, what it cost, what failed, and who waits for what', async () => {
    expect(await screen(['show', 'run-1'])).toEqual([
      'run-1 · weather-desk-of-the-archipelago · waiting',
      '  東京と京都の天気 👩‍👩‍👧',
      `  begun ${timeWords(STARTED)} · last written ${timeWords(STARTED)}`,
      '',
      '  reporter-1            step 0  1,234 tokens  $0.01  0 ms  look {"town":"東京"}…',
      "      look failed: Cannot finish 'look' as it failed: the station in 京都 does",
      '      not answer since the storm of last week',
      '  messenger-to-everyb…  step 0  1,234 tokens  $0.01        waits for a person',
      '  broken-3              step 0',
      "      failed: Cannot do 'decide' for 'broken' as it failed: the barometer is",
      '      broken, and nobody has another one anywhere on the islands',
      '  reporter-1            step 1  1,234 tokens  $0.01  0 ms  answered "東京は晴れ…',
      '',
      '  ! Waits for a yes: messenger-to-everybody-who-has-asked-2, send: Sending the',
      '    report about the weather in 東京 and 京都 to Ada',
      '    troupe approve run-1 --store runs.db',
      '',
      'so far: 2 steps · 3 model calls · 2 tool calls · 3,702 tokens · $0.04 billed',
      '        0 ms',
      '',
    ]);
  });

  test('shows of a run that failed why it did, and what to type next', async () => {
    expect(await screen(['show', 'run-3'])).toEqual([
      'run-3 · broken · failed',
      '  x',
      `  begun ${timeWords(STARTED)} · last written ${timeWords(STARTED)}`,
      '',
      '  broken  step 0',
      "      failed: Cannot do 'decide' for 'broken' as it failed: the barometer is",
      '      broken, and nobody has another one anywhere on the islands',
      '',
      "■ Stopped without an answer: Cannot do 'decide' for 'broken' as it failed: the",
      '  barometer is broken, and nobody has another one anywhere on the islands',
      '',
      '0 steps · 0 model calls · 0 tool calls · 0 tokens · 0 ms',
      '› try again · troupe fork run-3 --at 0 --store runs.db --agent FILE',
      '',
    ]);
  });

  test('lists runs, with what each waits for, and why it failed', async () => {
    const started = startWords(STARTED, 80);
    expect(await screen(['runs'])).toEqual([
      `run-3  failed   ${started}  broken            x`,
      "    ✗ Cannot do 'decide' for 'broken' as it failed: the barometer is broken, and",
      '      nobody has another one anywhere on the islands',
      ...['run-2', 'run-1'].flatMap((runId) => [
        `${runId}  waiting  ${started}  weather-desk-of…  東京と京都の天気 👩‍👩‍👧`,
        '    ! Waits for a yes: messenger-to-everybody-who-has-asked-2, send: Sending the',
        `      report about the weather in 東京 and 京都 to ${runId === 'run-1' ? 'Ada' : 'Bob'}`,
        `      troupe approve ${runId} --store runs.db`,
      ]),
      '',
    ]);
  });

  test('compares two runs: where they part, by what, and what each came to', async () => {
    expect(await screen(['compare', 'run-1', 'run-2'])).toEqual([
      'run-1 and run-2 share 34 events, then part at',
      'weather-desk-of-the-archipelago/messenger-to-everybody-who-has-asked-2, step 0:',
      '  − run-1: agent.decided',
      '    {"step":0,"phase":"DECIDE","decision":{"kind":"act","calls":[{"name":"send",',
      '    "input":{"to":"Ada"}}]}}',
      '  + run-2: agent.decided',
      '    {"step":0,"phase":"DECIDE","decision":{"kind":"act","calls":[{"name":"send",',
      '    "input":{"to":"Bob"}}]}}',
      '',
      'Calls after that:',
      '  − weather-desk-of-the-archipelago/messenger-to-everybody-who-has-asked-2',
      '    send({"to":"Ada"})',
      '  + weather-desk-of-the-archipelago/messenger-to-everybody-who-has-asked-2',
      '    send({"to":"Bob"})',
      '',
      '  input         "東京と京都の天気 👩‍👩‍👧"',
      '  status        in progress',
      '  steps         2',
      '  model calls   3',
      '  tool calls    2',
      '  tokens        3,702',
      '  cost          $0.04',
      '  output        none',
      '',
    ]);
  });
});

test('sets what differs below each other where both sides do not fit behind each other', async () => {
  expect(await screen(['compare', 'run-1', 'run-3'], 40)).toContain('                + "x"');
  expect(await screen(['compare', 'run-1', 'run-3'])).toContain(
    '  input         "東京と京都の天気 👩‍👩‍👧" → "x"',
  );
});

test.each([40, 80, 120, 200])('wraps no line on %i columns', async (columns) => {
  for (const args of [
    ['show', 'run-1'],
    ['show', 'run-1', '--step', '0'],
    ['runs'],
    ['compare', 'run-1', 'run-2'],
    ['compare', 'run-1', 'run-3'],
  ]) {
    const lines = await screen(args, columns);
    expect(lines.filter((line) => cellsOf(line) > columns)).toEqual([]);
  }
});
