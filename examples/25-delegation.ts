// An agent delegates work while it continues itself, and follows up with the same delegate.
//
//   npx tsx examples/25-delegation.ts
//
// When not to use it: the tasks of each member are known (pipeline, workflow), or the agent would only wait: then leave `mode` out.
// Its chart: docs/diagrams/agent.mmd; results come back as messages, at OBSERVE
import assert from 'node:assert/strict';
import { agent, awaitDelegates, delegate, fanOut, ofType } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';

const archivist = agent({
  name: 'archivist',
  description: 'Knows the archive.',
  model: scriptedModel([
    'The lighthouse was built in 1871.',
    ({ messages }) =>
      `As I said (${messages.filter(({ role }) => role === 'assistant').length} answer before): 1871, by Mrs Lund.`,
  ]),
});
const counter = agent({
  name: 'counter',
  description: 'Counts.',
  model: scriptedModel(['12 windows.', '98 steps.']),
});

const wait = { name: 'await_delegates', input: {} };
const editor = agent({
  name: 'editor',
  tools: [
    // Returns an id at once; the result is a message. Each has a tenth of the editor's budget; the unused part stays with the editor.
    delegate({ to: [archivist], mode: 'background', followUps: true, gatherMs: 0, budget: { share: 0.1 } }),
    awaitDelegates,
    // Several tasks in parallel; a failed task is a line of the result.
    fanOut({ to: [counter], concurrency: 1 }),
  ],
  limits: { budget: { steps: 40 } },
  model: scriptedModel([
    calls({ name: 'delegate', input: { to: 'archivist', task: 'When was the lighthouse built?' } }),
    calls({
      name: 'fan_out',
      input: {
        tasks: [
          { to: 'counter', task: 'Its windows?' },
          { to: 'counter', task: 'Its steps?' },
        ],
      },
    }),
    // The same archivist, with its conversation.
    calls({ name: 'delegate', input: { to: 'archivist', task: 'And by whom?', id: 'archivist-0_0' } }, wait),
    ({ messages }) => messages.at(-1)?.text ?? '',
  ]),
});

const handle = editor.stream('Tell me about the lighthouse.');
handle.events$
  .pipe(ofType('delegation.began', 'delegation.returned'))
  .subscribe(({ type, id }) => console.log(`${type} ${id}`));
const { output, records } = await handle.result;
console.log(records[1]?.results[0]?.text);
console.log(output);

assert.match(String(output), /As I said \(1 answer before\): 1871, by Mrs Lund/);
