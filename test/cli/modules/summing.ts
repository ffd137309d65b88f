import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const roll = tool({ name: 'roll', description: 'Rolls.', input: z.object({}), execute: () => 3 });

/** Adds up what it rolls, until that is ten. */
export default agent({
  name: 'summing',
  tools: [roll],
  state: { total: 0 },
  decide: ({ state }) => (state.total < 10 ? act({ name: 'roll', input: {} }) : answer(`${state.total}`)),
  reduce: ({ state, results }) => ({ total: state.total + 3 * results.length }),
});
