// Voters vote until they agree. The votes are counted by a rule: no model has a say in that.
//
//   npx tsx examples/19-consensus.ts
//
// When not to use it: for a question with one right answer that can be looked up. Like models go wrong together.
// Its chart: docs/diagrams/consensus.mmd
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { consensus } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

// Voters are agents as they are, or the options of one. A word is a vote, too; what cannot be read is an abstention.
const board = consensus({
  name: 'board',
  voters: {
    cost: {
      instructions: 'You look at the price.',
      model: scriptedModel([vote('approve', 'cheap'), vote('approve', 'still cheap')]),
    },
    safety: {
      instructions: 'You look at what can go wrong.',
      model: scriptedModel([vote('reject', 'no tests'), vote('approve', 'users can go back')]),
    },
    users: agent({
      name: 'users',
      description: 'Speaks for users.',
      model: scriptedModel(['approve', 'approve']),
    }),
    press: agent({
      name: 'press',
      retry: { attempts: 1 },
      model: scriptedModel([new Error('on strike'), new Error('on strike')]),
    }),
  },
  rule: 'threshold',
  threshold: 0.8, // of the weight of those who vote
  maxRounds: 3, // from the second on all read what the others said before
  summariser: { model: scriptedModel(['Ship it, and leave the old version in reach.']) },
});

const { status, output, events } = await board.run('Ship it today?');
for (const event of events) if (event.type === 'team.noted') console.log(event.text);
console.log(`${status}: ${output?.decision}, ${Number(output?.tally.share) * 100} % of those who voted`);
for (const { voter, vote: said, reason, error } of output?.votes ?? [])
  console.log(`${voter}: ${said}`, reason ?? error ?? '');
console.log(output?.summary);
assert.equal(output?.decision, 'approve');
assert.equal(output.rounds, 2);
assert.equal(output.tally.abstentions, 1);

/** What a voter says, as data. */
function vote(said: 'approve' | 'reject', reason: string): string {
  return JSON.stringify({ vote: said, confidence: 0.9, reason, perspective: '' });
}
