import { agent, answer } from 'troupe';
import { pipeline } from '../../../src/patterns/index.ts';

const first = agent({ name: 'first', decide: () => answer('begun') });
const last = agent({
  name: 'last',
  decide: () => {
    throw new Error('no ink');
  },
});

export default pipeline({ name: 'press', stages: [first, last] });
