import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { randomId } from '../../../base/random-id.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { failed } from '../../calls/tool-result.ts';
import { bytesSchema, readBytes } from './given-bytes.ts';
import type { BytesPlace } from './given-bytes.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { DocumentProblem } from './open-api-document.ts';
import type { WrittenStyle } from './parameters.ts';
import { isStyle, writePairs } from './parameters.ts';

/** A field of a form of parts. */
export interface PartPlan {
  /** Bytes, or a list of them; else a value. */
  readonly isBytes: boolean;
  /** The media types that it takes; none: any. */
  readonly types: readonly string[];
  /** Headers of each of its parts, beside those that follow from it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Written as the field of a form, where the document asks for a style. */
  readonly style: WrittenStyle | undefined;
}

/** Schemas that lead to schemas. */
const DEEPEST = 8;

const JSON_OR_TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i;

/** Checks whether a schema is that of bytes: `format: binary` in 3.0, a media type without an encoding in 3.1. */
export const isBytesSchema = (schema: Json | undefined): boolean => {
  if (!isJsonObject(schema)) return false;
  const { type, format, contentMediaType, contentEncoding } = schema;
  if (type !== undefined && type !== 'string') return false;
  if (format === 'binary') return true;
  return (
    typeof contentMediaType === 'string' &&
    contentEncoding === undefined &&
    !JSON_OR_TEXT.test(contentMediaType)
  );
};

/**
 * Plans the fields of a form of parts, and the schema of its input.
 *
 * @throws {DocumentProblem} for a schema that is not that of an object, and for styles and headers that are not supported.
 */
export const planParts = (document: OpenApiDocument, { schema, encoding }: JsonObject) => {
  const found: FoundFields = { properties: new Map(), required: new Set() };
  collectFields(document, schema, found, 0);
  const parts = new Map<string, PartPlan>();
  const properties: Record<string, JsonObject> = {};
  for (const [name, given] of found.properties) {
    const field = document.follow(given, `the field '${name}' of its form`);
    if (field['readOnly'] === true) continue;
    const own = isJsonObject(encoding) && isJsonObject(encoding[name]) ? encoding[name] : {};
    const items = isList(field)
      ? document.follow(field['items'] ?? {}, `the items of the field '${name}'`)
      : field;
    const plan = partOf(document, name, own, items);
    parts.set(name, plan);
    properties[name] = plan.isBytes
      ? isList(field)
        ? { type: 'array', items: bytesSchema() }
        : bytesSchema(field['description'])
      : given;
  }
  const required = [...found.required].filter((name) => parts.has(name));
  return { parts, schema: { type: 'object', properties, required } };
};

const isList = ({ type, items }: JsonObject): boolean =>
  type === 'array' || (type === undefined && items !== undefined);

interface FoundFields {
  readonly properties: Map<string, JsonObject>;
  readonly required: Set<string>;
}

/** Collects the fields of an object, and of those that it is made of. */
const collectFields = (
  document: OpenApiDocument,
  given: Json | undefined,
  found: FoundFields,
  depth: number,
): void => {
  const schema = document.follow(given ?? {}, 'the schema of its form');
  const { type, properties, required, allOf, oneOf, anyOf } = schema;
  if (type !== undefined && type !== 'object')
    throw new DocumentProblem(`its form is not an object with fields: found ${foundText(type)}`);
  if (depth > DEEPEST) return;
  if (isJsonObject(properties))
    for (const [name, field] of Object.entries(properties))
      if (!found.properties.has(name)) found.properties.set(name, isJsonObject(field) ? field : {});
  if (Array.isArray(required))
    for (const name of required) if (typeof name === 'string') found.required.add(name);
  for (const each of Array.isArray(allOf) ? allOf : []) collectFields(document, each, found, depth + 1);
  // One of them: none of its fields is required for certain.
  for (const each of [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : [])))
    collectFields(document, each, { ...found, required: new Set() }, depth + 1);
};

const partOf = (
  document: OpenApiDocument,
  name: string,
  { contentType, headers, style, explode, allowReserved }: JsonObject,
  schema: JsonObject,
): PartPlan => {
  const types =
    typeof contentType === 'string' ? contentType.split(',').map((type) => type.trim().toLowerCase()) : [];
  const isOpen = schema['type'] === undefined || schema['type'] === 'string';
  const isOfMedia = types.length > 0 && isOpen && !types.some((type) => JSON_OR_TEXT.test(type));
  const isEncoded = schema['format'] === 'byte' || schema['contentEncoding'] !== undefined;
  const isBytes = isBytesSchema(schema) || (isOfMedia && !isEncoded);
  if (style !== undefined && !isStyle(style, 'query'))
    throw new DocumentProblem(
      `the field '${name}' of its form has the style ${foundText(style)}, which is not supported`,
    );
  return {
    isBytes,
    types,
    headers: headersOf(document, name, headers),
    style:
      style === undefined || isBytes
        ? undefined
        : {
            name,
            style,
            explode: typeof explode === 'boolean' ? explode : style === 'form',
            isReserved: allowReserved === true,
            isJson: false,
          },
  };
};

/** Headers whose value the document gives; its content type is the part's own. */
const headersOf = (
  document: OpenApiDocument,
  name: string,
  given: Json | undefined,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isJsonObject(given) ? given : {}).flatMap(([header, each]) => {
      if (header.toLowerCase() === 'content-type') return [];
      const said = document.follow(each, `the header '${header}' of the field '${name}'`);
      const schema = document.follow(said['schema'] ?? {}, `the schema of the header '${header}'`);
      const [only, ...others] = Array.isArray(schema['enum']) ? schema['enum'] : [];
      const value = schema['const'] ?? schema['default'] ?? (others.length === 0 ? only : undefined);
      if ((typeof value === 'string' || typeof value === 'number') && isPlain(header) && isPlain(value))
        return [[header, String(value)]];
      if (said['required'] !== true) return [];
      throw new DocumentProblem(
        `the field '${name}' of its form needs the header '${header}', for which the document has no value`,
      );
    }),
  );

const isPlain = (text: string | number): boolean => /^[\t\u0020-\u007e]*$/.test(String(text));

/** A body of parts, and the type that names their boundary. */
export const writeParts = async (
  parts: ReadonlyMap<string, PartPlan>,
  content: Json,
  place: BytesPlace,
): Promise<{ readonly body: Uint8Array; readonly mediaType: string }> => {
  if (!isJsonObject(content))
    return failed(
      `Cannot send the body as it is not an object with the fields of a form: found ${foundText(content)}`,
    );
  const boundary = `troupe-${randomId()}`;
  const chunks: Uint8Array[] = [];
  const add = (lines: readonly string[], bytes: Uint8Array): void => {
    chunks.push(encode(`--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n`), bytes, encode('\r\n'));
  };
  for (const [name, value] of Object.entries(content)) {
    const plan = parts.get(name) ?? USUAL;
    for (const part of await partsOf(name, value, plan, place)) add(headLines(part, plan), part.bytes);
  }
  chunks.push(encode(`--${boundary}--\r\n`));
  const body = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0));
  chunks.reduce((at, chunk) => {
    body.set(chunk, at);
    return at + chunk.byteLength;
  }, 0);
  return { body, mediaType: `multipart/form-data; boundary=${boundary}` };
};

const USUAL: PartPlan = { isBytes: false, types: [], headers: {}, style: undefined };

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One part: a text has no type where it is plain, and only a file has a file's name. */
interface WrittenPart {
  readonly name: string;
  readonly file: string | undefined;
  readonly mediaType: string | undefined;
  readonly bytes: Uint8Array;
}

/** A list is a part for each item. */
const partsOf = async (
  name: string,
  value: Json | undefined,
  plan: PartPlan,
  place: BytesPlace,
): Promise<readonly WrittenPart[]> => {
  if (value === undefined || value === null) return [];
  if (plan.style !== undefined) return writePairs(value, plan.style).map(pairPart);
  const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (!plan.isBytes) return items.map((item) => valuePart(name, item, plan));
  const given: WrittenPart[] = [];
  for (const item of items) {
    const { name: file = name, ...read } = await readBytes(item, `the field '${name}'`, plan.types, place);
    given.push({ name, file, ...read });
  }
  return given;
};

/** `filter%5Bage%5D=3` as a part. */
const pairPart = (pair: string): WrittenPart => {
  const at = pair.indexOf('=');
  return {
    name: decodeURIComponent(pair.slice(0, at)),
    file: undefined,
    mediaType: undefined,
    bytes: encode(decodeURIComponent(pair.slice(at + 1))),
  };
};

/** By the specification objects are JSON, and all else is text. */
const valuePart = (name: string, value: Json, { types }: PartPlan): WrittenPart => {
  const stated = types.find((type) => !type.includes('*'));
  const isJson = typeof value === 'object' || (stated !== undefined && /\bjson$/.test(stated));
  return {
    name,
    file: undefined,
    mediaType: stated ?? (isJson ? 'application/json' : undefined),
    bytes: encode(isJson ? JSON.stringify(value) : String(value)),
  };
};

const headLines = ({ name, file, mediaType }: WrittenPart, { headers }: PartPlan): readonly string[] => [
  `Content-Disposition: form-data; name="${quoteName(name)}"${file === undefined ? '' : `; filename="${quoteName(file)}"`}`,
  ...(mediaType === undefined ? [] : [`Content-Type: ${mediaType}`]),
  ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
];

/** As browsers write the names of forms: no name ends a header. */
const quoteName = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
