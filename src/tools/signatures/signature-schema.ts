import * as z from 'zod';
import type { FieldType, SignatureField } from '../../contracts/agents/signature.ts';

/** The zod schema of one type. */
export const fieldSchema = (type: FieldType): z.ZodType => {
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
export const fieldsSchema = (fields: readonly SignatureField[]): z.ZodType =>
  z
    .object(Object.fromEntries(fields.map((field) => [field.name, describeField(field)])))
    .meta({ additionalProperties: false });

const describeField = (field: SignatureField): z.ZodType => {
  const schema = fieldType(field);
  return field.description === undefined ? schema : schema.describe(field.description);
};

const fieldType = ({ type, isOptional, fallback }: SignatureField): z.ZodType => {
  const schema = fieldSchema(type);
  if (fallback !== undefined) return schema.default(fallback);
  if (!isOptional) return schema;
  if (type.kind === 'json') return schema.optional();
  return schema
    .nullable()
    .optional()
    .transform((value) => value ?? undefined);
};
