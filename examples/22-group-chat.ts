// One shared conversation with one speaker at a time; and an orchestrator that picks the next member and the phase of the work.
//
//   npx tsx examples/22-group-chat.ts
//
// When not to use it: one answer must be right. In a long talk all agree with the first speaker; let them answer alone (17-ensemble.ts).
// Its charts: docs/diagrams/group-chat.mmd, docs/diagrams/orchestrator.mmd
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { groupChat, orchestrator } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const speaker = (name: string, description: string, ...lines: readonly string[]) =>
  agent({ name, description, model: scriptedModel(lines) });

// 1. A moderator picks the speaker, and concludes. It takes no part in the conversation.
const meeting = groupChat({
  name: 'meeting',
  members: {
    engineer: speaker('engineer', 'Builds it.', 'A bridge takes two years.', 'With a pontoon: two months.'),
    mayor: speaker('mayor', 'Pays for it.', 'The school opens in autumn. Is there nothing quicker?'),
  },
  moderator: {
    instructions: 'Come to a decision.',
    model: scriptedModel([
      '{"next": "engineer"}',
      '{"next": "mayor"}',
      '{"next": "engineer"}',
      '{"next": null, "conclusion": "A pontoon bridge, before autumn."}',
    ]),
  },
});
const { output, state } = await meeting.run('How do the children cross the river?');
for (const { member: who, text } of state.turns) console.log(`1. ${who}: ${text ?? '(passes)'}`);
console.log('1. ⇒', output);
assert.equal(output, 'A pontoon bridge, before autumn.');

// 2. In turns there is no moderator. A speaker that answers PASS has nothing to add; when all pass, it ends.
const brainstorm = groupChat({
  name: 'brainstorm',
  members: {
    ann: speaker('ann', 'Likes the sea.', 'Ferry', 'PASS'),
    bob: speaker('bob', 'Likes the air.', 'Cable car', 'PASS'),
  },
});
const said = await brainstorm.run('How else?');
console.log(String(said.output).replaceAll(/^/gm, '2. '));
assert.equal(said.output, 'ann: Ferry\nbob: Cable car');

// 3. An orchestrator is silent: it picks the next member and the phase, and only it ends the conversation. A phase that is not allowed
// next is refused with the reason: nothing is verified before it is done.
const route = (agents: readonly string[], phase: string, reason: string): string =>
  JSON.stringify({ agents, phase, reason });
const yard = orchestrator({
  name: 'yard',
  members: {
    builder: speaker('builder', 'Builds.', 'The pontoon swims.'),
    inspector: speaker('inspector', 'Verifies.', 'It bears a school class.'),
  },
  orchestrator: {
    model: scriptedModel([
      route(['inspector'], 'verification', 'it has to be safe'),
      route(['builder'], 'execute', 'it has to be there first'),
      route(['inspector', 'END'], 'verification', 'now it can be verified'),
    ]),
  },
  mayChange: ['builder'],
});
const built = await yard.run('Build the pontoon bridge.');
console.log('3.', built.state.transitions.map(({ to }) => to).join(' → '), '⇒', built.output);
assert.equal(built.output, 'It bears a school class.');
assert.deepEqual(
  built.state.transitions.map(({ from, to }) => [from, to]),
  [
    ['chat', 'execute'],
    ['execute', 'verification'],
  ],
);
