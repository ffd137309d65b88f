// One writes and another judges; one plans and others execute. Both repeat until the result is good, or a limit is reached.
//
//   npx tsx examples/20-writing-and-planning.ts
//
// When not to use it: a program can check the result. A critic of the agent itself (08-critics.ts) costs no second agent. The steps are always the same: a pipeline.
// Its chart: docs/diagrams/writer-critic.mmd, and docs/diagrams/planner-executor.mmd
import assert from 'node:assert/strict';
import { agent, ofType } from 'troupe';
import { plannerExecutor, writerCritic } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const writer = (...drafts: readonly string[]) =>
  agent({ name: 'writer', instructions: 'You write for children.', model: scriptedModel(drafts) });
const critic = (...verdicts: readonly string[]) => ({
  instructions: 'Accept what a child of six understands.',
  model: scriptedModel(verdicts),
});

// 1. The critic accepts, or gives a reason; the writer reads it with its draft.
const essay = writerCritic({
  name: 'essay',
  writer: writer(
    'Gravitational gradients deform the ocean.',
    'The moon pulls the sea, and the sea comes up to look.',
  ),
  critic: critic(
    '{"verdict": "revise", "note": "no child knows what a gradient is"}',
    '{"verdict": "accept", "note": ""}',
  ),
});
const handle = essay.stream('Why are there tides?');
handle.events$.pipe(ofType('team.noted')).subscribe(({ text }) => console.log('1.', text));
const { output } = await handle.result;
console.log('1.', output);
assert.match(String(output), /^The moon pulls/);

// 2. It is bounded. An unaccepted draft is not an output; the last one is the candidate, for a person to review.
const stubborn = writerCritic({
  name: 'stubborn',
  writer: writer('Tides.', 'Tides!'),
  critic: critic(
    '{"verdict": "revise", "note": "too short"}',
    '{"verdict": "revise", "note": "still too short"}',
  ),
  maxRejections: 1,
});
const rejected = await stubborn.run('Why are there tides?');
console.log('2.', rejected.status, rejected.stopReason, rejected.candidate);
assert.equal(rejected.output, undefined);
assert.equal(rejected.candidate, 'Tides!');
assert.equal(rejected.stopReason.kind, 'rejected');

// 3. A planner makes steps, executors do them in sequence, each with the results of the previous ones. After a failure the rest is
// replanned.
const plan = (...steps: readonly (readonly [executor: string, task: string])[]) =>
  JSON.stringify({ steps: steps.map(([executor, task]) => ({ executor, task })), answer: null });
const trip = plannerExecutor({
  name: 'trip',
  planner: {
    model: scriptedModel([
      plan(['trains', 'Find a train to Rome.'], ['hotels', 'Find a room.']),
      plan(['buses', 'Find a bus to Rome.'], ['hotels', 'Find a room.']),
      JSON.stringify({ steps: [], answer: 'By bus at 7, and a room at the station.' }),
    ]),
  },
  executors: {
    trains: agent({
      name: 'trains',
      description: 'Knows trains.',
      failures: { retry: { attempts: 1 } },
      model: scriptedModel([new Error('strike')]),
    }),
    buses: agent({ name: 'buses', description: 'Knows buses.', model: scriptedModel(['One leaves at 7.']) }),
    hotels: agent({
      name: 'hotels',
      description: 'Knows hotels.',
      model: scriptedModel([
        ({ messages }) =>
          messages.at(-1)?.text.includes('leaves at 7') === true ? 'One at the station.' : 'None.',
      ]),
    }),
  },
});
const travelled = await trip.run('To Rome, tomorrow.');
for (const event of travelled.events)
  if (event.type === 'member.ended') console.log('3.', event.member, event.status);
console.log('3.', travelled.output);
assert.equal(travelled.output, 'By bus at 7, and a room at the station.');
