import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** A schema embedded as a property of another: the property itself, and definitions that must be at the root. */
export interface SchemaAsProperty {
  readonly property: Json;
  /** `$defs` and `definitions`, if it has any. */
  readonly definitions: JsonObject;
}

/**
 * Makes a JSON Schema the property of an object. References point from the root, so definitions have to stay there, and
 * what referred to the old root refers to the property.
 *
 * @example
 * asProperty({ type: 'array', items: { $ref: '#' } }, 'value').property
 * // => { type: 'array', items: { $ref: '#/properties/value' } }
 */
export const asProperty = (schema: JsonObject, name: string): SchemaAsProperty => {
  const { $defs, definitions, ...own } = schema;
  const moved = (each: Json): Json => moveReferences(`#/properties/${name}`, each);
  return {
    property: moved(own),
    definitions: {
      ...($defs === undefined ? {} : { $defs: moved($defs) }),
      ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
    },
  };
};

const moveReferences = (place: string, schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map((each) => moveReferences(place, each));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string' && isReferenceWithin(value))
        return [key, `${place}${value.slice(1)}`];
      return [key, value === undefined ? undefined : moveReferences(place, value)];
    }),
  );
};

/** Checks whether a reference points to the root of its schema, or to a place in it that is not a definition. */
export const isReferenceWithin = (reference: string): boolean =>
  /^#(?!\/(\$defs|definitions)\/)/.test(reference);
