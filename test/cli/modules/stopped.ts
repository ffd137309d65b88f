import { agent, answer } from 'troupe';

/** Never good enough for its critic. */
export default agent({
  name: 'poet',
  decide: () => answer('Roses are grey.'),
  critics: [{ name: 'taste', critique: () => ({ verdict: 'revise', note: 'They are red.' }) }],
});
