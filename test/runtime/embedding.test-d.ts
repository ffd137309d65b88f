import { createActor, setup, waitFor } from 'xstate';
import type { Content, GivenPart, Part } from '../../src/contracts/content/part.ts';
import type { Turn, UserTurn } from '../../src/contracts/conversations/transcript.ts';
import type { EmittedFrom, InputFrom, OutputFrom } from 'xstate';
import { z } from 'zod';
import { expectTypeOf, test } from 'vitest';
import type { Outcome } from '../../src/contracts/runs/outcome.ts';
import type { AgentCommand } from '../../src/runtime/embed/agent-command.ts';
import type { MemberRef } from '../../src/runtime/embed/agent-types.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import type { WorkerReply } from '../../src/patterns/state/supervisor-context.ts';

test('a history takes the bytes of its media; a conversation that is read has references only', () => {
  const photo = { type: 'image', data: new Uint8Array([1]) } as const;
  void plain.run('And now?', { history: [{ role: 'user', text: 'Look.', parts: [photo] }] });
  void plain.run('And now?', {
    history: [{ role: 'tool', callId: 'c', tool: 'camera', text: 'A cat.', parts: [photo] }],
  });
  // @ts-expect-error a number is no bytes
  void plain.run('And now?', { history: [{ role: 'user', text: '', parts: [{ type: 'image', data: 3 }] }] });
  expectTypeOf<UserTurn['parts']>().toEqualTypeOf<readonly Part[] | undefined>();
  // @ts-expect-error a turn that is read has no bytes in it
  expectTypeOf<Turn>().toEqualTypeOf<Turn<GivenPart>>();
});

const weigher = agent({
  name: 'weigher',
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  output: z.object({ answer: z.string(), confidence: z.number() }),
  state: { seen: 0 },
  reduce: ({ state }) => ({ seen: state.seen + 1 }),
});
const plain = agent({ name: 'plain' });

type Answer = { answer: string; confidence: number };

test('input and output of an agent come from its schemas', () => {
  expectTypeOf(weigher.run).parameter(0).toEqualTypeOf<{ city: string; days?: number | undefined }>();
  expectTypeOf<Awaited<ReturnType<typeof weigher.run>>['output']>().toEqualTypeOf<Answer | undefined>();
  expectTypeOf(plain.run).parameter(0).toEqualTypeOf<Content>();
  expectTypeOf<Awaited<ReturnType<typeof plain.run>>['output']>().toEqualTypeOf<string | undefined>();
  // @ts-expect-error a number is no city
  void weigher.run({ city: 3 });
  // @ts-expect-error it takes a string
  void plain.run(3);
});

test('so do those of its logic, and nothing in it is any', () => {
  type Logic = typeof weigher.logic;
  expectTypeOf<InputFrom<Logic>>().toEqualTypeOf<{ city: string; days?: number | undefined }>();
  expectTypeOf<OutputFrom<Logic>>().toEqualTypeOf<Outcome<Answer>>();
  expectTypeOf<OutputFrom<Logic>>().not.toBeAny();
  expectTypeOf<InputFrom<Logic>>().not.toBeAny();
  expectTypeOf<EmittedFrom<Logic>>().not.toBeAny();
  // @ts-expect-error a number is no city
  createActor(weigher.logic, { input: { city: 3 } });
});

test('emitted events are typed by their type, and there are no others', () => {
  const actor = createActor(weigher.logic, { input: { city: 'Bern' } });
  actor.on('tool.finished', (event) => {
    expectTypeOf(event.ok).toEqualTypeOf<boolean>();
    expectTypeOf(event.callId).toEqualTypeOf<string>();
  });
  // @ts-expect-error nobody emits that
  actor.on('agent.dreamed', () => undefined);
});

test('an app sends it commands, and nothing else', () => {
  const actor = createActor(plain.logic, { input: 'go' });
  expectTypeOf(actor.send).parameter(0).toEqualTypeOf<AgentCommand>();
  actor.send({ type: 'approve', callId: 'call_0_0' });
  actor.send({ type: 'message', message: 'hello' });
  // @ts-expect-error which call?
  actor.send({ type: 'approve' });
  // @ts-expect-error answers are the runtime's
  actor.send({ type: 'answered.decide', output: 'x' });
});

test('[FIND-11] its snapshot is a statechart, typed', () => {
  const actor = createActor(weigher.logic, { input: { city: 'Bern' } });
  const snapshot = actor.getSnapshot();
  expectTypeOf(snapshot).not.toBeAny();
  expectTypeOf(snapshot.context.state).toEqualTypeOf<{ seen: number }>();
  expectTypeOf(snapshot.value).not.toBeAny();
  expectTypeOf(snapshot.matches({ running: 'ACT' })).toEqualTypeOf<boolean>();
  expectTypeOf(snapshot.matches('waiting')).toEqualTypeOf<boolean>();
  // @ts-expect-error there is no such state
  snapshot.matches('dreaming');
  // @ts-expect-error nor such a phase
  snapshot.matches({ running: 'DREAM' });
  snapshot.hasTag('paused');
  // @ts-expect-error nor such a tag
  snapshot.hasTag('asleep');
  snapshot.can({ type: 'step', unit: 'effect' });
  const member = snapshot.children['weigher/helper-0'];
  expectTypeOf(member).toEqualTypeOf<MemberRef | undefined>();
  expectTypeOf(member?.getSnapshot().matches('waiting')).toEqualTypeOf<boolean | undefined>();
  if (snapshot.status === 'done') expectTypeOf(snapshot.output).toEqualTypeOf<Outcome<Answer>>();
  void waitFor(actor, (shown) => shown.matches({ running: 'DECIDE' }));
  actor.on('model.delta', ({ delta }) => {
    expectTypeOf(delta).not.toBeAny();
  });
});

test('[FIND-09] its logic takes what a run takes, and nothing else', () => {
  const logic = weigher.logicWith({
    thread: 'ann',
    context: { tenant: 1 },
    limits: { budget: { steps: 3 } },
    onStop: 'abort',
  });
  expectTypeOf(logic).toEqualTypeOf<typeof weigher.logic>();
  // @ts-expect-error an inspector is the app's
  weigher.logicWith({ inspect: () => undefined });
  // @ts-expect-error there is no such way
  weigher.logicWith({ onStop: 'forget' });
  createActor(logic, { input: { city: 'Bern' } }).send({ type: 'send', message: 'hello' });
});

test('an app that invokes it knows what it takes and gives', () => {
  setup({ actors: { weigher: weigher.logic } }).createMachine({
    invoke: {
      src: 'weigher',
      input: { city: 'Bern' },
      onDone: {
        actions: ({ event }) => {
          expectTypeOf(event.output.output).toEqualTypeOf<Answer | undefined>();
        },
      },
    },
  });
});

test('teams give what their pattern gives', () => {
  const desk = supervisorWorker({ name: 'desk', supervisor: {}, workers: { plain } });
  const list = supervisorWorker({ name: 'desk', supervisor: {}, workers: { plain }, result: 'replies' });
  const line = pipeline({ name: 'line', stages: [weigher, plain] });
  expectTypeOf<OutputFrom<typeof desk.logic>['output']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<OutputFrom<typeof list.logic>['output']>().toEqualTypeOf<readonly WorkerReply[] | undefined>();
  expectTypeOf(line.run).parameter(0).toEqualTypeOf<{ city: string; days?: number | undefined }>();
  expectTypeOf<OutputFrom<typeof line.logic>['output']>().toEqualTypeOf<string | undefined>();
});
