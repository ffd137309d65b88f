import { agent, answer, TroupeError } from 'troupe';
import { parallel } from '../../../src/patterns/index.ts';

/** Refuses each time that it is asked: several tests run this module in one process. */
const refusing = {
  provider: 'test',
  id: 'refusing',
  answer: () =>
    Promise.reject(new TroupeError('model.refused', 'Cannot answer as the account is out of credit')),
};
const good = agent({ name: 'good', decide: () => answer('All is well.') });

/** Goes on without the member whose model fails. */
export const resilient = parallel({
  name: 'resilient',
  members: { good, bad: agent({ name: 'bad', model: refusing }) },
});

/** Fails with its model. */
export const fragile = agent({ name: 'fragile', model: refusing });
