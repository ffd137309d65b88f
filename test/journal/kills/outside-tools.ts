import { z } from 'zod';
import type { Json } from '../../../src/base/json/json.ts';
import { isJsonObject } from '../../../src/base/json/json.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { Killer } from './kill-point.ts';
import type { LedgerRequest } from './outside-ledger.ts';

/** Asks the process in which tools live. */
export type Outside = (request: LedgerRequest) => Promise<Json>;

/** How a tool gets there. */
export interface Reach {
  readonly outside: Outside;
  readonly killer: Killer;
}

/** What a tool outside gave. */
export const valueIn = (answer: Json): string => {
  const value = isJsonObject(answer) ? answer['value'] : undefined;
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
};

/** Who can tell what became of a call that was cut off. */
export type Knows = 'the tool' | 'a person' | 'idempotent';

/** A tool that lives elsewhere. */
export const there = (name: string, knows: Knows, { outside, killer }: Reach) =>
  tool({
    name,
    description: `Does ${name}.`,
    input: z.object({ what: z.string() }),
    safety: 'write',
    exclusive: false,
    idempotent: knows === 'idempotent',
    execute: (input, { key }) => reach({ outside, killer }, name, input, key, knows === 'idempotent'),
    ...(knows === 'the tool'
      ? {
          whatBecame: async (key: string) => {
            const found = await outside({ wish: 'became', key });
            return found === null ? undefined : { value: valueIn(found) };
          },
        }
      : {}),
  });

/** Has it done outside; the process may die on the way there, and on the way back. */
export const reach = async (
  { outside, killer }: Reach,
  name: string,
  input: Json,
  key: string,
  isIdempotent: boolean,
): Promise<string> => {
  killer.at('before the effect', key);
  const answer = await outside({ wish: 'call', key, name, input, isIdempotent });
  killer.at('after the effect', key);
  return valueIn(answer);
};
