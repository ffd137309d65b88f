import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createRun } from '../../src/runtime/run/create-run.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { parallel } from '../../src/patterns/parallel.ts';
import { startRun } from '../../src/runtime/run/start-run.ts';
import type { Watch } from '../../src/runtime/turn/watch.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { echo, settled } from '../support/runs.ts';

const member = (name: string) =>
  agent({
    name,
    tools: [echo],
    decide: ({ step }) => (step === 0 ? act({ name: 'echo', input: { text: 'x' } }) : answer(name)),
  });

const team = () => parallel({ name: 'desk', members: { ann: member('ann'), bob: member('bob') } });

/** A watch that writes down what it is called with. */
const noting = () => {
  const lines: string[] = [];
  const values: unknown[] = [];
  const watch: Watch = {
    started: (actor, { snapshot }) => {
      lines.push(`${actor.path} started`);
      values.push(snapshot?.value);
    },
    moved: (actor, { type }, { snapshot }) => {
      lines.push(`${actor.path} took ${type}`);
      values.push(snapshot?.value);
    },
    stopped: (actor) => {
      lines.push(`${actor.path} stopped`);
    },
  };
  return { lines, values, watch };
};

const definitionFor = (made: Agent<never, unknown, unknown>) => {
  const definition = definitionOf(made);
  if (definition === undefined) throw new Error('no definition');
  return definition;
};

test('a watch sees each actor start, move and stop, a parent before its child', async () => {
  const { lines, watch } = noting();
  const run = createRun(definitionFor(team()), {}, { isAttended: false, watch });
  run.begin('go', undefined);
  await run.result;
  const started = lines.filter((line) => line.endsWith(' started'));
  expect(started).toEqual([
    'desk started',
    expect.stringMatching(/^desk\/ann/),
    expect.stringMatching(/^desk\/bob/),
  ]);
  for (const line of started) {
    const path = line.replace(' started', '');
    const own = lines.filter((each) => each.startsWith(`${path} `));
    expect(own[0]).toBe(line);
    expect(own.at(-1)).toBe(`${path} stopped`);
    expect(own.filter((each) => each.endsWith(' stopped'))).toHaveLength(1);
    expect(own.some((each) => each.includes(' took answered.'))).toBe(true);
  }
});

test('a watch is called with the state that a machine has moved to, in a stored run as in one without a store', async () => {
  const without = noting();
  const stored = noting();
  const options = { runId: 'one' };
  await settled(startRun(definitionFor(team()), 'go', options, { isAttended: false, watch: without.watch }));
  const kept = { ...options, store: memoryStore() };
  await settled(startRun(definitionFor(team()), 'go', kept, { isAttended: false, watch: stored.watch }));
  expect(stored.lines).toEqual(without.lines);
  expect(stored.values).toEqual(without.values);
  expect(without.values.filter((value) => value === 'completed')).toHaveLength(3);
});
