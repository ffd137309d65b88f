import { agent, answer } from 'troupe';
import { z } from 'zod';
import { pipeline } from '../../../src/patterns/index.ts';

const shout = agent({ name: 'shout', decide: ({ input }) => answer(z.string().parse(input).toUpperCase()) });
const greet = agent({ name: 'greet', decide: ({ input }) => answer(`Hello, ${z.string().parse(input)}!`) });

export default pipeline({ name: 'chorus', stages: [shout, greet] });
