import { distinctUntilChanged, from, map } from 'rxjs';
import {
  Actor,
  assign,
  createActor,
  sendTo,
  setup,
  spawnChild,
  toPromise,
  waitFor,
  type AnyActorRef,
  type InspectionEvent,
} from 'xstate';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { AgentCommand } from '../../../src/runtime/embed/agent-command.ts';
import { Cast } from '../../../src/runtime/embed/cast.ts';
import { eventsOf } from '../../../src/runtime/embed/events-of.ts';
import { parallel, supervisorWorker } from '../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { askPerson } from '../../../src/tools/built-in/ask-person.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { deferred, echo, never, quiet, typesOf } from '../../support/runs.ts';

const says = (name: string, ...script: Parameters<typeof scriptedModel>[0]) =>
  agent({ name, model: scriptedModel(script) });

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

const write = tool({
  name: 'write',
  description: 'Writes.',
  input: z.object({}),
  approval: true,
  execute: () => 'written',
});

describe('the actor of an agent', () => {
  test('[FIND-11] shows every state that its run rests in, from the first on', async () => {
    const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'done']);
    const actor = createActor(agent({ name: 'ada', tools: [echo], model }).logic, { input: 'go' });
    expect(actor.getSnapshot().value).toBe('preparing');
    const values: string[] = [];
    actor.subscribe(({ value }) => values.push(JSON.stringify(value)));
    actor.start();
    await toPromise(actor);
    const rests = values.filter((value, index) => value !== values[index - 1]);
    expect(rests).toEqual([
      '"preparing"',
      '{"running":"DECIDE"}',
      '{"running":"ACT"}',
      '{"running":"DECIDE"}',
      '"completed"',
    ]);
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', value: 'completed' });
  });

  test('[FIND-11] by waitFor, matches, from and hasTag, typed', async () => {
    const seen = agent({
      name: 'ada',
      state: { seen: 0 },
      reduce: ({ state }) => ({ seen: state.seen + 1 }),
      model: scriptedModel(['42']),
    });
    const actor = createActor(seen.logic, { input: 'go' });
    const streamed: string[] = [];
    const subscription = from(actor).subscribe((snapshot) => streamed.push(snapshot.status));
    const steps: number[] = [];
    const seenSoFar = from(actor).pipe(
      map(({ context }) => context.state.seen),
      distinctUntilChanged(),
    );
    seenSoFar.subscribe((count) => steps.push(count));
    actor.start();
    const deciding = await waitFor(actor, (snapshot) => snapshot.matches({ running: 'DECIDE' }));
    expect(deciding.hasTag('paused')).toBe(false);
    await toPromise(actor);
    subscription.unsubscribe();
    expect(streamed.at(-1)).toBe('done');
    expect(steps).toEqual([0, 1]);
  });

  // XState has it since 5.30, and troupe takes older ones.
  test.runIf('select' in createActor(agent({ name: 'ada' }).logic, { input: '' }))(
    '[FIND-11] by select: what is picked is followed as it changes, typed',
    async () => {
      const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'done']);
      const actor = createActor(agent({ name: 'ada', tools: [echo], model }).logic, { input: 'go' });
      const phase = actor.select(({ value }) => JSON.stringify(value));
      const steps = actor.select(({ context }) => context.step);
      const phases: string[] = [];
      const stepped: number[] = [];
      phase.subscribe((each) => phases.push(each));
      steps.subscribe((each) => stepped.push(each));
      expect([phase.get(), steps.get()]).toEqual(['"preparing"', 0]);
      actor.start();
      await toPromise(actor);
      const [decide, act] = ['{"running":"DECIDE"}', '{"running":"ACT"}'];
      expect(phases).toEqual([decide, act, decide, '"completed"']);
      expect(stepped).toEqual([1, 2]);
      expect([phase.get(), steps.get()]).toEqual(['"completed"', 2]);
    },
  );

  test('[FIND-10] emits every event and every delta, in order, to who listens after the start', async () => {
    const model = scriptedModel(['Hello there']);
    const actor = createActor(agent({ name: 'ada', model }).logic, { input: 'go' }).start();
    const events: LiveEvent[] = [];
    actor.on('*', (event) => void events.push(event));
    const deltas: string[] = [];
    actor.on('model.delta', ({ delta }) => void ('text' in delta && deltas.push(delta.text)));
    await toPromise(actor);
    const types = typesOf(events);
    expect(types.slice(0, 2)).toEqual(['run.started', 'phase.entered']);
    expect(types.at(-1)).toBe('run.ended');
    expect(deltas.join('')).toBe('Hello there');
    expect(types.indexOf('model.delta')).toBeGreaterThan(types.indexOf('model.asked'));
    expect(types.lastIndexOf('model.delta')).toBeLessThan(types.indexOf('model.answered'));
  });

  test('[FIND-10] a late subscriber has what it missed, from a number on', async () => {
    const actor = createActor(says('ada', '42').logic, { input: 'go' }).start();
    const early: LiveEvent[] = [];
    eventsOf(actor).subscribe((event) => early.push(event));
    await toPromise(actor);
    const late: LiveEvent[] = [];
    let isComplete = false;
    eventsOf(actor, { from: 3 }).subscribe({
      next: (event) => late.push(event),
      complete: () => (isComplete = true),
    });
    const durable = early.filter((event) => 'seq' in event);
    expect(durable[0]).toMatchObject({ type: 'run.started', seq: 0 });
    expect(late).toEqual(durable.slice(3));
    expect(isComplete).toBe(true);
    expect(() => eventsOf({ getSnapshot: () => ({}) })).toThrow(
      expect.objectContaining({ code: 'agent.invalid' }),
    );
  });

  test('[FIND-09] is told by logicWith what a run may be told', async () => {
    const store = memoryStore();
    const contexts: unknown[] = [];
    const clerk = agent({ name: 'clerk', decide: ({ context }) => (contexts.push(context), undefined) });
    const controller = new AbortController();
    const logic = clerk.logicWith({
      store,
      runId: 'r1',
      thread: 'ann',
      context: { tenant: 'acme' },
      model: scriptedModel(['from the options']),
      limits: { budget: { steps: 3 } },
      signal: controller.signal,
    });
    expect(await toPromise(createActor(logic, { input: 'go' }).start())).toMatchObject({
      output: 'from the options',
    });
    expect(contexts).toEqual([{ tenant: 'acme' }]);
    expect(await store.entry('r1')).toMatchObject({ status: 'completed', thread: 'ann' });
    const held = createActor(
      agent({ name: 'b', model: scriptedModel([() => never<string>()]) }).logicWith({
        signal: controller.signal,
      }),
      { input: 'go' },
    ).start();
    await quiet();
    controller.abort(new Error('enough'));
    expect(await toPromise(held)).toMatchObject({ status: 'aborted' });
  });

  test('a run that cannot begin is done, with an outcome that says why', async () => {
    const logic = says('ada', 'x').logicWith({ model: 'nobody:nothing' });
    const outcome = await toPromise(createActor(logic, { input: 'go' }).start());
    expect(outcome).toMatchObject({ status: 'failed', error: { message: expect.any(String) as unknown } });
  });
});

describe('an app', () => {
  test('has a thousand of them side by side', async () => {
    const researcher = agent({
      name: 'researcher',
      decide: ({ input }) => ({ kind: 'answer', answer: input }),
    });
    const app = setup({
      types: { context: {} as { done: number } },
      actors: { researcher: researcher.logic },
    }).createMachine({
      context: { done: 0 },
      entry: Array.from({ length: 1_000 }, (_, index) =>
        spawnChild('researcher', { id: `r${index}`, input: `question ${index}` }),
      ),
      on: { 'xstate.done.actor.*': { actions: assign({ done: ({ context }) => context.done + 1 }) } },
    });
    const actor = createActor(app).start();
    const { context } = await waitFor(actor, (snapshot) => snapshot.context.done === 1_000, {
      timeout: Infinity,
    });
    expect(context.done).toBe(1_000);
  });

  test('talks to it by sendTo, and sees its snapshots by onSnapshot', async () => {
    const model = scriptedModel([calls({ name: 'write', input: {} }), 'done']);
    const clerk = agent({ name: 'clerk', tools: [write], model });
    const app = setup({
      types: { context: {} as { seen: readonly string[]; answer: string } },
      actors: { clerk: clerk.logic },
    }).createMachine({
      context: { seen: [], answer: '' },
      initial: 'asking',
      states: {
        asking: {
          invoke: {
            id: 'clerk',
            src: 'clerk',
            input: 'go',
            onSnapshot: {
              actions: assign(({ context, event }) => ({
                seen: [...context.seen, JSON.stringify(event.snapshot.value)],
              })),
            },
            onDone: {
              target: 'done',
              actions: assign({ answer: ({ event }) => event.output.output ?? '' }),
            },
            onError: 'broken',
          },
          on: {
            YES: { actions: sendTo('clerk', { type: 'approve', callId: 'call_0_0' }) },
            SAY: { actions: sendTo('clerk', { type: 'send', message: 'hurry' }) },
          },
        },
        done: { type: 'final' },
        broken: { type: 'final' },
      },
    });
    const actor = createActor(app).start();
    await quiet();
    actor.send({ type: 'SAY' });
    actor.send({ type: 'YES' });
    const { value, context } = await waitFor(actor, ({ status }) => status === 'done');
    expect({ value, answer: context.answer }).toEqual({ value: 'done', answer: 'done' });
    expect(context.seen).toContain('{"running":"ACT"}');
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('hurry');
  });

  test('holds it, steps it, answers it, and knows by can what it can', async () => {
    const model = scriptedModel([
      calls({ name: 'write', input: {} }),
      calls({ name: 'ask_person', input: { question: 'Really?' } }),
      ({ messages }) => messages.at(-1)?.text ?? '',
    ]);
    const clerk = agent({ name: 'clerk', tools: [write, askPerson], model });
    const actor = createActor(clerk.logic, { input: 'go' });
    // Sent before it is there.
    actor.send({ type: 'pause' });
    actor.start();
    const paused = await waitFor(actor, (snapshot) => snapshot.hasTag('paused'));
    expect(paused.can({ type: 'pause' })).toBe(false);
    expect(paused.can({ type: 'resume' })).toBe(true);
    expect(model.requests).toHaveLength(0);
    actor.send({ type: 'step' });
    await quiet();
    expect(model.requests).toHaveLength(1);
    expect(actor.getSnapshot().hasTag('paused')).toBe(true);
    actor.send({ type: 'resume' });
    await waitFor(actor, (snapshot) => !snapshot.hasTag('paused'));
    const asking = await waitFor(actor, (snapshot) => snapshot.can({ type: 'approve', id: 'call_0_0' }));
    expect(asking.can({ type: 'answer', text: 'yes' })).toBe(false);
    expect(asking.can({ type: 'send', message: 'x' })).toBe(true);
    expect(asking.can({ type: 'dance' } as never)).toBe(false);
    actor.send({ type: 'deny', id: 'call_0_0', reason: 'not now' });
    const asked = await waitFor(actor, (snapshot) => snapshot.can({ type: 'answer', text: 'yes' }));
    expect(asked.can({ type: 'deny', callId: 'call_0_0' })).toBe(false);
    actor.send({ type: 'answer', text: 'yes, really' });
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'yes, really' });
    expect(actor.getSnapshot().can({ type: 'abort' })).toBe(false);
  });

  test('passes every command on to the child that it invokes: hold, step, go on, deny, answer, abort', async () => {
    const model = scriptedModel([
      calls({ name: 'write', input: {} }),
      calls({ name: 'ask_person', input: { question: 'Really?' } }),
      never,
    ]);
    const clerk = agent({ name: 'clerk', tools: [write, askPerson], model });
    const app = setup({
      types: {
        context: {} as { status: string },
        events: {} as { type: 'TELL'; command: AgentCommand },
      },
      actors: { clerk: clerk.logic },
    }).createMachine({
      context: { status: '' },
      initial: 'asking',
      states: {
        asking: {
          invoke: {
            id: 'clerk',
            src: 'clerk',
            input: 'go',
            onDone: {
              target: 'done',
              actions: assign({ status: ({ event }) => event.output.status }),
            },
          },
          on: { TELL: { actions: sendTo('clerk', ({ event }) => event.command) } },
        },
        done: { type: 'final' },
      },
    });
    const actor = createActor(app).start();
    const tell = (command: AgentCommand): void => {
      actor.send({ type: 'TELL', command });
    };
    const child = () => {
      const { clerk: found } = actor.getSnapshot().children;
      if (found === undefined) throw new Error('the clerk is not there');
      return found;
    };
    tell({ type: 'pause' });
    await waitFor(child(), (snapshot) => snapshot.hasTag('paused'));
    const before = model.requests.length;
    tell({ type: 'step' });
    await quiet();
    expect([before, model.requests.length]).toEqual([0, 1]);
    expect(child().getSnapshot().hasTag('paused')).toBe(true);
    tell({ type: 'resume' });
    await waitFor(child(), (snapshot) => snapshot.can({ type: 'deny', id: 'call_0_0' }));
    tell({ type: 'deny', id: 'call_0_0', reason: 'not now' });
    await waitFor(child(), (snapshot) => snapshot.can({ type: 'answer', text: 'yes' }));
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('not now');
    tell({ type: 'answer', text: 'yes, really' });
    await quiet();
    expect(model.requests[2]?.messages.at(-1)?.text).toBe('yes, really');
    tell({ type: 'abort', reason: 'enough' });
    const { context } = await waitFor(actor, ({ status }) => status === 'done');
    expect(context).toMatchObject({ status: 'aborted' });
  });

  test('steps it by one effect, or to its next CHECK_STOP', async () => {
    const done: string[] = [];
    const work = tool({
      name: 'work',
      description: 'Works.',
      input: z.object({ part: z.string() }),
      execute: ({ part }) => {
        done.push(part);
        return part;
      },
    });
    const model = scriptedModel([
      calls({ name: 'work', input: { part: 'a' } }),
      calls({ name: 'work', input: { part: 'b' } }),
      'done',
    ]);
    const actor = createActor(agent({ name: 'ada', tools: [work], model }).logic, { input: 'go' });
    actor.send({ type: 'pause' });
    actor.start();
    await quiet();
    const after = async (unit: 'effect' | 'step'): Promise<unknown> => {
      actor.send({ type: 'step', unit });
      await quiet();
      return [model.requests.length, ...done];
    };
    // The first effect is its preparation.
    expect(await after('effect')).toEqual([0]);
    expect(await after('effect')).toEqual([1]);
    expect(await after('effect')).toEqual([1, 'a']);
    expect(await after('step')).toEqual([2, 'a', 'b']);
    actor.send({ type: 'resume' });
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
  });

  test('that stops it in the midst of what it is shown is shown nothing more', async () => {
    const actor = createActor(says('ada', '42').logic, { input: 'go' });
    const seen: LiveEvent[] = [];
    actor.on('*', (event) => {
      seen.push(event);
      if (event.type === 'agent.decided') actor.stop();
    });
    actor.start();
    await quiet();
    expect(typesOf(seen).at(-1)).toBe('agent.decided');
  });
});

const crowdOf = (size: number, ...script: Parameters<typeof scriptedModel>[0]) =>
  parallel({
    name: 'crowd',
    concurrency: size,
    members: Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`m${index}`, says(`m${index}`, ...script)]),
    ),
  });

describe('the actor of a team', () => {
  const down = new TroupeError('model.unavailable', 'Cannot answer as it is down: 503', { retryable: 'yes' });
  const desk = (hold: Promise<string>) =>
    supervisorWorker({
      name: 'desk',
      result: 'replies',
      supervisor: {
        model: scriptedModel([
          JSON.stringify({
            assignments: [
              { worker: 'ann', task: 'x' },
              { worker: 'bob', task: 'y' },
            ],
          }),
        ]),
      },
      workers: {
        ann: says('ann', () => hold),
        bob: agent({
          name: 'bob',
          failures: { retry: { initialWaitMs: 60_000 } },
          model: scriptedModel([down, 'from bob']),
        }),
      },
    });

  test('[FIND-12] has its members as children, each with the team as its parent, and troubled calls below them', async () => {
    const hold = deferred<string>();
    const parents = new Map<string, string | undefined>();
    const wakes: (readonly [string, string | undefined])[] = [];
    const inspect = (event: InspectionEvent): void => {
      const { id, _parent: parent } = event.actorRef as AnyActorRef;
      if (event.type === '@xstate.actor') parents.set(id, parent?.id);
      if (event.type === '@xstate.event' && event.event.type.startsWith('xstate.'))
        wakes.push([`${event.event.type} to ${id}`, (event.sourceRef as AnyActorRef | undefined)?.id]);
    };
    const actor = createActor(desk(hold.promise).logic, { id: 'desk', input: 'go', inspect }).start();
    await waitFor(actor, (snapshot) => Object.keys(snapshot.children).length === 2);
    while (!parents.has('desk/bob-3/~model-0')) await quiet();
    const { children } = actor.getSnapshot();
    expect(Object.keys(children).toSorted()).toEqual(['desk/ann-2', 'desk/bob-3']);
    expect(Object.keys(children['desk/bob-3']?.getSnapshot().children ?? {})).toEqual([
      'desk/bob-3/~model-0',
    ]);
    expect(children['desk/ann-2']?.getSnapshot().matches({ running: 'DECIDE' })).toBe(true);
    expect(Object.fromEntries(parents)).toEqual({
      desk: undefined,
      'desk/supervisor-1': 'desk',
      'desk/ann-2': 'desk',
      'desk/bob-3': 'desk',
      'desk/bob-3/~model-0': 'desk/bob-3',
    });
    // One of them alone is stopped by a command of its own.
    children['desk/bob-3']?.send({ type: 'abort', reason: 'enough of bob' });
    await waitFor(actor, (snapshot) => Object.keys(snapshot.children).length === 1);
    hold.resolve('from ann');
    expect(await toPromise(actor)).toMatchObject({
      output: [{ member: 'ann', output: 'from ann' }, { member: 'bob' }],
    });
    expect(actor.getSnapshot().children).toEqual({});
    expect(wakes).toContainEqual(['xstate.init to desk/ann-2', 'desk']);
    expect(wakes).toContainEqual(['xstate.done.actor.desk/ann-2 to desk', 'desk/ann-2']);
  });

  test('[FIND-12] a member that is quickly done is seen from its first state to its last, below a team that is there', async () => {
    const quick = supervisorWorker({
      result: 'replies',
      name: 'desk',
      supervisor: {
        model: scriptedModel([JSON.stringify({ assignments: [{ worker: 'ann', task: 'x' }] })]),
      },
      workers: { ann: says('ann', 'from ann') },
    });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const rests: string[] = [];
    const actor = createActor(quick.logic, {
      input: 'go',
      inspect: (event) => {
        if (event.type === '@xstate.snapshot' && (event.actorRef as AnyActorRef).id === 'desk/ann-2')
          rests.push(JSON.stringify('value' in event.snapshot ? event.snapshot.value : null));
      },
    }).start();
    await toPromise(actor);
    expect(rests[0]).toBe('"preparing"');
    expect(rests.at(-1)).toBe('"completed"');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('a parent is updated once for all members that come or go in one flush', async () => {
    const hold = deferred<string>();
    const crowd = crowdOf(24, () => hold.promise);
    const counts: number[] = [];
    const actor = createActor(crowd.logic, { input: 'go' });
    actor.subscribe(({ children }) => counts.push(Object.keys(children).length));
    actor.start();
    await waitFor(actor, ({ children }) => Object.keys(children).length === 24);
    hold.resolve('done');
    await toPromise(actor);
    const changes = counts.filter((count, index) => count !== counts[index - 1]);
    // One by one would be 48. A busy loop spreads those that come, and those that go, over a few turns.
    expect(changes.length).toBeLessThan(12);
  });

  test('no actor of XState is made where nobody embeds or inspects', async () => {
    const started = vi.spyOn(Actor.prototype, 'start');
    const made = vi.spyOn(Cast.prototype, 'add');
    await crowdOf(3, 'done').run('go');
    expect([started.mock.calls.length, made.mock.calls.length]).toEqual([0, 0]);
    await toPromise(createActor(crowdOf(3, 'done').logic, { input: 'go' }).start());
    expect([started.mock.calls.length, made.mock.calls.length]).toEqual([4, 3]);
    vi.restoreAllMocks();
  });

  test('[FIND-12] a child that a tool runs is a child of the agent whose tool it is', async () => {
    const hold = deferred<string>();
    const helper = says('helper', () => hold.promise);
    const delegate = tool({
      name: 'delegate',
      description: 'Has it done.',
      input: z.object({}),
      execute: async (_, { run }) => (await run(helper, 'do it')).output ?? '',
    });
    const boss = agent({
      name: 'boss',
      tools: [delegate],
      model: scriptedModel([calls({ name: 'delegate', input: {} }), 'done']),
    });
    const actor = createActor(boss.logic, { input: 'go' }).start();
    const { children } = await waitFor(actor, (snapshot) => Object.keys(snapshot.children).length === 1);
    expect(Object.keys(children)).toEqual(['boss/helper-0']);
    hold.resolve('did it');
    await toPromise(actor);
    expect(actor.getSnapshot().children).toEqual({});
  });
});
