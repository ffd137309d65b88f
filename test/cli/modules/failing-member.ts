import { agent, TroupeError } from 'troupe';
import { scriptedModel } from '../../../src/testing/index.ts';
import { parallel } from '../../../src/patterns/index.ts';

const refusal = () => new TroupeError('model.refused', 'Cannot answer as the account is out of credit');
const good = agent({ name: 'good', model: scriptedModel(['All is well.']) });

/** Goes on without the member whose model fails. */
export const resilient = parallel({
  name: 'resilient',
  members: { good, bad: agent({ name: 'bad', model: scriptedModel([refusal()]) }) },
});

/** Fails with its model. */
export const fragile = agent({ name: 'fragile', model: scriptedModel([refusal()]) });
