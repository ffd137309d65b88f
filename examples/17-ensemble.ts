// Several agents answer one question independently, and their answers are merged to one.
//
//   npx tsx examples/17-ensemble.ts
//
// When not to use it: a question with one short answer (let them vote), or three copies of one agent: they make the same mistake.
// Its chart: docs/diagrams/ensemble.mmd
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { ensemble } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

// They differ in their focus. In two layers each is asked twice; the second time it reads all answers, without names.
const engineer = agent({
  name: 'engineer',
  description: 'Knows what can be built.',
  model: scriptedModel([
    'A dam pays off in 40 years.',
    'A dam pays off in 40 years, if the river keeps its fish.',
  ]),
});
const biologist = agent({
  name: 'biologist',
  description: 'Knows what lives there.',
  model: scriptedModel([
    'The salmon would not come back.',
    'With a fish ladder, most salmon would come back.',
  ]),
});
const lawyer = agent({
  name: 'lawyer',
  description: 'Knows what is allowed.',
  failures: { retry: { attempts: 1 } },
  model: scriptedModel([new Error('in court today'), new Error('in court today')]),
});

const council = ensemble({
  name: 'council',
  proposers: { engineer, biologist, lawyer },
  layers: 2,
  aggregator: {
    instructions: 'Answer in one sentence.',
    model: scriptedModel([
      ({ messages }) => {
        const read = messages.at(-1)?.text ?? '';
        console.log(read, '\n');
        return read.includes('fish ladder') ? 'Build it, with a fish ladder.' : 'Nobody knows.';
      },
    ]),
  },
});

const { output, state } = await council.run('Shall we dam the river?');
console.log(output);
// Missing answers are listed by layer, with the reason.
for (const { member, layer, reason } of state.missing)
  console.log(`layer ${layer} without the ${member}: ${reason}`);

assert.equal(output, 'Build it, with a fish ladder.');
assert.deepEqual(
  state.perspectives.map(({ member, layer }) => `${member} ${layer}`),
  ['engineer 2', 'biologist 2'],
);
assert.equal(state.missing.length, 2);
