import { z } from 'zod';
import type { Agent } from '../../../src/index.ts';
import { agent, tool } from '../../../src/index.ts';
import {
  consensus,
  debate,
  parallel,
  pipeline,
  race,
  router,
  supervisorWorker,
  writerCritic,
} from '../../../src/patterns/index.ts';

/** A tool that no proof may execute. */
export const tooled = (
  name: string,
  options: { readonly approval?: boolean; readonly exclusive?: boolean } = {},
) =>
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
    // A proof watches for no loops, and says so.
    limits: { loops: false },
  });

/** Teams of several patterns, small enough for all of their states. */
export const teams: Readonly<Record<string, () => Agent<string, unknown, unknown>>> = {
  'an agent': () => member('clerk', 'check', 'pay?'),
  'a parallel team': () =>
    parallel({ name: 'desk', members: { ann: member('ann', 'check', 'pay?'), bob: member('bob', 'pay') } }),
  'a pipeline': () => pipeline({ name: 'line', stages: [member('ann', 'check'), member('bob', 'pay?')] }),
  'a race': () => race({ name: 'race', members: { ann: member('ann', 'look'), bob: member('bob', 'look') } }),
  'a writer and a critic': () =>
    writerCritic({ name: 'essay', writer: member('ann', 'look'), critic: { instructions: 'Be strict.' } }),
  'a debate': () =>
    debate({
      name: 'court',
      debaters: { ann: member('ann'), bob: member('bob') },
      judge: { instructions: 'Be strict.' },
      rounds: 1,
    }),
  'a consensus': () =>
    consensus({ name: 'board', voters: { ann: member('ann'), bob: member('bob') }, rule: 'majority' }),
  'a router': () =>
    router({
      name: 'desk',
      members: { ann: member('ann', 'pay'), bob: member('bob') },
      strategy: { kind: 'semantic', judge: { instructions: 'Choose.' } },
    }),
  'a supervisor and its workers': () =>
    supervisorWorker({
      name: 'office',
      supervisor: { instructions: 'Split it.' },
      workers: { ann: member('ann', 'look'), bob: member('bob') },
    }),
};
