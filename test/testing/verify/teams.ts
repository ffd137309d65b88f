import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import type { Agent } from '../../../src/index.ts';
import { parallel, pipeline, race, supervisorWorker, writerCritic } from '../../../src/patterns/index.ts';

/** A tool that no proof may execute. */
export const tooled = (name: string, options: { readonly approval?: boolean; readonly exclusive?: boolean } = {}) =>
  tool({
    name,
    description: name,
    safety: 'write',
    approval: options.approval ?? false,
    exclusive: options.exclusive ?? false,
    input: z.object({ amount: z.number() }),
    execute: () => {
      throw new Error(`a proof executed '${name}'`);
    },
  });

/** An agent with these tools; those with a `?` need a yes. */
export const member = (name: string, ...tools: readonly string[]) =>
  agent({
    name,
    tools: tools.map((each) => tooled(each.replace('?', ''), { approval: each.endsWith('?') })),
    failures: { retry: { attempts: 1 } },
  });

/** Teams of several patterns, small enough for all of their states. */
export const teams: Readonly<Record<string, () => Agent<string, unknown, unknown>>> = {
  'an agent': () => member('clerk', 'check', 'pay?'),
  'a parallel team': () =>
    parallel({ name: 'desk', members: { ann: member('ann', 'check', 'pay?'), bob: member('bob', 'pay') } }),
  'a pipeline': () => pipeline({ name: 'line', stages: [member('ann', 'check'), member('bob', 'pay?')] }),
  'a race': () => race({ name: 'race', members: { ann: member('ann', 'look'), bob: member('bob', 'look') } }),
};

export { pipeline, supervisorWorker, writerCritic };
