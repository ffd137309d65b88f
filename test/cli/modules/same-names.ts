import { agent, tool } from 'troupe';
import { z } from 'zod';

const add = (): ReturnType<typeof tool> =>
  tool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), execute: ({ a }) => a });

export default agent({ name: 'clerk', tools: [add(), add()] });
