// Work is announced, contractors bid, and the best bid gets it; if that one fails, the next.
//
//   npx tsx examples/21-contract-net.ts
//
// When not to use it: where it is known who is good at what (router). Models say anything of themselves: let bids come from prices or queues.
// Its chart: docs/diagrams/contract-net.mmd
import assert from 'node:assert/strict';
import { agent, answer } from 'troupe';
import { contractNet } from 'troupe/patterns';

const works = (name: string, done?: string) =>
  agent({
    name,
    description: `The workshop ${name}.`,
    decide: () => {
      if (done === undefined) throw new Error('the lathe is broken');
      return answer(done);
    },
  });
// Bids come from a price list here; an agent without a bidder of its own is asked for its bid itself.
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
  bidWithinMs: 5_000, // a bid that comes later is none
});

const { output, state } = await market.run('Ten brass knobs.');
console.log(state); // who bid what, who did not and why, who had the work and failed, and who got it
console.log(output);
assert.equal(output, 'Made by south.'); // north was best and failed; south is next, as east is cheap and not sure
