import { createActor, setup, toPromise, waitFor } from 'xstate';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isTroupeError } from '../../../src/contracts/errors/error.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/index.ts';
import { supervisorWorker } from '../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { deferred, quiet, typesOf } from '../../support/runs.ts';
import { stopWithRehydration } from '../../support/stop-with-rehydration.ts';

const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);
beforeEach(() => {
  escaped.length = 0;
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterEach(() => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
  if (escaped.length > 0) throw new Error(`the process was hurt: ${escaped.map(String).join(', ')}`);
});

/** A clerk whose one tool waits for the test, and counts how often it is called. */
const clerk = (isIdempotent = true) => {
  const gate = deferred<string>();
  const made: string[] = [];
  const signals: AbortSignal[] = [];
  const fetch = tool({
    name: 'fetch',
    description: 'Fetches.',
    input: z.object({}),
    idempotent: isIdempotent,
    execute: async (_, { key, signal }) => {
      made.push(key);
      signals.push(signal);
      return gate.promise;
    },
  });
  const model = scriptedModel([calls({ name: 'fetch', input: {} }), 'done']);
  return { gate, made, signals, model, clerk: agent({ name: 'clerk', tools: [fetch], model }) };
};

const numbers = (events: readonly LiveEvent[]): readonly number[] =>
  events.flatMap((event) => ('seq' in event ? [event.seq] : []));

/** Tries until nobody has the run any more. */
const onceFree = async <T>(take: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await take();
    } catch (thrown) {
      if (!isTroupeError(thrown) || thrown.code !== 'journal.held') throw thrown;
      await quiet();
    }
};

describe('an actor that is stopped and started', () => {
  test('[FIND-07] at once, before it did anything, goes on as if nothing had been', async () => {
    const actor = createActor(agent({ name: 'ada', model: scriptedModel(['42']) }).logic, { input: 'go' });
    const events: LiveEvent[] = [];
    actor.start();
    stopWithRehydration(actor);
    actor.on('*', (event) => void events.push(event));
    actor.start();
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: '42' });
    expect(numbers(events)).toEqual(numbers(events).map((_, index) => index));
  });

  test('[FIND-07] in mid-run goes on, its tool called once, its events without a gap', async () => {
    const { clerk: one, gate, made } = clerk(false);
    const actor = createActor(one.logic, { input: 'go' });
    const events: LiveEvent[] = [];
    const heard = actor.on('*', (event) => void events.push(event));
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    // Only newer releases of XState forget listeners when they stop.
    heard.unsubscribe();
    stopWithRehydration(actor);
    actor.on('*', (event) => void events.push(event));
    actor.start();
    await quiet();
    gate.resolve('fetched');
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
    expect(made).toHaveLength(1);
    expect(numbers(events)).toEqual(numbers(events).map((_, index) => index));
    expect(typesOf(events)).not.toContain('run.paused');
  });

  test('is active as soon as it is started, so that who waits for its end does not find it stopped', async () => {
    const { clerk: one, gate } = clerk();
    const actor = createActor(one.logic, { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    actor.stop();
    expect(actor.getSnapshot().status).toBe('stopped');
    actor.start();
    gate.resolve('fetched');
    const ended = await waitFor(actor, ({ status }) => status !== 'active');
    expect(ended).toMatchObject({ status: 'done', output: { output: 'done' } });
  });

  test('[FIND-07] later, in mid-run, goes on from its records: a call that was cut is made again where that is safe', async () => {
    const { clerk: one, gate, made, signals, model } = clerk();
    const actor = createActor(one.logic, { input: 'go' });
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    stopWithRehydration(actor);
    await quiet();
    expect(signals[0]?.aborted).toBe(true);
    actor.start();
    await quiet();
    expect(actor.getSnapshot().value).toEqual({ running: 'ACT' });
    gate.resolve('fetched');
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
    expect(made).toHaveLength(2);
    expect(new Set(made).size).toBe(1);
    expect(model.requests).toHaveLength(2);
  });

  test('[FIND-07] by plain stop and start goes on, too', async () => {
    const { clerk: one, gate, made } = clerk();
    const actor = createActor(one.logic, { input: 'go' }).start();
    await quiet();
    actor.stop();
    await quiet();
    actor.start();
    gate.resolve('fetched');
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
    expect(made).toHaveLength(2);
  });

  test('[FIND-07] a paused run stays paused, and a run is not paused by a stop', async () => {
    const model = scriptedModel(['42']);
    const actor = createActor(agent({ name: 'ada', model }).logicWith({ paused: true }), { input: 'go' });
    actor.start();
    await quiet();
    expect(actor.getSnapshot().hasTag('paused')).toBe(true);
    stopWithRehydration(actor);
    actor.start();
    await quiet();
    expect(model.requests).toHaveLength(0);
    actor.send({ type: 'resume' });
    expect(await toPromise(actor)).toMatchObject({ output: '42' });
  });

  test('[FIND-07] a machine that invokes an agent at its start', async () => {
    const app = setup({
      actors: { ada: agent({ name: 'ada', model: scriptedModel(['42']) }).logic },
    }).createMachine({
      initial: 'asking',
      states: {
        asking: { invoke: { id: 'ada', src: 'ada', input: 'go', onDone: 'done' } },
        done: { type: 'final' },
      },
    });
    const actor = createActor(app);
    actor.start();
    stopWithRehydration(actor);
    actor.start();
    expect((await waitFor(actor, ({ status }) => status === 'done')).value).toBe('done');
  });

  test('[FIND-07] a team goes on with its members', async () => {
    const plan = JSON.stringify({
      assignments: [
        { worker: 'ann', task: 'x' },
        { worker: 'bob', task: 'y' },
      ],
    });
    const hold = deferred<string>();
    const worker = (name: string) => agent({ name, model: scriptedModel([() => hold.promise]) });
    const desk = supervisorWorker({
      name: 'desk',
      result: 'replies',
      supervisor: { model: scriptedModel([plan]) },
      workers: { ann: worker('ann'), bob: worker('bob') },
    });
    const actor = createActor(desk.logic, { input: 'go' });
    actor.start();
    await waitFor(actor, ({ children }) => Object.keys(children).length === 2);
    const { children } = actor.getSnapshot();
    stopWithRehydration(actor);
    actor.start();
    expect(actor.getSnapshot().children).toBe(children);
    hold.resolve('hello');
    expect(await toPromise(actor)).toMatchObject({
      output: [
        { member: 'ann', output: 'hello' },
        { member: 'bob', output: 'hello' },
      ],
    });
  });
});

describe('an actor that is stopped for good', () => {
  test('holds the run at once, and aborts it in a microtask', async () => {
    const { clerk: one, signals } = clerk();
    const ends: LiveEvent[] = [];
    const logic = one.logicWith({
      hooks: [{ name: 'witness', on: 'run.ended', handle: (event) => void ends.push(event) }],
    });
    const actor = createActor(logic, { input: 'go' }).start();
    await quiet();
    actor.stop();
    expect(signals[0]?.aborted).toBe(false);
    await quiet();
    expect(signals[0]?.aborted).toBe(true);
    expect(ends).toMatchObject([{ status: 'aborted' }]);
  });

  test("suspends a stored run by onStop: 'suspend', and whoever resumes it goes on", async () => {
    const store = memoryStore();
    const { clerk: one, gate, made } = clerk();
    const actor = createActor(one.logicWith({ store, runId: 'r1', onStop: 'suspend' }), {
      input: 'go',
    }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    actor.stop();
    // What is under way is waited for, and is on record.
    gate.resolve('fetched');
    const model = scriptedModel(['done']);
    const handle = await onceFree(() => resume(one, 'r1', { store, model }));
    expect(await handle.result).toMatchObject({ status: 'completed', output: 'done' });
    expect(made).toHaveLength(1);
    expect(model.requests[0]?.messages.at(-1)?.text).toBe('fetched');
  });

  test('[FIND-07] a stored one that is suspended and started again goes on by itself', async () => {
    const store = memoryStore();
    const { clerk: one, gate } = clerk();
    const actor = createActor(one.logicWith({ store, onStop: 'suspend' }), { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'DECIDE' }));
    stopWithRehydration(actor);
    await quiet();
    actor.start();
    gate.resolve('fetched');
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
  });

  test('there is nothing to suspend to without a store', () => {
    expect(() => clerk().clerk.logicWith({ onStop: 'suspend' })).toThrow(
      expect.objectContaining({ code: 'agent.invalid' }),
    );
  });
});
