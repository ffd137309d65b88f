import type { AnyActorLogic, Snapshot } from 'xstate';
import { createActor, setup, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import { modelAnswer } from '../../../src/models/index.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ bill: z.number() }),
  idempotent: true,
  execute: ({ bill }) => `paid ${bill}`,
});

/** Pays two bills; what it says follows from the conversation alone, so that any process may continue it. */
const payer: Model = {
  provider: 'test',
  id: 'payer',
  answer: async ({ messages }) => {
    const paid = messages.filter(({ role }) => role === 'tool').length;
    return modelAnswer(
      paid < 2 ? { calls: [{ id: `c${paid}`, name: 'pay', input: { bill: paid } }] } : { text: 'All paid.' },
    );
  },
};

const clerk = (name: string) => agent({ name, model: payer, tools: [pay] });
const logics: Readonly<Record<string, (options: Pick<RunOptions, 'store'>) => AnyActorLogic>> = {
  'an agent': (options) => clerk('clerk').logicWith(options),
  'a team': (options) =>
    parallel({ name: 'desk', members: { ann: clerk('ann'), bob: clerk('bob') } }).logicWith(options),
};

/** An app that waits for the end of what it invokes. */
const appOf = (logic: AnyActorLogic): AnyActorLogic =>
  setup({ actors: { desk: logic } }).createMachine({
    initial: 'paying',
    states: {
      paying: { invoke: { id: 'desk', src: 'desk', input: 'go', onDone: 'paid' } },
      paid: { type: 'final' },
    },
  });

/** All that a run persists, in each callback by which its app may hear of it, up to its end. */
const persistedBy = async (machine: AnyActorLogic, input?: string): Promise<ReadonlySet<string>> => {
  const kept = new Set<string>();
  const actor = createActor(machine, { input });
  const keep = (): void => {
    kept.add(JSON.stringify(actor.getPersistedSnapshot()));
  };
  actor.subscribe(keep);
  actor.start();
  const desk = actor.getSnapshot().children['desk'] ?? actor;
  desk.on('*', keep);
  desk.subscribe(keep);
  await waitFor(actor, ({ status }) => status === 'done');
  return kept;
};

const endOf = async (machine: AnyActorLogic, snapshot: Snapshot<unknown>): Promise<unknown> => {
  const actor = createActor(machine, { snapshot, input: undefined }).start();
  const { value, output } = await waitFor(actor, ({ status }) => status === 'done');
  return [value, (output as { status?: unknown } | undefined)?.status];
};

test.each(Object.keys(logics).flatMap((name) => [false, true].map((isInApp) => [name, isInApp] as const)))(
  '[FIND-08] %s, persisted in any callback (in an app: %s), is restored to its end',
  async (name, isInApp) => {
    const machineOf = (): AnyActorLogic => {
      const logic = logics[name]?.({}) ?? clerk('clerk').logic;
      return isInApp ? appOf(logic) : logic;
    };
    const kept = [...(await persistedBy(machineOf(), isInApp ? undefined : 'go'))];
    expect(kept.length).toBeGreaterThan(20);
    const end = isInApp ? ['paid', undefined] : ['completed', 'completed'];
    for (const snapshot of kept)
      expect(await endOf(machineOf(), JSON.parse(snapshot) as Snapshot<unknown>), snapshot).toEqual(end);
  },
);

test('[FIND-08] one in a store, persisted in any callback, is restored to its end inside its app', async () => {
  const options = { store: memoryStore() };
  const machineOf = (): AnyActorLogic => appOf(clerk('clerk').logicWith(options));
  for (const snapshot of await persistedBy(machineOf()))
    expect(await endOf(machineOf(), JSON.parse(snapshot) as Snapshot<unknown>), snapshot).toEqual([
      'paid',
      undefined,
    ]);
});
