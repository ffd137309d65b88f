import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import type { Actor } from '../../src/runtime/actors/actor.ts';
import { startRun } from '../../src/runtime/run/start-run.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { askPerson } from '../../src/index.ts';
import { echo, settled, start } from '../support/runs.ts';

const ada = () =>
  agent({
    name: 'ada',
    tools: [echo],
    state: { count: 0 },
    reduce: ({ state }) => ({ count: state.count + 1 }),
    decide: ({ step }) => (step === 0 ? act({ name: 'echo', input: { text: 'x' } }) : answer('done')),
  });

const faithful = (): Promise<RunResult<unknown, unknown>> => settled(start(ada(), 'go'));

/** A run in which `change` is done to its actors before what they asked for is carried out. */
const changed = (change: (actor: Actor) => void): Promise<RunResult<unknown, unknown>> => {
  const definition = definitionOf(ada());
  if (definition === undefined) throw new Error('no definition');
  const nothing = (): void => undefined;
  const watch = { started: change, moved: nothing, stopped: nothing };
  return settled(startRun(definition, 'go', {}, { isAttended: true, random: () => 0.5, watch }));
};

test('runs that mean the same do not differ, whenever and under whatever id they ran', async () => {
  expect(compareRuns(await faithful(), await faithful())).toEqual([]);
  expect(compareRuns(await ada().run('go'), await ada().run('go', { store: memoryStore() }))).toEqual([]);
});

test('requests to people, whose ids are made of the run’s, do not differ, and another one more does', async () => {
  const asks = (times: number) =>
    agent({
      name: 'ada',
      tools: [askPerson],
      decide: ({ step }) =>
        step < times ? act({ name: 'ask_person', input: { question: `Which of ${step}?` } }) : answer('done'),
    });
  const person = { answer: () => 'This one.' };
  const [one, other] = [await asks(2).run('go', { person }), await asks(2).run('go', { person })];
  expect(compareRuns(one, other)).toEqual([]);
  expect(compareRuns(one, await asks(3).run('go', { person }))).not.toEqual([]);
});

test('news of observers are no difference: how soon one fails follows from the machine, not from the run', async () => {
  const failing = {
    name: 'fragile',
    handle: () => {
      throw new Error('nobody is there yet');
    },
  };
  const result = await settled(start(ada(), 'go', { hooks: [failing] }));
  expect(result.events.map(({ type }) => type)).toContain('observer.failed');
  expect(compareRuns(await faithful(), result)).toEqual([]);
});

test('a run in which one output is dropped is found out', async () => {
  let dropped = 0;
  const forgetful = changed((actor) => {
    const emit = actor.emit.bind(actor);
    actor.emit = (body, step, phase) => {
      if (body.type === 'agent.acted') dropped += 1;
      else emit(body, step, phase);
    };
  });
  const differences = compareRuns(await faithful(), await forgetful);
  expect(dropped).toBe(1);
  expect(differences.slice(0, 2)).toEqual([
    expect.stringMatching(/^events of ada\[\d+\].phase: "ACT" ≠ "REDUCE"/),
    expect.stringMatching(/^events of ada\[\d+\].type: "agent.acted" ≠ "phase.entered"/),
  ]);
});

test('a run in which one thing is asked twice is found out', async () => {
  const stuttering = changed((actor) => {
    const ask = actor.ask.bind(actor);
    actor.ask = (asks) => {
      ask(asks);
      if (asks[0]?.port === 'decide') ask(asks);
    };
  });
  const differences = compareRuns(await faithful(), await stuttering);
  expect(differences.some((line) => line.startsWith('effect <run>/ada#0.DECIDE.0.1[1]: nothing ≠'))).toBe(
    true,
  );
});

test('a reducer that is not pure is found out', async () => {
  let calls = 0;
  const impure = () =>
    agent({
      name: 'ada',
      state: { seen: 0 },
      reduce: () => ({ seen: (calls += 1) }),
      decide: () => answer('done'),
    });
  const first = await impure().run('go');
  const differences = compareRuns(first, await impure().run('go'));
  expect(differences).toEqual([
    expect.stringContaining('result.state.seen: 1 ≠ 2'),
    expect.stringContaining('diff.seen.after: 1 ≠ 2'),
  ]);
});

test('a machine that goes another way is found out, at the first step that differs', async () => {
  const definition = definitionOf(ada());
  if (definition === undefined) throw new Error('no definition');
  const hasty: AnyStateMachine = definition.machine.provide({ guards: { mustWait: () => true } });
  const differences = compareRuns(
    await faithful(),
    await settled(
      (() => {
        const handle = startRun<unknown, unknown>(
          { ...definition, machine: hasty },
          'go',
          {},
          { isAttended: true },
        );
        handle.events$.subscribe(({ type }) => {
          if (type === 'agent.waiting') handle.abort('it waits for ever');
        });
        return handle;
      })(),
    ),
  );
  expect(differences[0]).toBe('result.status: "completed" ≠ "aborted"');
  expect(differences.some((line) => line.includes('≠ "waiting"'))).toBe(true);
});
