// Work is announced, contractors bid, and the best bid gets it; if that one fails, the next. And a board shared by specialists.
//
//   npx tsx examples/21-contract-net.ts
//
// When not to use it: the strengths of members are known (router). Models judge themselves badly: let bids come from prices or queues.
// Its charts: docs/diagrams/contract-net.mmd, docs/diagrams/blackboard.mmd
import assert from 'node:assert/strict';
import { agent, answer } from 'troupe';
import { blackboard, contractNet } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const works = (name: string, done?: string) =>
  agent({
    name,
    description: `The workshop ${name}.`,
    decide: () => {
      if (done === undefined) throw new Error('the lathe is broken');
      return answer(done);
    },
  });
// Bids come from a price list here; an agent without a bidder bids itself.
const bids = (name: string, bid: { cost: number; confidence: number; estimateMs: number } | { bid: false }) =>
  agent({ name: `${name}-prices`, decide: () => answer(JSON.stringify(bid)) });

const market = contractNet({
  name: 'market',
  contractors: {
    north: { agent: works('north'), bidder: bids('north', { cost: 80, confidence: 0.9, estimateMs: 1_000 }) },
    south: {
      agent: works('south', 'Made by south.'),
      bidder: bids('south', { cost: 100, confidence: 0.9, estimateMs: 2_000 }),
    },
    east: {
      agent: works('east', 'Made by east.'),
      bidder: bids('east', { cost: 60, confidence: 0.2, estimateMs: 500 }),
    },
    west: { agent: works('west', 'Made by west.'), bidder: bids('west', { bid: false }) },
  },
  award: 'best', // the lowest cost divided by confidence; or cheapest, surest, fastest, a function, a manager
  bidTimeMs: 5_000, // a bid that comes later is none
});

const { output, state } = await market.run('Ten brass knobs.');
console.log(state); // who bid what, who did not and why, who had the work and failed, and who got it
console.log(output);
assert.equal(output, 'Made by south.'); // north was best and failed; south is next, as east is cheap and not sure

// Specialists write their findings on a board, and read the others'; a controller picks the next, until it is complete.
const insight = (content: string, importance: number): string =>
  JSON.stringify({ insights: [{ content, importance, tags: ['case'] }] });
const inspectors = blackboard({
  name: 'case',
  specialists: {
    traces: agent({ name: 'traces', model: scriptedModel([insight('Muddy boots, size 46.', 0.9)]) }),
    alibis: agent({ name: 'alibis', model: scriptedModel([insight('The gardener was seen in town.', 0.6)]) }),
  },
  controller: {
    model: scriptedModel([
      '{"complete": false, "next": "traces", "task": "Look at the floor."}',
      '{"complete": false, "next": "alibis", "task": "Who wears 46?"}',
      '{"complete": true, "answer": "It was not the gardener."}',
    ]),
  },
});
const found = await inspectors.run('Who took the lamp?');
for (const { agent: who, content, importance } of found.state.insights)
  console.log(`${who} (${importance}): ${content}`);
console.log(found.output?.answer);
assert.equal(found.state.converged, true);
assert.deepEqual(
  found.state.insights.map(({ agent: who }) => who),
  ['traces', 'alibis'],
);
