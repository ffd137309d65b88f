import { assign, createActor, setup, toPromise, waitFor } from 'xstate';
import type { AnyActorLogic, AnyActorRef, Snapshot } from 'xstate';
import { z } from 'zod';
import recorded from './recorded/snapshots-of-0.1.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import type { Outcome } from '../../../src/contracts/runs/outcome.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { deferred, never, quiet } from '../../support/runs.ts';

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

/** What a process that has ended leaves. */
const written = (actor: AnyActorRef): Snapshot<unknown> =>
  JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;

/** Restored as XState does; its types want an input that nobody reads then. */
const restore = <Logic extends AnyActorLogic>(logic: Logic, snapshot: unknown) =>
  createActor(logic, { snapshot } as never);

const numbers = (events: readonly LiveEvent[]): readonly number[] =>
  events.flatMap((event) => ('seq' in event ? [event.seq] : []));

/** A clerk of two steps, whose tool waits; each process makes one of its own. */
const clerk = (script: Parameters<typeof scriptedModel>[0], isIdempotent = true) => {
  const gate = deferred<string>();
  const made: string[] = [];
  const fetch = tool({
    name: 'fetch',
    description: 'Fetches.',
    input: z.object({}),
    idempotent: isIdempotent,
    execute: async (_, { key }) => {
      made.push(key);
      return gate.promise;
    },
  });
  const model = scriptedModel(script);
  return { gate, made, model, agent: agent({ name: 'clerk', tools: [fetch], model }) };
};

const CALL = calls({ name: 'fetch', input: {} });

/** A persisted snapshot, as far as it is damaged here. */
type Kept = Snapshot<unknown> & { readonly troupe: Readonly<Record<string, unknown>> };

/** Another value of the same type. */
const changed = (value: unknown): unknown =>
  typeof value === 'number'
    ? value + 1
    : typeof value === 'string'
      ? `${value}x`
      : { ...(value as object), more: 1 };

describe('an actor that is restored', () => {
  test('[FIND-08] in mid-run goes on: what was answered is used again, what was not is asked for again', async () => {
    const first = clerk([CALL, 'unheard']);
    const actor = createActor(first.agent.logic, { input: 'go' });
    const told: LiveEvent[] = [];
    actor.on('*', (event) => void told.push(event));
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    const snapshot = written(actor);
    const events = numbers(told);
    actor.stop();

    const second = clerk(['done']);
    const restored = restore(second.agent.logic, snapshot);
    expect(restored.getSnapshot().value).toEqual({ running: 'ACT' });
    expect(restored.getSnapshot().context.step).toBe(0);
    const rest: LiveEvent[] = [];
    restored.on('*', (event) => void rest.push(event));
    restored.start();
    second.gate.resolve('fetched');
    expect(await toPromise(restored)).toMatchObject({ status: 'completed', output: 'done' });
    expect(second.made).toEqual(first.made);
    expect(second.model.requests).toHaveLength(1);
    const all = [...events, ...numbers(rest)];
    expect(all).toEqual(all.map((_, index) => index));
  });

  test('[FIND-08] goes on inside an app that invoked it', async () => {
    const app = ({ agent: one }: ReturnType<typeof clerk>) =>
      setup({
        types: { context: {} as { answer: string } },
        actors: { clerk: one.logic },
      }).createMachine({
        context: { answer: '' },
        initial: 'asking',
        states: {
          asking: {
            invoke: {
              id: 'clerk',
              src: 'clerk',
              input: 'go',
              onDone: {
                target: 'done',
                actions: assign({ answer: ({ event }) => event.output.output ?? '' }),
              },
            },
          },
          done: { type: 'final' },
        },
      });
    const first = clerk([CALL, 'unheard']);
    const actor = createActor(app(first)).start();
    await quiet();
    expect(first.made).toHaveLength(1);
    const snapshot = written(actor);
    actor.stop();
    const second = clerk(['done']);
    second.gate.resolve('fetched');
    const restored = createActor(app(second), { snapshot }).start();
    const { value, context } = await waitFor(restored, ({ status }) => status === 'done');
    expect({ value, context }).toEqual({ value: 'done', context: { answer: 'done' } });
    expect(second.model.requests).toHaveLength(1);
  });

  test('[FIND-08] a call that must not be made twice, and may have been made, waits for a decision', async () => {
    const first = clerk([CALL], false);
    const actor = createActor(first.agent.logic, { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    const snapshot = written(actor);
    actor.stop();
    const second = clerk(['done'], false);
    const restored = restore(second.agent.logic, snapshot).start();
    await waitFor(restored, (shown) => shown.can({ type: 'deny', callId: 'call_0_0' }));
    expect(second.made).toEqual([]);
    restored.send({ type: 'deny', callId: 'call_0_0' });
    expect(await toPromise(restored)).toMatchObject({ status: 'completed', output: 'done' });
    expect(second.made).toEqual([]);
  });

  test('[FIND-08] a team goes on with its members, which are there at once', async () => {
    const plan = JSON.stringify({
      assignments: [
        { worker: 'ann', task: 'x' },
        { worker: 'bob', task: 'y' },
      ],
    });
    const team = (hold: Promise<string>) =>
      supervisorWorker({
        name: 'desk',
        result: 'replies',
        supervisor: { model: scriptedModel([plan]) },
        workers: {
          ann: agent({ name: 'ann', model: scriptedModel(['from ann']) }),
          bob: agent({ name: 'bob', model: scriptedModel([() => hold]) }),
        },
      });
    const actor = createActor(team(never<string>()).logic, { input: 'go' }).start();
    await waitFor(actor, ({ children }) => Object.keys(children).length > 0);
    await quiet();
    const snapshot = written(actor);
    actor.stop();
    const hold = deferred<string>();
    const restored = restore(team(hold.promise).logic, snapshot);
    const { children } = restored.getSnapshot();
    expect(Object.keys(children)).toEqual(['desk/bob-3']);
    expect(children['desk/bob-3']?.getSnapshot().value).toEqual({ running: 'DECIDE' });
    restored.start();
    await quiet();
    expect(restored.getSnapshot().children['desk/bob-3']).toBe(children['desk/bob-3']);
    hold.resolve('from bob');
    expect(await toPromise(restored)).toMatchObject({
      output: [
        { member: 'ann', output: 'from ann' },
        { member: 'bob', output: 'from bob' },
      ],
    });
    expect(restored.getSnapshot().children).toEqual({});
  });

  test('[FIND-08] before it began begins; once it is over it is over; twice it is two', async () => {
    const fresh = createActor(clerk([]).agent.logic, { input: 'go' });
    const begins = restore(clerk(['anew']).agent.logic, written(fresh)).start();
    expect(await toPromise(begins)).toMatchObject({ output: 'anew' });
    const over = restore(clerk([]).agent.logic, written(begins));
    expect(over.getSnapshot()).toMatchObject({
      status: 'done',
      value: 'completed',
      output: { output: 'anew' },
    });
    expect(await toPromise(over.start())).toMatchObject({ output: 'anew' });

    const actor = createActor(clerk([CALL]).agent.logic, { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    const snapshot = written(actor);
    const outcomes = await Promise.all(
      ['left', 'right'].map((answer) => {
        const one = clerk([answer]);
        one.gate.resolve('fetched');
        return toPromise(restore(one.agent.logic, snapshot).start());
      }),
    );
    expect(outcomes).toMatchObject([{ output: 'left' }, { output: 'right' }]);
    actor.stop();
  });

  test('[FIND-08] is persisted again in mid-run, and restored again', async () => {
    const script = [CALL, CALL, CALL, 'done'];
    let snapshot: Snapshot<unknown> | undefined;
    for (let step = 0; step < script.length; step += 1) {
      const one = clerk(script.slice(step));
      one.gate.resolve('fetched');
      const logic = one.agent.logicWith({ paused: true });
      const actor = (
        snapshot === undefined ? createActor(logic, { input: 'go' }) : restore(logic, snapshot)
      ).start();
      while (actor.getSnapshot().context.step <= step && actor.getSnapshot().status === 'active') {
        actor.send({ type: 'step' });
        await quiet();
      }
      expect(one.model.requests).toHaveLength(1);
      snapshot = written(actor);
      actor.stop();
    }
    expect(snapshot).toMatchObject({
      status: 'done',
      output: { status: 'completed', output: 'done', steps: 4 },
    });
  });

  test('[FIND-08] where there is a store, from its address in it', async () => {
    const store = memoryStore();
    const first = clerk([CALL]);
    const logic = first.agent.logicWith({ store, onStop: 'suspend' });
    const actor = createActor(logic, { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    const snapshot = written(actor);
    expect(snapshot).toMatchObject({ troupe: { isStored: true } });
    expect(JSON.stringify(snapshot)).not.toContain('arrived');
    first.gate.resolve('fetched');
    actor.stop();
    await quiet();
    const second = clerk(['done']);
    const restored = restore(second.agent.logicWith({ store }), snapshot).start();
    expect(await toPromise(restored)).toMatchObject({ status: 'completed', output: 'done' });
    expect(second.made).toEqual([]);
    const elsewhere = restore(clerk([]).agent.logic, snapshot).start();
    expect(await toPromise(elsewhere)).toMatchObject({ error: { code: 'journal.unknown' } });
  });

  test('keeps secrets by their names', async () => {
    const secrets = { SHOP_KEY: 'sesame-open-1234' };
    const one = clerk([calls({ name: 'fetch', input: { key: secrets.SHOP_KEY } }), 'done']);
    const actor = createActor(one.agent.logicWith({ secrets }), {
      input: `Use ${secrets.SHOP_KEY}.`,
    }).start();
    await quiet();
    const snapshot = written(actor);
    actor.stop();
    expect(JSON.stringify(snapshot)).not.toContain(secrets.SHOP_KEY);
    const two = clerk(['done']);
    two.gate.resolve('fetched');
    const restored = restore(two.agent.logicWith({ secrets }), snapshot).start();
    expect(await toPromise(restored)).toMatchObject({ status: 'completed' });
    expect(two.model.requests[0]?.messages[0]?.text).toContain(secrets.SHOP_KEY);
    const without = restore(clerk([]).agent.logic, snapshot).start();
    expect(await toPromise(without)).toMatchObject({ error: { code: 'secret.missing' } });
  });
});

describe('a snapshot that cannot be restored', () => {
  const failed = async (
    logic: ReturnType<typeof clerk>['agent']['logic'],
    snapshot: unknown,
  ): Promise<Outcome> => toPromise(restore(logic, snapshot as Snapshot<unknown>).start());

  test('[FIND-61] of 0.1, of another agent, of another version or damaged is a named error', async () => {
    const one = clerk([CALL]);
    const actor = createActor(one.agent.logic, { input: 'go' }).start();
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    const snapshot = written(actor) as Snapshot<unknown> & { troupe: { records: { kind: string }[] } };
    actor.stop();
    const { troupe, ...old } = snapshot;
    const { logic } = clerk([]).agent;
    expect(await failed(logic, old)).toMatchObject({
      status: 'failed',
      error: { code: 'journal.version', message: expect.stringContaining('0.1') as unknown },
    });
    expect(await failed(agent({ name: 'other' }).logic, snapshot)).toMatchObject({
      error: { code: 'journal.diverged', message: expect.stringContaining("'clerk'") as unknown },
    });
    expect(await failed(logic, { ...snapshot, troupe: { ...troupe, v: 1 } })).toMatchObject({
      error: { code: 'journal.version' },
    });
    for (const records of [
      troupe.records.slice(1),
      troupe.records.slice(0, -1),
      [...troupe.records].reverse(),
    ])
      expect(await failed(logic, { ...snapshot, troupe: { ...troupe, records } })).toMatchObject({
        error: { code: 'journal.corrupt' },
      });
    for (const nonsense of [
      {},
      { status: 'active' },
      { ...snapshot, troupe: 5 },
      { ...snapshot, troupe: {} },
    ])
      expect(await failed(logic, nonsense)).toMatchObject({
        status: 'failed',
        error: { code: 'journal.corrupt' },
      });
    // A database may put names in another order.
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, each]) => [name, turned(each)]),
            )
          : value;
    const other = clerk(['done']);
    other.gate.resolve('fetched');
    expect(await failed(other.agent.logic, turned(snapshot))).toMatchObject({ status: 'completed' });
  });

  test('with any value around its records changed is refused, and never another run', async () => {
    const one = clerk([CALL]);
    const before = createActor(one.agent.logic, { input: 'go' });
    const actor = createActor(one.agent.logic, { input: 'go' }).start();
    const early = written(before);
    await waitFor(actor, (snapshot) => snapshot.matches({ running: 'ACT' }));
    await quiet();
    const underWay = written(actor);
    one.gate.resolve('fetched');
    await toPromise(actor);
    for (const snapshot of [early, underWay, written(actor)] as Kept[])
      for (const [name, value] of [
        ...Object.entries(snapshot.troupe).filter(([key]) => key !== 'records' && key !== 'v'),
        ...Object.entries(snapshot).filter(([key]) => key === 'output' || key === 'status'),
      ]) {
        const change = { [name]: changed(value) };
        const damaged =
          name in snapshot.troupe
            ? { ...snapshot, troupe: { ...snapshot.troupe, ...change } }
            : { ...snapshot, ...change };
        expect(await failed(clerk([]).agent.logic, damaged), name).toMatchObject({
          status: 'failed',
          error: { code: 'journal.corrupt' },
        });
      }
  });

  test('shows that it has failed, not a state that it never was in', async () => {
    const { logic } = clerk([]).agent;
    for (const snapshot of [
      { status: 'active', value: 'nowhere', context: {} },
      { status: 'active', value: { running: 'ACT' }, context: {}, troupe: 'damaged' },
    ]) {
      const actor = restore(logic, snapshot as unknown as Snapshot<unknown>).start();
      await toPromise(actor);
      const { status, value, output } = actor.getSnapshot();
      expect({ status, value, output }).toMatchObject({
        status: 'done',
        value: 'failed',
        output: { status: 'failed', error: { code: expect.stringMatching(/^journal\./) as unknown } },
      });
    }
  });

  test('[FIND-61] does not take the app down that holds it', async () => {
    const app = setup({ actors: { clerk: clerk([]).agent.logic } }).createMachine({
      initial: 'asking',
      states: {
        asking: { invoke: { id: 'clerk', src: 'clerk', input: 'go', onDone: 'done', onError: 'broken' } },
        done: { type: 'final' },
        broken: { type: 'final' },
      },
    });
    const actor = createActor(app).start();
    const snapshot = written(actor) as Snapshot<unknown> & { children: Record<string, { snapshot: object }> };
    actor.stop();
    Reflect.deleteProperty(snapshot.children['clerk']?.snapshot ?? {}, 'troupe');
    const restored = createActor(app, { snapshot }).start();
    expect((await waitFor(restored, ({ status }) => status === 'done')).value).toBe('done');
  });

  test('[FIND-61] recorded by 0.1, alone or inside of an app, fails that actor with a named error, and the app goes on', async () => {
    const { logic } = agent({ name: 'researcher' });
    const named = {
      status: 'failed',
      error: { code: 'journal.version', message: expect.stringContaining('0.1') as unknown },
    };
    expect(await failed(logic, recorded.alone)).toMatchObject(named);
    const outcomes: unknown[] = [];
    const app = setup({ actors: { researcher: logic } }).createMachine({
      id: 'app',
      initial: 'on',
      states: {
        on: {
          invoke: {
            id: 'researcher',
            src: 'researcher',
            input: 'go',
            onDone: { target: 'off', actions: ({ event }) => void outcomes.push(event.output) },
          },
        },
        off: { type: 'final' },
      },
    });
    await toPromise(restore(app, recorded.app).start());
    expect(outcomes).toMatchObject([named]);
  });
});
