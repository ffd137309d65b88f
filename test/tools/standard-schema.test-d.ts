import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec';
import { expectTypeOf, test } from 'vitest';
import type * as ours from '../../src/base/schemas/standard-schema.ts';

test('the copied interfaces of Standard Schema are those of the specification', () => {
  expectTypeOf<ours.StandardTypedV1<string, number>>().toEqualTypeOf<StandardTypedV1<string, number>>();
  expectTypeOf<ours.StandardSchemaV1<string, number>>().toEqualTypeOf<StandardSchemaV1<string, number>>();
  expectTypeOf<ours.StandardSchemaV1.Result<number>>().toEqualTypeOf<StandardSchemaV1.Result<number>>();
  expectTypeOf<ours.StandardJSONSchemaV1<string, number>>().toEqualTypeOf<
    StandardJSONSchemaV1<string, number>
  >();
});
