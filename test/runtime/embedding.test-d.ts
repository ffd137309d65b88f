import { createActor, setup } from 'xstate';
import type { EmittedFrom, InputFrom, OutputFrom } from 'xstate';
import { z } from 'zod';
import { expectTypeOf, test } from 'vitest';
import type { Outcome } from '../../src/contracts/run.ts';
import type { AgentCommand } from '../../src/runtime/embed/agent-command.ts';
import { agent } from '../../src/runtime/agent.ts';
import { pipeline, supervisorWorker } from '../../src/runtime/patterns/index.ts';
import type { WorkerReply } from '../../src/coordination/supervisor-context.ts';

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
  expectTypeOf(plain.run).parameter(0).toEqualTypeOf<string>();
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
