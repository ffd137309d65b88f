import { agent, answer } from 'troupe';

/** Says what it was told. */
export default agent({ name: 'echo', decide: ({ input }) => answer(`You said: ${String(input)}`) });
