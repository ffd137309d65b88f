import type { z } from 'zod';
import type { Schema } from '../../base/schemas/schema.ts';
import { isZod } from './schemas.ts';

/**
 * Lists the parts of a tool's input that no model can send: those that are {@link beyondJson}, and a root other than an object.
 */
export const unsendableIn = (schema: Schema): readonly string[] => {
  if (!isZod(schema)) return [];
  const root = typeOf(schema);
  if (SCALARS.has(root))
    return [`its input is not an object: ${root}; wrap it, as in z.object({ value: … })`];
  return beyondJson(schema, 'input');
};

/**
 * Lists the types in a schema that have no JSON representation, so that nothing in JSON can fit it.
 *
 * Inspects zod schemas only, and without building a JSON Schema, as tools and agents are defined while modules load.
 *
 * @example
 * beyondJson(z.object({ when: z.date() }), 'input')
 * // => ['its input has a date at when, which JSON cannot express: use z.iso.datetime() or z.coerce.date()']
 */
export const beyondJson = (schema: Schema | undefined, what: 'input' | 'output'): readonly string[] => {
  if (schema === undefined || !isZod(schema)) return [];
  const found: string[] = [];
  collect(schema, [], new Set(), found);
  return found.map((part) => `its ${what} has ${part}`);
};

const SCALARS: ReadonlySet<string> = new Set(
  'string number int boolean null array tuple enum literal template_literal'.split(' '),
);

/** Replacements, by zod's name of the type. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['date', 'z.iso.datetime() or z.coerce.date()'],
  ['bigint', 'z.coerce.bigint() or z.int()'],
  ['map', 'z.record()'],
  ['set', 'z.array()'],
  ['symbol', 'z.enum()'],
  ['function', 'z.enum()'],
  ['promise', 'what it resolves with'],
  ['nan', 'z.number()'],
]);

interface Definition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
  readonly items?: readonly z.core.$ZodType[];
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
}

/** A schema's definition: which of the fields it has depends on its type. */
const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

const typeOf = (schema: z.core.$ZodType): string => definitionOf(schema).type;

const collect = (
  schema: z.core.$ZodType,
  path: readonly string[],
  seen: Set<z.core.$ZodType>,
  found: string[],
): void => {
  if (seen.has(schema)) return;
  seen.add(schema);
  const { type, coerce, shape, options, items, element, innerType, valueType, left, right, ...rest } =
    definitionOf(schema);
  const instead = coerce === true ? undefined : INSTEAD.get(type);
  if (instead !== undefined) {
    const at = path.length === 0 ? '' : ` at ${path.join('.')}`;
    found.push(`a ${type}${at}, which JSON cannot express: use ${instead}`);
    return;
  }
  for (const [name, part] of Object.entries(shape ?? {})) collect(part, [...path, name], seen, found);
  for (const part of items ?? []) collect(part, path, seen, found);
  // One sendable alternative is enough.
  if (options !== undefined) collectAlternatives(options, path, seen, found);
  for (const part of [element, innerType, valueType, left, right, rest.in])
    if (part !== undefined) collect(part, path, seen, found);
};

const collectAlternatives = (
  options: readonly z.core.$ZodType[],
  path: readonly string[],
  seen: Set<z.core.$ZodType>,
  found: string[],
): void => {
  const problems = options.map((option) => {
    const own: string[] = [];
    collect(option, path, seen, own);
    return own;
  });
  if (problems.every(({ length }) => length > 0)) found.push(...problems.flat());
};
