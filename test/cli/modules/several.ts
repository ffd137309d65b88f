import { agent, answer } from 'troupe';

export const one = agent({ name: 'one', decide: () => answer('from one') });
export const two = agent({ name: 'two', decide: () => answer('from two') });
