// A team is a statechart too, and is used like an agent: so teams nest. One member fails, the others continue.
//
//   npx tsx examples/05-a-team.ts
import assert from 'node:assert/strict';
import { agent, ofType } from 'troupe';
import { pipeline, supervisorWorker } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

// Each member has a scripted model, so that this runs without a key; leave the models out to use your own.
const historian = agent({
  name: 'historian',
  description: 'Knows what happened, and when.',
  model: scriptedModel(['Newton explained the tides in 1687.']),
});
const physicist = agent({
  name: 'physicist',
  description: 'Knows why.',
  model: scriptedModel([new Error('the laboratory is closed')]),
});

// The supervisor decides who does what, as data validated by a schema. A failed worker replies with its
// error, and the supervisor decides what to do.
const desk = supervisorWorker({
  name: 'desk',
  supervisor: {
    instructions: 'Split the question into parts; answer from the replies.',
    model: scriptedModel([
      JSON.stringify({
        assignments: [
          { worker: 'historian', task: 'Who explained the tides?' },
          { worker: 'physicist', task: 'Why are there tides?' },
        ],
        answer: null,
      }),
      ({ messages }) => {
        const replies = messages.map(({ text }) => text).join('\n');
        const known = replies.includes('1687') ? 'newton explained the tides in 1687' : 'nothing is known';
        const lost = replies.includes('laboratory is closed')
          ? '; why they happen could not be found out'
          : '';
        return JSON.stringify({ assignments: [], answer: known + lost });
      },
    ]),
  },
  workers: { historian, physicist },
});

// Stages in sequence: the desk's answer is the editor's input.
const editor = agent({
  name: 'editor',
  model: scriptedModel([({ messages }) => `Dear reader, ${messages.at(-1)?.text}.`]),
});
const newspaper = pipeline({ name: 'newspaper', stages: [desk, editor] });

// One stream for the whole tree; `path` identifies the actor.
const handle = newspaper.stream('How do tides work?');
const ended = new Map<string, string>();
handle.events$.pipe(ofType('member.ended')).subscribe(({ path, member, status }) => {
  ended.set(member, status);
  console.log(`${path}: ${member} ${status}`);
});
const { status, output, totals } = await handle.result;
console.log(output);
console.log(`${totals.modelCalls} model calls in all`);

assert.equal(status, 'completed');
assert.equal(ended.get('physicist'), 'failed');
assert.equal(
  output,
  'Dear reader, newton explained the tides in 1687; why they happen could not be found out.',
);
