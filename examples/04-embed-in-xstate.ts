// An agent in an XState app: invoked like any actor, with typed input and output, and observed at work.
//
//   npx tsx examples/04-embed-in-xstate.ts
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { scriptedModel } from 'troupe/testing';
import { assign, createActor, setup, waitFor } from 'xstate';
import { z } from 'zod';

const researcher = agent({
  name: 'researcher',
  instructions: 'Explain words, and say how sure you are.',
  model: scriptedModel(['{"answer":"A state machine that nests.","confidence":0.9}']),
  output: z.object({ answer: z.string(), confidence: z.number() }),
});

// Your machine may use every feature of XState; only troupe's own machines are restricted.
const app = setup({
  types: {
    context: {} as { question: string; answer: string; confidence: number },
    children: {} as { researcher: 'researcher' },
  },
  actors: { researcher: researcher.logic },
  guards: { isSure: ({ context }) => context.confidence > 0.5 },
}).createMachine({
  id: 'app',
  context: { question: 'What is a statechart?', answer: '', confidence: 0 },
  initial: 'researching',
  states: {
    researching: {
      invoke: {
        id: 'researcher',
        src: 'researcher',
        input: ({ context }) => context.question,
        // A failed run is done too, with an outcome that says so: it never errors in the app around it.
        onDone: {
          target: 'weighing',
          actions: assign(({ event: { output: run } }) => ({
            answer: run.output?.answer ?? run.stopReason.kind,
            confidence: run.output?.confidence ?? 0,
          })),
        },
      },
    },
    weighing: { always: [{ guard: 'isSure', target: 'shown' }, { target: 'dropped' }] },
    shown: { type: 'final' },
    dropped: { type: 'final' },
  },
});

// Two ways to watch. An inspector sees where the agent rests: in the states that wait for something …
const rests = new Set<string>();
const actor = createActor(app, {
  inspect: (event) => {
    if (event.type === '@xstate.snapshot' && 'value' in event.snapshot)
      rests.add(JSON.stringify(event.snapshot.value));
  },
}).start();
// … and the agent emits its runtime events: every phase, including transient ones.
const phases: string[] = [];
actor.getSnapshot().children.researcher?.on('phase.entered', ({ phase }) => phases.push(phase));

const { value, context } = await waitFor(actor, ({ status }) => status === 'done');
console.log('app:   ', value, context);
console.log('rests: ', [...rests].join(' '));
console.log('phases:', phases.join(' '));

assert.equal(value, 'shown');
assert.equal(context.answer, 'A state machine that nests.');
assert.deepEqual(phases, ['preparing', 'OBSERVE', 'DECIDE', 'REDUCE', 'CHECK_STOP', 'completed']);
