import { act, agent, answer, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { z } from 'zod';

const four = tool({ name: 'four', description: 'Gives 4.', input: z.object({}), execute: () => 4 });

const summing = agent({
  name: 'summing',
  state: { total: 0 },
  tools: [four],
  reduce: ({ state, results }) => ({ total: state.total + results.length * 4 }),
  decide: ({ step, state }) => (step < 2 ? act({ name: 'four', input: {} }) : answer(String(state.total))),
});

/** A team of a member that has a state, and one that has none. */
export default pipeline({
  name: 'summing-team',
  stages: [agent({ name: 'first', decide: () => answer('Sum.') }), summing],
});
