import { assign, createActor, setup, toPromise, waitFor } from 'xstate';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { AgentLogic } from '../../src/runtime/embed/agent-types.ts';
import type { LogicChart } from '../../src/runtime/embed/agent-types.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred, echo, never, quiet, typesOf } from '../support/runs.ts';

const says = (name: string, ...script: Parameters<typeof scriptedModel>[0]) =>
  agent({ name, model: scriptedModel(script) });

/** An app of somebody else's, that asks a researcher and goes by what it said. */
const appWith = <Chart extends LogicChart>(researcher: {
  readonly logic: AgentLogic<string, string, Chart>;
}) =>
  setup({
    types: { context: {} as { answer: string } },
    actors: { researcher: researcher.logic },
  }).createMachine({
    id: 'app',
    context: { answer: '' },
    initial: 'asking',
    states: {
      asking: {
        on: { CANCEL: 'cancelled' },
        invoke: {
          id: 'researcher',
          src: 'researcher',
          input: 'What is a statechart?',
          onDone: {
            target: 'done',
            actions: assign({ answer: ({ event }) => event.output.output ?? event.output.stopReason.kind }),
          },
          onError: 'broken',
        },
      },
      cancelled: {},
      done: { type: 'final' },
      broken: { type: 'final' },
    },
  });

const outputOf = (outcome: unknown): unknown =>
  typeof outcome === 'object' && outcome !== null && 'output' in outcome ? outcome.output : undefined;

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

describe('an agent in an app of somebody else', () => {
  test('by itself: createActor, its answer, its events, from the first to the last', async () => {
    const actor = createActor(says('ada', '42').logic, { input: 'go' });
    const events: RuntimeEvent[] = [];
    // Deltas are emitted, too, and have no number.
    actor.on('*', (event) => void ('seq' in event && events.push(event)));
    const decided: string[] = [];
    actor.on('agent.decided', ({ decision }) => decided.push(decision.kind));
    actor.start();
    const outcome = await toPromise(actor);
    await quiet();
    expect(outcome).toMatchObject({ status: 'completed', output: '42' });
    expect(decided).toEqual(['answer']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(typesOf(events).at(0)).toBe('run.started');
    expect(typesOf(events).at(-1)).toBe('run.ended');
  });

  test('invoked: the app goes on with its output', async () => {
    const app = createActor(appWith(says('researcher', 'A diagram.'))).start();
    const { value, context } = await waitFor(app, ({ status }) => status === 'done');
    expect({ value, context }).toEqual({ value: 'done', context: { answer: 'A diagram.' } });
  });

  test('one that fails arrives as data in onDone, and takes nobody down', async () => {
    const app = createActor(appWith(says('researcher', new Error('dead')))).start();
    const { value, context } = await waitFor(app, ({ status }) => status === 'done');
    expect({ value, context }).toEqual({ value: 'done', context: { answer: 'failed' } });
  });

  test('spawned: several side by side, each a run of its own', async () => {
    const researcher = agent({ name: 'researcher', model: scriptedModel(['1', '2', '3']) });
    const app = setup({
      types: { context: {} as { answers: readonly string[] } },
      actors: { researcher: researcher.logic },
    }).createMachine({
      context: ({ spawn }) => {
        for (const id of ['a', 'b', 'c']) spawn('researcher', { id, input: 'go' });
        return { answers: [] };
      },
      on: {
        'xstate.done.actor.*': {
          actions: assign({
            answers: ({ context, event }) => [...context.answers, String(outputOf(event['output']))],
          }),
        },
      },
    });
    const actor = createActor(app).start();
    const { context } = await waitFor(actor, (snapshot) => snapshot.context.answers.length === 3);
    expect(context.answers.toSorted()).toEqual(['1', '2', '3']);
  });

  test('two agents and a team in one system do not meet', async () => {
    const plan = JSON.stringify({ assignments: [{ worker: 'ann', task: 'x' }] });
    const desk = supervisorWorker({
      name: 'desk',
      result: 'replies',
      supervisor: { model: scriptedModel([plan]) },
      workers: { ann: says('ann', 'from ann') },
    });
    const app = setup({
      actors: { one: says('one', '1').logic, two: says('two', '2').logic, desk: desk.logic },
    }).createMachine({
      type: 'parallel',
      states: {
        one: {
          initial: 'on',
          states: { on: { invoke: { src: 'one', input: 'go', onDone: 'off' } }, off: { type: 'final' } },
        },
        two: {
          initial: 'on',
          states: { on: { invoke: { src: 'two', input: 'go', onDone: 'off' } }, off: { type: 'final' } },
        },
        desk: {
          initial: 'on',
          states: { on: { invoke: { src: 'desk', input: 'go', onDone: 'off' } }, off: { type: 'final' } },
        },
      },
    });
    const done: unknown[] = [];
    const actor = createActor(app, {
      inspect: (event) => {
        if (
          event.type === '@xstate.event' &&
          event.event.type.startsWith('xstate.done.actor.') &&
          event.actorRef === actor
        )
          done.push('output' in event.event ? event.event['output'] : undefined);
      },
    });
    actor.start();
    await waitFor(actor, ({ status }) => status === 'done');
    expect(done).toMatchObject([
      { status: 'completed', output: '1' },
      { status: 'completed', output: '2' },
      { status: 'completed', output: [{ member: 'ann', output: 'from ann' }] },
    ]);
  });

  test('leaving the state that invoked it aborts the run, its effects and its members', async () => {
    let reason: unknown;
    const stuck = tool({
      name: 'stuck',
      description: 'Does not come back.',
      input: z.object({}),
      execute: (_, { signal }) => {
        signal.addEventListener('abort', () => (reason = signal.reason));
        return never<string>();
      },
    });
    const plan = JSON.stringify({ assignments: [{ worker: 'ann', task: 'x' }], answer: null });
    const events: LiveEvent[] = [];
    const desk = supervisorWorker({
      name: 'desk',
      hooks: [{ name: 'witness', handle: (event) => void events.push(event) }],
      supervisor: { model: scriptedModel([plan]) },
      workers: {
        ann: agent({
          name: 'ann',
          tools: [stuck],
          model: scriptedModel([calls({ name: 'stuck', input: {} })]),
        }),
      },
    });
    const app = createActor(appWith(desk)).start();
    await quiet();
    expect(typesOf(events)).toContain('tool.started');
    app.send({ type: 'CANCEL' });
    await quiet();
    expect(reason).toMatchObject({ code: 'run.aborted' });
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'aborted' });
    expect(events.filter(({ type }) => type === 'member.ended').at(-1)).toMatchObject({ status: 'aborted' });
    expect(app.getSnapshot().value).toBe('cancelled');
  });

  test('stopping the whole app aborts the run', async () => {
    const ends: LiveEvent[] = [];
    const researcher = agent({
      name: 'researcher',
      model: scriptedModel([() => never<string>()]),
      hooks: [{ name: 'witness', on: 'run.ended', handle: (event) => void ends.push(event) }],
    });
    const app = createActor(appWith(researcher)).start();
    await quiet();
    app.stop();
    await quiet();
    expect(ends).toMatchObject([{ status: 'aborted' }]);
  });

  test('the app talks to it with commands: messages, approvals, pauses, an abort', async () => {
    const write = tool({
      name: 'write',
      description: 'Writes.',
      input: z.object({}),
      approval: true,
      execute: () => 'written',
    });
    const model = scriptedModel([calls({ name: 'write', input: {} }, { name: 'write', input: {} }), 'done']);
    const actor = createActor(agent({ name: 'a', tools: [write], model }).logic, { input: 'go' });
    const events: RuntimeEvent[] = [];
    // Deltas are emitted, too, and have no number.
    actor.on('*', (event) => void ('seq' in event && events.push(event)));
    actor.start();
    await quiet();
    actor.send({ type: 'message', message: 'hurry' });
    actor.send({ type: 'approve', callId: 'call_0_0' });
    actor.send({ type: 'deny', callId: 'call_0_1', reason: 'once is enough' });
    actor.send({ type: 'pause' });
    await quiet();
    expect(model.requests).toHaveLength(1);
    actor.send({ type: 'resume' });
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'done' });
    expect(model.requests[1]?.messages.map(({ text }) => text).slice(-3)).toEqual([
      'written',
      expect.stringContaining('once is enough'),
      'hurry',
    ]);
    const waiting = createActor(says('b', () => never<string>()).logic, { input: 'go' }).start();
    await quiet();
    waiting.send({ type: 'abort', reason: 'enough' });
    expect(await toPromise(waiting)).toMatchObject({ stopReason: { kind: 'aborted', reason: 'enough' } });
  });

  test('an answer that an app makes up is not taken for one', async () => {
    const answered = deferred<string>();
    const model = scriptedModel([() => answered.promise]);
    const actor = createActor(agent({ name: 'a', model }).logic, { input: 'go' });
    actor.start();
    await quiet();
    const forged = { kind: 'decided', decision: { kind: 'answer', answer: 'forged' } };
    // The type forbids it, so what is sent has to lie.
    for (const type of ['answered.decide', 'failed.decide', 'message', 'approve', 'constructor'])
      actor.send({ type, at: 0, index: 0, output: forged } as never);
    answered.resolve('the true one');
    expect(await toPromise(actor)).toMatchObject({ output: 'the true one' });
  });

  test('the context is plain JSON at every snapshot', async () => {
    const contexts: unknown[] = [];
    const flaky = tool({
      name: 'flaky',
      description: 'Fails once.',
      input: z.object({}),
      execute: (_, { attempt }) => {
        if (attempt === 1) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
        return { when: new Date(0) };
      },
    });
    const model = scriptedModel([
      calls({ name: 'flaky', input: {} }, { name: 'echo', input: { text: 'x' } }),
      'no',
      '{"n":1}',
    ]);
    const actor = createActor(
      agent({
        name: 'a',
        tools: [flaky, echo],
        model,
        output: z.object({ n: z.number() }),
        observe: () => ({ seen: new Date(0) }) as never,
        critics: [{ name: 'c', critique: () => ({ verdict: 'accept' }) }],
      }).logic,
      {
        input: 'go',
        inspect: (event) => {
          if (event.type === '@xstate.snapshot' && 'context' in event.snapshot)
            contexts.push(event.snapshot.context);
        },
      },
    );
    actor.start();
    expect(await toPromise(actor)).toMatchObject({ output: { n: 1 } });
    expect(contexts.length).toBeGreaterThan(10);
    for (const context of contexts) expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  });

  test('a machine that throws before its first state is an end with an error', async () => {
    const { machine, input } = await import('./throwing-machine.ts');
    const { team } = await import('../../src/runtime/define/team.ts');
    const odd = team<string, string>({
      name: 'odd',
      machine,
      members: { ada: says('ada', 'x') },
      options: input,
    });
    const outer = setup({ actors: { odd: odd.logic } }).createMachine({
      initial: 'on',
      states: {
        on: { invoke: { src: 'odd', input: 'go', onDone: 'done', onError: 'broken' } },
        done: { type: 'final' },
        broken: { type: 'final' },
      },
    });
    const app = createActor(outer).start();
    expect((await waitFor(app, ({ status }) => status === 'done')).value).toBe('done');
    await expect(odd.run('go')).rejects.toMatchObject({ code: 'machine.threw' });
  });

  test('what an app sends that is no command changes nothing, in the agent or in the app', async () => {
    const waiter = agent({
      name: 'waiter',
      decide: ({ transcript }) =>
        transcript.length > 1 ? answer(transcript.at(-1)?.text ?? '') : { kind: 'wait' },
    });
    const actor = createActor(waiter.logic, { input: 'go' }).start();
    await quiet();
    const nonsense: readonly unknown[] = [
      { type: 'message', message: undefined },
      { type: 'message', message: { from: 'person' } },
      { type: 'message', message: { from: 'person', text: 5 } },
      { type: 'reply', text: null },
      { type: 'constructor' },
    ];
    for (const event of nonsense) actor.send(event as never);
    await quiet();
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', value: 'waiting' });
    actor.send({ type: 'message', message: { from: 'person', text: 'hello' } });
    expect(await toPromise(actor)).toMatchObject({ status: 'completed', output: 'hello' });
  });
});
