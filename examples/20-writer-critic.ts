// One writes, another judges, and the first revises. Only what was accepted is the output.
//
//   npx tsx examples/20-writer-critic.ts
//
// When not to use it: for what a program can check. A critic of the agent itself (08-critics.ts) costs no second agent.
// Its chart: docs/diagrams/writer-critic.mmd
import assert from 'node:assert/strict';
import { agent, ofType } from 'troupe';
import { writerCritic } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const writer = (...drafts: readonly string[]) =>
  agent({ name: 'writer', instructions: 'You write for children.', model: scriptedModel(drafts) });
const critic = (...verdicts: readonly string[]) => ({
  instructions: 'Accept what a child of six understands.',
  model: scriptedModel(verdicts),
});

// 1. The critic says `accept`, or `revise` and why; the writer reads that with its draft.
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

// 2. It does not go on for ever. What was never accepted is no output; the last draft is the candidate, for a person to look at.
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
