import { agent, answer } from 'troupe';
import { z } from 'zod';

/** Says what it was told. */
export default agent({ name: 'echo', decide: ({ input }) => answer(`You said: ${z.string().parse(input)}`) });
