import { getHeapSpaceStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel } from '../../src/patterns/index.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/models/index.ts';
import { collector } from '../support/garbage.ts';
import { echo } from '../support/runs.ts';

/** Bytes that V8 takes for long-lived. */
const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

const STEPS = 20;

/** Takes so many steps, each of a model that answers in its own time and of a tool. */
const walker = (name: string): Agent<string, string> => {
  const model: Model = {
    provider: 'test',
    id: 'walker',
    isLanguageModel: false,
    answer: async ({ messages }) =>
      messages.length > 2 * STEPS
        ? modelAnswer({ text: 'done' })
        : modelAnswer({ calls: [{ id: 'same', name: 'echo', input: { text: 'a step' } }] }),
  };
  return agent({ name, tools: [echo], model });
};

const alone = walker('alone');
const team = parallel({ name: 'team', members: { one: walker('one'), other: walker('other') } });

const watched = async (subject: Agent<string, string>): Promise<unknown> => {
  const handle = subject.stream('go');
  handle.events$.subscribe(() => undefined);
  return handle.result;
};

const iterated = async (subject: Agent<string, string>): Promise<unknown> => {
  const handle = subject.stream('go');
  for await (const event of handle) if (event.type === 'run.ended') break;
  return handle.result;
};

test.each([
  ['an agent', 25_000, () => alone.run('go')],
  ['a team', 50_000, () => team.run('go')],
  ['an agent with a subscriber', 25_000, () => watched(alone)],
  [
    'an agent with a hook',
    25_000,
    () => alone.run('go', { hooks: [{ name: 'reader', handle: () => undefined }] }),
  ],
  ['an agent in a loop over its events', 25_000, () => iterated(alone)],
])('what a run allocates dies young: %s', async (_, limit, run) => {
  const collect = collector();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let each = 0; each < 100; each += 1) await run();
  collect();
  const grown: number[] = [];
  for (let each = 0; each < 20; each += 1) {
    const before = oldBytes();
    await run();
    await turn();
    // What survives two of them is taken for long-lived.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    grown.push(oldBytes() - before);
  }
  expect(grown.toSorted((one, other) => one - other)[10]).toBeLessThan(limit);
});
