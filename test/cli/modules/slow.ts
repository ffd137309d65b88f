import { act, agent, tool } from 'troupe';
import { z } from 'zod';

/** Never done, and deaf to its signal. */
const wait = tool({
  name: 'wait',
  description: 'Waits for ever.',
  input: z.object({}),
  timeoutMs: Infinity,
  describe: () => 'Waiting for ever',
  execute: () => new Promise(() => setInterval(() => undefined, 1_000)),
});

export default agent({ name: 'sloth', tools: [wait], decide: () => act({ name: 'wait', input: {} }) });
