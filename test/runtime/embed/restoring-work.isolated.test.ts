import { createActor } from 'xstate';
import type { Snapshot } from 'xstate';
import { z } from 'zod';
import { afterEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import { Redactor } from '../../../src/contracts/secrets/redactor.ts';
import { CompiledMachine } from '../../../src/machines/table/compiled-machine.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { definitionOf } from '../../../src/runtime/define/definition.ts';
import { eventsOf } from '../../../src/runtime/embed/events-of.ts';
import { resume } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { deferred, quiet } from '../../support/runs.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const step = tool({
  name: 'step',
  description: 'Takes a step.',
  input: z.object({ number: z.number() }),
  execute: ({ number }) => `at ${number}`,
});

/** An agent that takes so many steps and then waits for its model; whoever goes on with it waits for the model again. */
const walker = (steps: number, isFirst: boolean) => {
  const waiting = deferred<void>();
  const taken = Array.from({ length: steps }, (_, number) => calls({ name: 'step', input: { number } }));
  const wait = async () => {
    waiting.resolve();
    return new Promise<never>(() => undefined);
  };
  const model = scriptedModel([...(isFirst ? taken : []), wait]);
  const made = agent({
    name: 'walker',
    model,
    tools: [step],
    limits: { budget: { steps: steps + 10 }, loops: false },
  });
  return { made, model, waiting: waiting.promise };
};

/** What is counted while `work` is done. */
const counted = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const definition = definitionOf(walker(1, true).made);
  if (definition === undefined) throw new Error('it is an agent');
  const spies = {
    redacted: vi.spyOn(Redactor.prototype, 'value'),
    snapshots: vi.spyOn(definition.machine, 'resolveState'),
    written: vi.spyOn(JSON, 'stringify'),
    turns: vi.spyOn(CompiledMachine.prototype, 'next'),
  };
  await work();
  const counts = Object.fromEntries(
    Object.entries(spies).map(([name, spy]) => [name, spy.mock.calls.length]),
  );
  for (const spy of Object.values(spies)) spy.mockRestore();
  return counts;
};

const numbered = (events: readonly LiveEvent[]): readonly LiveEvent[] =>
  events.filter((event) => 'seq' in event);

const kept = async (steps: number, options: RunOptions = {}) => {
  const first = walker(steps, true);
  const actor = createActor(first.made.logicWith(options), { input: 'go' });
  const told: LiveEvent[] = [];
  actor.on('*', (event) => void told.push(event));
  actor.start();
  await first.waiting;
  await quiet();
  const text = JSON.stringify(actor.getPersistedSnapshot());
  actor.stop();
  await quiet();
  return { snapshot: JSON.parse(text) as Snapshot<unknown>, told: numbered(told) };
};

const restored = async (steps: number) => {
  const { snapshot, told } = await kept(steps);
  const second = walker(steps, false);
  const logic: Parameters<typeof createActor>[0] = second.made.logic;
  const actor = createActor(logic, { snapshot } as never);
  const counts = await counted(async () => {
    actor.start();
    await second.waiting;
    await quiet();
  });
  return { actor, counts, told, model: second.model };
};

test('[FIND-08] an actor that is restored makes one turn for each that was made, and nothing that nobody looks at', async () => {
  // Schemas are compiled once, by older versions of Zod with the help of `JSON.stringify`.
  (await restored(1)).actor.stop();
  const few = await restored(20);
  const many = await restored(120);
  expect(many.model.requests).toHaveLength(1);
  const { turns: fewTurns = 0, ...fewWork } = few.counts;
  const { turns: manyTurns = 0, ...manyWork } = many.counts;
  // Two answers a step: of the model, and of its tool.
  expect(manyTurns - fewTurns).toBe(2 * 100);
  // No event is built or redacted, no snapshot of XState's made, nothing written as text, however many steps there are.
  for (const count of [...Object.values(fewWork), ...Object.values(manyWork)]) expect(count).toBeLessThan(20);
  few.actor.stop();
  many.actor.stop();
});

test('[FIND-08] a snapshot grows by at most 1.3 kB a step: by what was answered, not by the events that follow from it', async () => {
  const sizeOf = async (steps: number): Promise<number> =>
    JSON.stringify((await kept(steps, { clock: virtualClock(Date.UTC(2026, 0)) })).snapshot).length;
  expect(((await sizeOf(120)) - (await sizeOf(20))) / 100).toBeLessThanOrEqual(1_300);
});

test('[FIND-08] whoever follows an actor that is restored is given the events that there were, the same', async () => {
  const { actor, told } = await restored(10);
  const events: LiveEvent[] = [];
  const subscription = eventsOf(actor).subscribe((event) => void events.push(event));
  await quiet();
  expect(told.length).toBeGreaterThan(100);
  expect(numbered(events).slice(0, told.length)).toEqual(told);
  subscription.unsubscribe();
  for (const odd of [Number.NaN, -3, 0.5]) {
    const late: LiveEvent[] = [];
    eventsOf(actor, { from: odd })
      .subscribe((event) => void late.push(event))
      .unsubscribe();
    expect(numbered(late).slice(0, 1)).toEqual(odd === 0.5 ? told.slice(1, 2) : told.slice(0, 1));
  }
  actor.stop();
});

test('a stored run that nobody follows is resumed without its events being built, redacted or written as text', async () => {
  const resumed = async (steps: number) => {
    const store = memoryStore();
    const taken = Array.from({ length: steps }, (_, number) => calls({ name: 'step', input: { number } }));
    const made = () =>
      agent({
        name: 'walker',
        model: scriptedModel([...taken, 'done']),
        tools: [step],
        limits: { budget: { steps: steps + 10 }, loops: false },
      });
    const first = await made().run('go', { store, runId: 'r' });
    let output: unknown;
    const counts = await counted(async () => {
      ({ output } = await (await resume(made(), 'r', { store })).result);
    });
    expect(output).toBe(first.output);
    return counts;
  };
  await resumed(1);
  const { turns: fewTurns = 0, ...few } = await resumed(20);
  const { turns: manyTurns = 0, ...many } = await resumed(120);
  expect(manyTurns - fewTurns).toBe(2 * 100);
  for (const count of [...Object.values(few), ...Object.values(many)]) expect(count).toBeLessThan(40);
});
