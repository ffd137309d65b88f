// Several decide one question: by votes until they agree, by a debate before a judge, or as a jury with people.
//
//   npx tsx examples/19-deciding.ts
//
// When not to use it: a question with one right answer that can be looked up. Similar models make the same mistakes.
// Its chart: docs/diagrams/consensus.mmd, docs/diagrams/debate.mmd, and docs/diagrams/jury.mmd
import assert from 'node:assert/strict';
import { agent } from 'troupe';
import { consensus, debate, jury, person } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const vote = (said: 'approve' | 'reject', reason: string): string =>
  JSON.stringify({ vote: said, confidence: 0.9, reason, perspective: '' });
const voter = (...votes: readonly string[]) => ({ model: scriptedModel(votes) });

// 1. Votes are counted by a rule, not a model. An unreadable or failed vote is an abstention. From the second round on
// voters see the others' votes.
const board = consensus({
  name: 'board',
  voters: {
    cost: voter(vote('approve', 'cheap'), vote('approve', 'still cheap')), // options of an agent
    safety: voter(vote('reject', 'no tests'), vote('approve', 'users can go back')),
    users: agent({
      name: 'users',
      description: 'Speaks for users.',
      model: scriptedModel(['approve', 'approve']),
    }), // an agent as it is
    press: {
      failures: { retry: { attempts: 1 } },
      model: scriptedModel([new Error('on strike'), new Error('on strike')]),
    },
  },
  rule: 'threshold',
  threshold: 0.8, // of those who vote
  maxRounds: 3,
  summariser: { model: scriptedModel(['Ship it, and leave the old version in reach.']) },
});
const { output, events } = await board.run('Ship it today?');
for (const event of events) if (event.type === 'team.noted') console.log('1.', event.text);
for (const { member: who, vote: said, reason, error } of output?.votes ?? [])
  console.log(`1. ${who}: ${said}`, reason ?? error ?? '');
console.log('1.', output?.decision, '-', output?.summary);
assert.equal(output?.decision, 'approve');
assert.equal(output.tally.abstentions, 1);

// 2. Two speak, for and against, in turns; a judge reads the debate and decides.
const court = debate({
  name: 'court',
  debaters: {
    ann: { model: scriptedModel(['Trains are quicker.', 'And you can read in them.']) },
    bob: { model: scriptedModel(['Not from my village.', 'Nobody reads on the way to work.']) },
  },
  rounds: 2,
  judge: {
    instructions: 'Decide by what was said, not by what you think.',
    model: scriptedModel(['{"decision": "for", "confidence": 0.7, "reason": "A village is not the rule."}']),
  },
});
const { output: judged } = await court.run('Trains are better than cars.');
for (const { member, side, stage, text } of judged?.turns ?? [])
  console.log(`2. ${member} (${side}, ${stage}): ${text}`);
console.log(`2. ${judged?.decision}: ${judged?.reason}`);
assert.equal(judged?.decision, 'for');

// 3. A person on the jury is asked at the inbox of the run, and has until the deadline. In a stored run they may take days.
const panel = jury({
  name: 'panel',
  voters: {
    cost: voter(vote('approve', 'cheap')),
    safety: voter(vote('reject', 'no tests')),
    pat: person({ name: 'pat' }),
  },
  personTimeMs: 86_400_000,
});
// An app answers here, or later by `handle.reply`, or from another process (12-approval-from-another-process.ts).
const { output: verdict } = await panel.run('Release version 2?', {
  person: {
    answer: (question) => {
      console.log(`3. pat is asked: ${question.split('\n')[0]}`);
      return 'No, not on a Friday.';
    },
  },
});
console.log(
  '3.',
  verdict?.decision,
  verdict?.votes.map(({ member: who, vote: said }) => `${who}: ${said}`).join(', '),
);
assert.equal(verdict?.decision, 'reject');
