// A pattern of your own: options, what is asked, rules, a chart that reads as its diagram; and the laws that every pattern is held to.
//
//   npx tsx examples/32-your-own-pattern.ts
//
// When not to use it: for patterns one inside the other. A team is an agent: nest them, and give the nest a name by definePattern().
import assert from 'node:assert/strict';
import { agent, answer } from 'troupe';
import { answeredWith, beginRound, endedAs, pattern, repliesOf, spentEnd } from 'troupe/patterns';
import { patternLaws } from 'troupe/testing';
import { z } from 'zod';

const textOf = (said: unknown): string => (typeof said === 'string' ? said : JSON.stringify(said));

// 1. One runs after the other, each with what the one before left; a referee may throw a leg away, and it is run again.
const vetoRelay = pattern({
  name: 'vetoRelay',
  description: 'Runners pass a baton; the referee may throw a leg away.',
  options: z.object({ referee: z.string(), maxVetoes: z.number().int().min(0).default(1) }),
  own: { leg: 0, baton: '', ran: '', vetoes: 0 },
  actions: {
    run: (context) => {
      const { own, options, team, input } = context;
      const runner = team.members.filter((name) => name !== options.referee)[own.leg];
      return runner === undefined
        ? { end: answeredWith(own.baton) }
        : beginRound(context, [{ member: runner, input: own.leg === 0 ? input : own.baton }]);
    },
    arrive: (context) => {
      const [reply] = repliesOf(context);
      if (reply === undefined) return {};
      const spent = spentEnd(context);
      if (spent !== undefined || reply.status !== 'completed') return { end: spent ?? endedAs(reply) };
      return { own: { ...context.own, ran: textOf(reply.output) } };
    },
    askReferee: (context) =>
      beginRound(context, [{ member: context.options.referee, input: context.own.ran }]),
    judge: (context) => {
      const { own, options } = context;
      const spent = spentEnd(context);
      if (spent !== undefined) return { end: spent };
      const isVeto = repliesOf(context)[0]?.output === 'veto' && own.vetoes < options.maxVetoes;
      return {
        own: isVeto ? { ...own, vetoes: own.vetoes + 1 } : { ...own, leg: own.leg + 1, baton: own.ran },
      };
    },
  },
  tells: { tellLeg: ({ own }) => [{ type: 'team.noted', text: `${own.ran} is in` }] },
  initial: 'starting',
  states: {
    starting: {
      description: 'Is there a leg to run?',
      entry: 'run',
      always: ['completed', 'running'],
    },
    running: { description: 'One runs.', awaits: 'arrived' },
    arrived: {
      description: 'Is the runner in?',
      entry: ['arrive', 'tellLeg'],
      always: ['failed', 'aborted', 'stopped', 'refereeing'],
    },
    refereeing: { description: 'The referee looks at the leg.', entry: 'askReferee', awaits: 'judged' },
    judged: {
      description: 'Does the leg count?',
      entry: 'judge',
      always: ['stopped', 'starting'],
    },
  },
});

const runner = (name: string) => agent({ name, decide: ({ input }) => answer(`${String(input)}>${name}`) });
const strict = agent({ name: 'referee', decide: () => answer('veto') });
const relay = vetoRelay<string, string>({
  name: 'relay',
  members: { ann: runner('ann'), bob: runner('bob'), referee: strict },
  referee: 'referee',
});
const { output, state, events } = await relay.run('go');
for (const event of events) if (event.type === 'team.noted') console.log('1.', event.text);
console.log('1.', output, state);
assert.equal(state.vetoes, 1);
assert.equal(output, 'go>ann>bob');

// 2. It is drawn as it stands there, and what cannot be meant is refused.
console.log(relay.diagram().split('\n')[1]);
assert.match(relay.diagram(), /judged --> starting/);
const mistaken = { name: 'relay', members: { ann: runner('ann') }, referee: 'ann', maxVeto: 2 };
assert.throws(() => vetoRelay(mistaken), {
  message: /`maxVeto` is unknown: did you mean `maxVetoes`\?/,
});

// 3. What every pattern owes those who use it. In your own suite each is a test: test(law.name, law.check).
const laws = patternLaws({
  machine: vetoRelay.machine,
  make: (members, beside) =>
    vetoRelay({
      name: 'relay',
      ...beside,
      members: { ...members, referee: agent({ name: 'referee', decide: () => answer('fine') }) },
      referee: 'referee',
    }),
  says: (name) => name,
  output: 'bob',
  oneFails: 'failed',
});
for (const { name, check } of laws.slice(0, 4)) {
  await check();
  console.log('3.', name);
}
