import { agent } from 'troupe';
import { parallel } from 'troupe/patterns';
import { prices, times } from './notes.ts';

export const dispatcher = agent({
  name: 'dispatcher',
  instructions: 'Search the notes. Say how long it takes.',
  tools: [times],
});

export const cashier = agent({
  name: 'cashier',
  instructions: 'Search the notes. Say what it costs.',
  tools: [prices],
});

// A team is used like an agent, and can be a member of another. See the other patterns of troupe/patterns.
export default parallel({
  name: 'desk',
  members: { dispatcher, cashier },
  aggregator: (replies) =>
    replies.flatMap(({ output }) => (typeof output === 'string' ? [output] : [])).join('\n'),
});
