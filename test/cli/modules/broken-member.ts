import { agent, answer } from 'troupe';
import { parallel } from 'troupe/patterns';

const fine = agent({ name: 'fine', decide: () => answer('All is well.') });
const broken = agent({
  name: 'broken',
  decide: () => {
    throw new Error('the kettle is empty');
  },
});

/** Goes on without the member that fails. */
export default parallel({ name: 'pair', members: { fine, broken } });
