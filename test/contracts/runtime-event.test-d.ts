import { describe, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { durableEventSchema, RuntimeEvent } from '../../src/contracts/events/event.ts';

/** What can be read of a value: written types promise no more, zod's allow to write, too. */
type Read<Value> = Value extends readonly (infer Item)[]
  ? readonly Read<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Read<Value[Key]> }
    : Value;

type Inferred = z.infer<typeof durableEventSchema>;

describe('the written type of events', () => {
  test('names the same types of events as the schema reads', () => {
    expectTypeOf<RuntimeEvent['type']>().toEqualTypeOf<Inferred['type']>();
  });

  test('has the fields that the schema reads, of the same types, and no others', () => {
    type Differing = {
      [Type in Inferred['type']]: [
        Read<Extract<RuntimeEvent, { type: Type }>>,
        Read<Extract<Inferred, { type: Type }>>,
      ] extends [infer Written, infer Read]
        ? [Written] extends [Read]
          ? [Read] extends [Written]
            ? [keyof Written, keyof Read] extends [keyof Read, keyof Written]
              ? never
              : Type
            : Type
          : Type
        : Type;
    }[Inferred['type']];
    expectTypeOf<Differing>().toEqualTypeOf<never>();
  });
});
