import * as z from 'zod/mini';
import { describeSchema } from '../../base/schemas/describe-schema.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import type { FieldType, SignatureField } from '../../contracts/agents/signature.ts';

/** The zod schema of one type. */
export const fieldSchema = (type: FieldType): z.ZodMiniType => {
  switch (type.kind) {
    case 'string':
      return z.string();
    case 'number':
      return z.number();
    case 'integer':
      return z.int();
    case 'boolean':
      return z.boolean();
    case 'json':
      return z.json();
    case 'date':
      return z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
    case 'enum':
      return z.enum(type.values);
    case 'list':
      return z.array(fieldSchema(type.of));
  }
};

/**
 * Builds the zod schema of some fields. Unknown keys are dropped; the model's schema forbids them.
 *
 * An optional field may also be null, as models write that; it then counts as omitted.
 */
export const fieldsSchema = (fields: readonly SignatureField[]): z.ZodMiniType =>
  inEnglish(z.object(Object.fromEntries(fields.map((field) => [field.name, describeField(field)])))).register(
    z.globalRegistry,
    { additionalProperties: false },
  );

const describeField = (field: SignatureField): z.ZodMiniType => {
  const schema = fieldType(field);
  return field.description === undefined ? schema : describeSchema(schema, field.description);
};

const fieldType = ({ type, isOptional, fallback }: SignatureField): z.ZodMiniType => {
  const schema = fieldSchema(type);
  if (fallback !== undefined) return z._default(schema, fallback);
  if (!isOptional) return schema;
  if (type.kind === 'json') return z.optional(schema);
  // Not `transform`, which `zod/mini` makes asynchronous wherever that is allowed.
  return z.optional(z.nullable(schema)).check(z.overwrite((value) => value ?? undefined));
};
