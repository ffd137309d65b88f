import { expect, test } from 'vitest';
import { z } from 'zod';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { recorder } from '../../src/inspect/recording/recorder.ts';
import { toStately } from '../../src/inspect/sinks/stately-sink.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { letTimePass, settled } from '../support/runs.ts';

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => to + 1,
});

const worker = (name: string) =>
  agent({
    name,
    tools: [add],
    model: scriptedModel([
      calls({ name: 'add', input: { to: 1 } }),
      calls({ name: 'add', input: { to: 2 } }),
      'done',
    ]),
  });

const team = () => pipeline({ name: 'team', stages: [worker('ann'), worker('bob')] });

const never = () => new Promise<void>(() => undefined);
const fails = (): never => {
  throw new Error('no');
};

const badHooks: RunOptions['hooks'] = [
  { name: 'throws', handle: fails },
  { name: 'rejects', handle: () => Promise.reject(new Error('no')) },
  { name: 'never settles', handle: never },
  { name: 'never settles, and is patient', timeoutMs: Infinity, handle: never },
  {
    name: 'throws what it is told',
    handle: (event) => {
      throw event as unknown as Error;
    },
  },
  { name: 'throws nothing', handle: () => Promise.reject(undefined as unknown as Error) },
];

const play = async (bad: boolean): Promise<readonly RuntimeEvent[]> => {
  const clock = virtualClock(1_000);
  const record = recorder();
  if (bad) {
    record.recording.follow({ entry: fails });
    record.recording.follow({ entry: () => undefined, delta: fails });
    toStately(record, { actor: fails, event: fails, snapshot: fails }, { warn: () => undefined });
  }
  const options = bad ? { hooks: badHooks, inspect: record } : {};
  const handle = team().stream('go', { clock, runId: 'r', ...options });
  if (bad) handle.events$.subscribe({ next: fails });
  return (await letTimePass(clock, settled(handle), 60_000)).events;
};

/** What happened, whoever looked on. */
const ofTheRun = (events: readonly RuntimeEvent[]) =>
  events.filter(({ type }) => !type.startsWith('observer.')).map((event) => ({ ...event, seq: 0 }));

test('ten bad observers leave the log of a run as it is, but for what it says of them', async () => {
  const [alone, seen] = [await play(false), await play(true)];
  expect(ofTheRun(seen)).toEqual(ofTheRun(alone));
  expect(seen.length).toBeGreaterThan(alone.length);
});
