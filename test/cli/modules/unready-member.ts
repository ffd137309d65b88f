import { agent, answer } from 'troupe';
import { z } from 'zod';
import { parallel } from 'troupe/patterns';

const fine = agent({ name: 'fine', decide: () => answer('All is well.') });
/** Takes a city's code, and is given a text: it fails before its first step. */
const unready = agent({
  name: 'unready',
  input: z.string().regex(/^[A-Z]{3}$/),
  decide: () => answer('never'),
});

/** Goes on without the member that fails. */
export default parallel({ name: 'pair', members: { fine, unready } });
