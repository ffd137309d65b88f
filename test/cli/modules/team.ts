import { agent, answer } from 'troupe';
import { pipeline } from '../../../src/runtime/patterns.ts';

const shout = agent({ name: 'shout', decide: ({ input }) => answer(String(input).toUpperCase()) });
const greet = agent({ name: 'greet', decide: ({ input }) => answer(`Hello, ${String(input)}!`) });

export default pipeline({ name: 'chorus', stages: [shout, greet] });
