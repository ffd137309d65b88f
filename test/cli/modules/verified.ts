import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import { property } from '../../../src/policy/index.ts';

const named = (name: string) =>
  tool({
    name,
    description: name,
    input: z.object({ amount: z.number() }),
    execute: () => 'done',
  });

export const clerk = agent({ name: 'clerk', tools: [named('check'), named('pay')] });

export const sound = agent({ name: 'sound', tools: [named('check')] });

/** Has what the properties are about, too. */
export const janitor = agent({ name: 'janitor', tools: [named('wipe')] });

export const properties = [
  property.never('pay').before('check').named('checked-first'),
  property.never('wipe'),
];

export const proof = { faults: ['tool'], calls: { pay: [{ amount: 7 }] } } as const;
