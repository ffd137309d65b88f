import { agent, answer } from 'troupe';
import { parallel } from 'troupe/patterns';

const fine = agent({ name: 'fine', decide: () => answer('All is well.') });
/** Its budget is in dollars, and nobody knows the price of its model: it fails before its first step. */
const unready = agent({
  name: 'unready',
  model: { provider: 'test', id: 'priceless', answer: () => Promise.reject(new Error('never asked')) },
  limits: { budget: { usd: 1 } },
});

/** Goes on without the member that fails. */
export default parallel({ name: 'pair', members: { fine, unready } });
