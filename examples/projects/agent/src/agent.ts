import { agent } from 'troupe';
import { add } from './add.ts';

export const mathematician = agent({
  name: 'mathematician',
  instructions: 'Use the tools. Answer with the number.',
  tools: [add],
});
