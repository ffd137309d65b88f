// Everything that happens in a run is an event: read them with RxJS, with `for await`, with hooks; pause and step.
//
//   npx tsx examples/03-streaming-events.ts
import assert from 'node:assert/strict';
import { agent, hook, ofType, tool } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  describe: ({ a, b }) => `Adding ${a} and ${b}`,
  execute: ({ a, b }) => a + b,
});

// A hook belongs to an agent or to a run. It can look, not touch: an error in it is reported as an event.
const durations: number[] = [];
const stopwatch = hook({
  name: 'stopwatch',
  on: 'tool.finished',
  handle: ({ durationMs }) => void durations.push(durationMs),
});
const mathematician = agent({ name: 'mathematician', tools: [add], hooks: [stopwatch] });

const script = () =>
  scriptedModel([
    calls({ name: 'add', input: { a: 19, b: 23 } }, { name: 'add', input: { a: 1, b: 1 } }),
    'It is 42.',
  ]);

// 1. With RxJS. `ofType` narrows the type: `description` is known to be there.
const handle = mathematician.stream('What is 19 + 23?', { model: script() });
handle.events$
  .pipe(ofType('tool.started'))
  .subscribe(({ description }) => console.log('tool: ', description));

// 2. With `for await`, as it happens. Deltas of the model's text come too; only they are not in the log.
let text = '';
const phases: string[] = [];
for await (const event of handle) {
  if (event.type === 'phase.entered') phases.push(event.phase);
  if (event.type === 'model.delta' && event.delta.type === 'text') text += event.delta.text;
}
const { output, events } = await handle.result;
console.log('path: ', phases.join(' '));
console.log('text: ', text);

assert.equal(output, 'It is 42.');
assert.equal(text, output);
// Numbered without gaps, the end last.
assert.ok(events.every(({ seq }, index) => seq === index));
assert.equal(events.at(-1)?.type, 'run.ended');
assert.equal(durations.length, 2);

// 3. Step by step: the run starts held at the gate, and each step() runs to the next CHECK_STOP.
const stepped = mathematician.stream('What is 19 + 23?', { model: script(), paused: true });
let records = 0;
stepped.events$.pipe(ofType('step.ended')).subscribe(() => (records += 1));
await stepped.step();
assert.equal(records, 1);
console.log('held: ', 'after step 1; nothing continues until it is resumed');
stepped.resume();
assert.equal((await stepped.result).output, 'It is 42.');
