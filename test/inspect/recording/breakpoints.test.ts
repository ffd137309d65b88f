import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { Prices } from '../../../src/contracts/models/prices.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Breakpoint } from '../../../src/inspect/recording/breakpoint.ts';
import { breakpointSchema } from '../../../src/inspect/recording/breakpoint.ts';
import type { BreakEntry, Entry } from '../../../src/inspect/recording/entry.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { replay } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { quiet, typesOf } from '../../support/runs.ts';

const breaksIn = ({ recording }: Recorder): readonly BreakEntry[] =>
  [...recording.from()].flatMap((line) => {
    // The recording wrote it.
    const entry = JSON.parse(line) as Entry;
    return entry.kind === 'break' ? [entry] : [];
  });

/** Waits until a recording has so many breaks. */
const broken = async (record: Recorder, times = 1): Promise<void> => {
  for (let turn = 0; breaksIn(record).length < times; turn += 1) {
    if (turn > 200) throw new Error('it does not break');
    await quiet();
  }
};

const costly = { input: 1_000_000, output: 0 };

/** A pipeline of one that adds, one that asks a model, and one more; what was done is in `done`. */
const house = () => {
  const done: string[] = [];
  const add = tool({
    name: 'add',
    description: 'Adds one.',
    input: z.object({ to: z.number() }),
    execute: ({ to }) => {
      done.push(`add ${to}`);
      return to + 1;
    },
  });
  const adder = agent({
    name: 'adder',
    tools: [add],
    decide: ({ step }) => {
      done.push(`decide ${step}`);
      return step < 1 ? act({ name: 'add', input: { to: step } }) : answer('added');
    },
  });
  // A model that is none costs nothing.
  const said = { ...scriptedModel([{ text: 'out', usage: costly }]), isLanguageModel: true };
  const last = agent({ name: 'last', model: said });
  const end = agent({
    name: 'end',
    decide: () => {
      done.push('end');
      return answer('over');
    },
  });
  return { done, team: pipeline({ name: 'house', stages: [adder, last, end] }) };
};

const prices: Prices = { name: 'fixed', cost: (_, { input }) => (input * 2) / 1_000_000 };

const rows: readonly {
  readonly kind: string;
  readonly at: Breakpoint;
  readonly actor: string;
  readonly why: string;
  /** What had been done by then. */
  readonly done: readonly string[];
}[] = [
  {
    kind: 'a state that is entered',
    at: { kind: 'state', value: 'ACT' },
    actor: 'r/house/adder-1',
    why: "'adder' has entered ACT",
    done: ['decide 0'],
  },
  {
    kind: 'a state, of one actor only',
    at: { kind: 'state', value: 'agent.running.DECIDE', actor: 'last' },
    actor: 'r/house/last-2',
    why: "'last' has entered agent.running.DECIDE",
    done: ['decide 0', 'add 0', 'decide 1'],
  },
  {
    kind: 'a state that holds others',
    at: { kind: 'state', value: 'running' },
    actor: 'r/house/adder-1',
    why: "'adder' has entered running",
    done: [],
  },
  {
    kind: 'an event that is published',
    at: { kind: 'event', value: 'agent.acted' },
    actor: 'r/house/adder-1',
    why: "'adder' published agent.acted",
    done: ['decide 0', 'add 0'],
  },
  {
    kind: 'an event that is received',
    at: { kind: 'event', value: 'answered.decide', actor: 'r/house/adder-1' },
    actor: 'r/house/adder-1',
    why: "'adder' received answered.decide",
    done: ['decide 0'],
  },
  {
    kind: 'a guard that held',
    at: { kind: 'guard', value: 'isAnswered', actor: 'house/adder-1' },
    actor: 'r/house/adder-1',
    why: "'adder' went on as isAnswered held",
    done: ['decide 0', 'add 0', 'decide 1'],
  },
  {
    kind: 'an arrow that is taken',
    at: { kind: 'arrow', value: 'agent.running.ACT: answered.act #1 [isLastResult]' },
    actor: 'r/house/adder-1',
    why: "'adder' took agent.running.ACT: answered.act #1 [isLastResult]",
    done: ['decide 0', 'add 0'],
  },
  {
    kind: 'an actor that comes',
    at: { kind: 'actor', value: 'last' },
    actor: 'r/house/last-2',
    why: "'last' has come",
    done: ['decide 0', 'add 0', 'decide 1'],
  },
  {
    kind: 'a cost that is passed',
    at: { kind: 'cost', value: 1.5 },
    actor: 'r/house/last-2',
    why: 'the run has cost more than 1.5 US dollars',
    done: ['decide 0', 'add 0', 'decide 1'],
  },
  {
    kind: 'a number of tokens that is passed',
    at: { kind: 'tokens', value: 999_999 },
    actor: 'r/house/last-2',
    why: 'the run has used more than 999999 tokens',
    done: ['decide 0', 'add 0', 'decide 1'],
  },
];

describe.each(['live', 'stored'])('a breakpoint pauses a run before anything comes of it: %s', (how) => {
  test.each(rows)('at $kind', async ({ at, actor, why, done: expected }) => {
    const record = recorder();
    record.breakAt([at]);
    const { done, team } = house();
    const store = how === 'stored' ? new PlainStore() : undefined;
    const options: RunOptions = { inspect: record, runId: 'r', store, prices };
    const handle = team.stream('go', options);
    let isOver = false;
    void handle.result.finally(() => (isOver = true));
    await broken(record);
    await quiet();
    expect(breaksIn(record)[0]).toMatchObject({ actor, why, breakpoint: at });
    expect(done).toEqual(expected);
    expect(record.runs).toMatchObject([{ runId: 'r', agent: 'house', title: 'go', status: 'paused' }]);
    expect(isOver).toBe(false);
    record.breakAt([]);
    handle.resume();
    const { output, events } = await handle.result;
    expect(output).toBe('over');
    expect(record.runs).toMatchObject([{ status: 'completed' }]);
    if (store === undefined) return;
    const again = await replay(house().team, 'r', { store });
    expect(typesOf(again.events)).toEqual(typesOf(events));
    expect(JSON.stringify(again.events) === JSON.stringify(events)).toBe(true);
  });
});

describe('breakpoints', () => {
  test('of one run leave others alone, and are forgotten with it', async () => {
    const record = recorder();
    record.breakAt([{ kind: 'state', value: 'DECIDE' }], 'held');
    const free = await house().team.run('go', { inspect: record, runId: 'free' });
    expect(free.status).toBe('completed');
    const handle = house().team.stream('go', { inspect: record, runId: 'held' });
    await broken(record);
    handle.abort();
    await handle.result;
    expect((await house().team.run('go', { inspect: record, runId: 'held' })).status).toBe('completed');
    expect(breaksIn(record)).toHaveLength(1);
  });

  test('are met while a run is stepped, too', async () => {
    const record = recorder();
    const { done, team } = house();
    const handle = team.stream('go', { inspect: record, runId: 'r', paused: true });
    record.breakAt([{ kind: 'event', value: 'agent.decided', actor: 'adder' }]);
    await handle.step();
    expect(done).toEqual(['decide 0']);
    handle.abort();
  });

  test('are met when a state is left and entered again by one arrow', async () => {
    const record = recorder();
    record.breakAt([{ kind: 'state', value: 'DECIDE', actor: 'adder' }]);
    const { done, team } = house();
    const handle = team.stream('go', { inspect: record, runId: 'r' });
    for (const times of [1, 2]) {
      await broken(record, times);
      handle.resume();
    }
    await handle.result;
    expect(done).toEqual(['decide 0', 'add 0', 'decide 1', 'end']);
    expect(breaksIn(record)).toHaveLength(2);
  });

  test('do nothing to a run that is over, and gone through again', async () => {
    const store = new PlainStore();
    await house().team.run('go', { store, runId: 'r' });
    const record = recorder();
    record.breakAt([{ kind: 'state', value: 'DECIDE' }]);
    const { result } = await replay(house().team, 'r', { store, inspect: record });
    expect(result?.status).toBe('completed');
    expect(breaksIn(record)).toEqual([]);
  });

  test.each([
    {},
    { kind: 'state' },
    { kind: 'state', value: '' },
    { kind: 'cost', value: -1 },
    { kind: 'tokens', value: Number.NaN },
    { kind: 'code', run: 'process.exit()' },
    { kind: 'state', value: 'A', more: 1 },
  ])('are read strictly: %j', (given) => {
    expect(breakpointSchema.safeParse(given).success).toBe(false);
  });
});
