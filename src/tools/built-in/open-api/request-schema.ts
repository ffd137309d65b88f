import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** Keywords that are about documents, or that only a response has. */
const DROPPED: ReadonlySet<string> = new Set(
  'xml discriminator externalDocs example examples nullable readOnly writeOnly $id $schema $anchor'.split(
    ' ',
  ),
);

const ONE: ReadonlySet<string> = new Set(
  'items additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set(['patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/**
 * Turns the schemas of one operation into JSON Schema of 2020-12. What they refer to becomes definitions beside them, each once, so that
 * schemas that contain themselves end. Properties that only a response has are left out.
 */
export class RequestSchemas {
  readonly #document: OpenApiDocument;
  readonly #names = new Map<string, string>();
  readonly #waiting: string[] = [];

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** @throws {DocumentProblem} for a reference that leads nowhere, or out of the document. */
  convert(given: Json | undefined): JsonObject {
    if (given === false) return { not: {} };
    if (!isJsonObject(given)) return {};
    const { $ref } = given;
    if (typeof $ref === 'string') {
      const reference = { $ref: `#/$defs/${this.#nameOf($ref)}` };
      if (this.#document.isOld) return reference;
      const { $ref: _, ...beside } = given;
      return { ...this.convert(beside), ...reference };
    }
    const found = Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) =>
        DROPPED.has(key) || value === undefined ? [] : [[key, this.#keyword(key, value)] as const],
      ),
    );
    const written = this.#withoutResponse(given, found);
    return this.#document.isOld ? modernise(given, written) : written;
  }

  /** The definitions of all that was converted. */
  definitions(): { readonly $defs?: JsonObject } {
    const defs: Record<string, JsonObject> = {};
    // A definition may refer to more of them.
    for (const reference of this.#waiting)
      defs[this.#nameOf(reference)] = this.convert(this.#document.resolve(reference));
    return this.#waiting.length === 0 ? {} : { $defs: defs };
  }

  #keyword(key: string, value: Json): Json {
    if (ONE.has(key)) return isJsonObject(value) ? this.convert(value) : value;
    if (LISTS.has(key)) return Array.isArray(value) ? value.map((each: Json) => this.convert(each)) : value;
    if (!MAPS.has(key) && key !== 'properties') return value;
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.convert(each)]));
  }

  #withoutResponse({ properties }: JsonObject, found: JsonObject): JsonObject {
    if (!isJsonObject(properties)) return found;
    const isRead = (name: string): boolean =>
      Object.hasOwn(properties, name) && this.#isReadOnly(properties[name]);
    const { properties: kept, required } = found;
    return {
      ...found,
      properties: Object.fromEntries(
        Object.entries(isJsonObject(kept) ? kept : {}).filter(([name]) => !isRead(name)),
      ),
      ...(Array.isArray(required)
        ? { required: required.filter((name: Json) => typeof name !== 'string' || !isRead(name)) }
        : {}),
    };
  }

  #isReadOnly(schema: Json | undefined): boolean {
    if (!isJsonObject(schema)) return false;
    const { $ref, readOnly } = schema;
    const target = typeof $ref === 'string' ? this.#document.resolve($ref) : undefined;
    return readOnly === true || (isJsonObject(target) && target['readOnly'] === true);
  }

  /** The name of a definition: the last part of its reference, and a number where that is taken. */
  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    this.#document.resolve(reference);
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^\w.-]/g, '_');
    const taken = new Set(this.#names.values());
    let name = last;
    for (let count = 2; taken.has(name); count += 1) name = `${last}_${count}`;
    this.#names.set(reference, name);
    this.#waiting.push(reference);
    return name;
  }
}

/** The forms of 3.0 that JSON Schema has another word for. */
const modernise = (given: JsonObject, found: JsonObject): JsonObject => {
  const bounded = ['Minimum', 'Maximum'].reduce<JsonObject>((schema, bound) => {
    const exclusive = `exclusive${bound}`;
    const plain = bound.toLowerCase();
    if (typeof given[exclusive] !== 'boolean') return schema;
    const { [exclusive]: isExclusive, [plain]: limit, ...rest } = schema;
    if (limit === undefined) return rest;
    return { ...rest, [isExclusive === true ? exclusive : plain]: limit };
  }, found);
  if (given['nullable'] !== true) return bounded;
  const { type, enum: values } = bounded;
  if (typeof type !== 'string') return { anyOf: [bounded, { type: 'null' }] };
  return { ...bounded, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
};
