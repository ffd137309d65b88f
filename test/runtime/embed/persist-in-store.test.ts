import { assign, createActor, setup, toPromise, waitFor } from 'xstate';
import type { AnyActorLogic, AnyActorRef, Snapshot } from 'xstate';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { resume } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { LogicOptions } from '../../../src/runtime/embed/logic-options.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { quiet } from '../../support/runs.ts';

const CALL = calls({ name: 'water', input: {} });

/** A gardener who has to be allowed to water; each process makes one of its own. */
const gardener = (script: Parameters<typeof scriptedModel>[0]) =>
  agent({
    name: 'gardener',
    model: scriptedModel(script),
    tools: [
      tool({
        name: 'water',
        description: 'Waters.',
        safety: 'danger',
        input: z.object({}),
        execute: () => 'watered',
      }),
    ],
  });

/** What a process that has ended leaves. */
const written = (actor: AnyActorRef): Snapshot<unknown> =>
  JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;

/** Restored as XState does; its types want an input that nobody reads then. */
const restore = <Logic extends AnyActorLogic>(logic: Logic, snapshot: unknown) =>
  createActor(logic, { snapshot } as never);

const started = (options: LogicOptions) =>
  createActor(gardener([CALL]).logicWith(options), { input: 'go' }).start();
const asked = async (actor: ReturnType<typeof started>) =>
  waitFor(actor, (snapshot) => snapshot.can({ type: 'approve', callId: 'call_0_0' }));

/** Approves the call, and returns the outcome. */
const finish = async (actor: ReturnType<typeof started>) => {
  await asked(actor);
  actor.send({ type: 'approve', callId: 'call_0_0' });
  return toPromise(actor);
};

/** An app whose machine invokes a gardener, and can leave the state that does. */
const app = (script: Parameters<typeof scriptedModel>[0], options: LogicOptions) =>
  setup({
    types: {
      context: {} as { answer: string },
      children: {} as { gardener: 'gardener' },
      events: {} as { type: 'CANCEL' },
    },
    actors: { gardener: gardener(script).logicWith(options) },
  }).createMachine({
    context: { answer: '' },
    initial: 'tending',
    states: {
      tending: {
        on: { CANCEL: 'idle' },
        invoke: {
          id: 'gardener',
          src: 'gardener',
          input: 'go',
          onDone: { target: 'tended', actions: assign({ answer: ({ event }) => event.output.output ?? '' }) },
        },
      },
      idle: {},
      tended: { type: 'final' },
    },
  });
const invoked = (actor: { getSnapshot(): { readonly children: object } }) => {
  const { gardener: child } = actor.getSnapshot().children as { gardener?: ReturnType<typeof started> };
  if (child === undefined) throw new Error('nobody is tending');
  return child;
};

describe('a run in a store whose snapshot was persisted', () => {
  test('is suspended when its actor stops, so that the snapshot can be restored at once', async () => {
    const store = memoryStore();
    const actor = started({ store });
    await asked(actor);
    const snapshot = written(actor);
    actor.stop();
    const restored = restore(gardener(['done']).logicWith({ store }), snapshot).start();
    expect(await finish(restored)).toMatchObject({ status: 'completed', output: 'done' });
  });

  test('is suspended when the app stops whose machine invoked it', async () => {
    const store = memoryStore();
    const actor = createActor(app([CALL], { store })).start();
    await asked(invoked(actor));
    const snapshot = written(actor);
    actor.stop();
    const restored = createActor(app(['done'], { store }), { snapshot }).start();
    await finish(invoked(restored));
    expect((await waitFor(restored, ({ status }) => status === 'done')).context).toEqual({ answer: 'done' });
  });

  test('is suspended again by an actor that was restored and is not persisted again', async () => {
    const store = memoryStore();
    const actor = started({ store });
    await asked(actor);
    const snapshot = written(actor);
    actor.stop();
    const between = restore(gardener([]).logicWith({ store }), snapshot).start();
    await asked(between);
    between.stop();
    const restored = restore(gardener(['done']).logicWith({ store }), snapshot).start();
    expect(await finish(restored)).toMatchObject({ status: 'completed', output: 'done' });
  });

  test('is resumed, not started anew, where it was persisted before its store had it', async () => {
    for (const turns of [0, 1, 2, 5]) {
      const store = memoryStore();
      const actor = started({ store });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const snapshot = written(actor);
      await asked(actor);
      actor.stop();
      const restored = restore(gardener(['done']).logicWith({ store }), snapshot).start();
      expect(await finish(restored)).toMatchObject({ status: 'completed', output: 'done' });
    }
  });

  test('is started by the restored actor where it was stopped before its store had it', async () => {
    for (const turns of [0, 1, 2, 5, 20]) {
      const store = memoryStore();
      const actor = started({ store });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const snapshot = written(actor);
      actor.stop();
      const restored = restore(gardener([CALL, 'done']).logicWith({ store }), snapshot).start();
      expect(await finish(restored), `${turns} turns`).toMatchObject({ status: 'completed', output: 'done' });
    }
  });

  test("is aborted when the app's machine leaves the state that invoked it, or by onStop: 'abort'", async () => {
    const store = memoryStore();
    const actor = createActor(app([CALL], { store, runId: 'left' })).start();
    await asked(invoked(actor));
    written(actor);
    actor.send({ type: 'CANCEL' });
    const other = started({ store, runId: 'stopped', onStop: 'abort' });
    await asked(other);
    written(other);
    other.stop();
    await quiet();
    for (const runId of ['left', 'stopped']) {
      const handle = await resume(gardener([]), runId, { store });
      expect(await handle.result).toMatchObject({ status: 'aborted' });
    }
  });

  test('is aborted, as without a store, if no snapshot of it was persisted', async () => {
    const store = memoryStore();
    const actor = started({ store, runId: 'r1' });
    await asked(actor);
    actor.stop();
    await quiet();
    const handle = await resume(gardener([]), 'r1', { store });
    expect(await handle.result).toMatchObject({ status: 'aborted' });
  });
});
