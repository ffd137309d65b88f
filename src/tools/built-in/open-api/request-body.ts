import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { failed } from '../../calls/tool-result.ts';
import type { BytesPlace } from './given-bytes.ts';
import { bytesSchema, readBytes } from './given-bytes.ts';
import type { PartPlan } from './multipart.ts';
import { isBytesSchema, planParts, writeParts } from './multipart.ts';
import type { DocumentedOperation, OpenApiDocument } from './open-api-document.ts';
import { DocumentProblem } from './open-api-document.ts';
import type { WrittenStyle } from './parameters.ts';
import { isStyle, writePairs } from './parameters.ts';

/** JSON, and what is made of it. */
export const JSON_TYPE = /^(?:application\/json|[\w.-]+\/[\w.-]+\+json|\*\/\*|application\/\*)\s*(?:;|$)/i;

/** Types of bodies, the first of which a document has is sent. */
const FORMS = {
  json: JSON_TYPE,
  fields: /^application\/x-www-form-urlencoded\s*(?:;|$)/i,
  parts: /^multipart\/form-data\s*(?:;|$)/i,
  text: /^text\/[\w.*+-]+\s*(?:;|$)/i,
} as const;

/** A way to write a body: as JSON, as the fields or the parts of a form, as the text or the bytes that it is. */
type BodyForm = keyof typeof FORMS | 'bytes';

/** The body of an operation's requests. */
export interface BodyPlan {
  readonly form: BodyForm;
  readonly mediaType: string;
  /** Fields of a form that are written in a way of their own, by their names. */
  readonly fields: ReadonlyMap<string, WrittenStyle>;
  readonly parts: ReadonlyMap<string, PartPlan>;
}

/** A body as it is sent. */
export interface WrittenBody {
  readonly body: string | Uint8Array;
  readonly mediaType: string;
}

/**
 * Plans the body of an operation; undefined if it has none.
 *
 * @throws {DocumentProblem} for media types and styles that are not supported.
 */
export const planBody = (document: OpenApiDocument, { own }: DocumentedOperation) => {
  if (own['requestBody'] === undefined) return undefined;
  const { content, required } = document.follow(own['requestBody'], 'its request body');
  const types = Object.entries(isJsonObject(content) ? content : {});
  const { form, type, given } = chosenForm(document, types);
  const media = isJsonObject(given) ? given : {};
  const isParts = form === 'parts';
  const { parts, schema } = isParts ? planParts(document, media) : { parts: NO_PARTS, schema: undefined };
  const plan: BodyPlan = { form, mediaType: sentType(form, type), fields: fieldStyles(form, media), parts };
  return { plan, schema: schema ?? schemaOf(form, media), isRequired: required === true };
};

const NO_PARTS: ReadonlyMap<string, PartPlan> = new Map();

/** The first form that one of the types has: any other type is bytes. */
const chosenForm = (document: OpenApiDocument, types: readonly (readonly [string, Json | undefined])[]) => {
  const [first] = types;
  if (first === undefined) throw new DocumentProblem('its body is of no type');
  for (const [form, wanted] of Object.entries(FORMS)) {
    const [type, given] = types.find(([name]) => wanted.test(name)) ?? [];
    if (type === undefined || (form === 'fields' && hasBytes(document, types))) continue;
    if (!type.includes('*') || !isBytes(document, given)) return { form: form as BodyForm, type, given };
  }
  return { form: 'bytes' as const, type: first[0], given: first[1] };
};

/** Checks whether a form of parts has fields that a form of texts cannot have. */
const hasBytes = (
  document: OpenApiDocument,
  types: readonly (readonly [string, Json | undefined])[],
): boolean => {
  const [, media] = types.find(([name]) => FORMS.parts.test(name)) ?? [];
  return isJsonObject(media) && [...planParts(document, media).parts.values()].some((part) => part.isBytes);
};

const isBytes = (document: OpenApiDocument, media: Json | undefined): boolean =>
  isJsonObject(media) &&
  media['schema'] !== undefined &&
  isBytesSchema(document.follow(media['schema'], 'the schema of its body'));

const schemaOf = (form: BodyForm, { schema }: JsonObject): Json | undefined => {
  if (form === 'bytes') return bytesSchema();
  return form === 'text' ? (schema ?? { type: 'string' }) : schema;
};

const sentType = (form: BodyForm, type: string): string => {
  if (form === 'bytes') return type.trim().toLowerCase();
  if (form === 'json') return type.includes('*') ? 'application/json' : type;
  const whole = type.replace('*', 'plain');
  return form === 'text' && !/;\s*charset=/i.test(whole) ? `${whole}; charset=utf-8` : whole;
};

const fieldStyles = (form: BodyForm, { encoding }: JsonObject): ReadonlyMap<string, WrittenStyle> =>
  new Map(
    Object.entries(form === 'fields' && isJsonObject(encoding) ? encoding : {}).map(([name, given]) => [
      name,
      fieldStyle(name, isJsonObject(given) ? given : {}),
    ]),
  );

const fieldStyle = (
  name: string,
  { style = 'form', explode = style === 'form', allowReserved, contentType }: JsonObject,
): WrittenStyle => {
  if (!isStyle(style, 'query'))
    throw new DocumentProblem(
      `the field '${name}' of its form has the style ${foundText(style)}, which is not supported`,
    );
  const isOf = (type: RegExp): boolean => typeof contentType === 'string' && type.test(contentType);
  const isJson = isOf(FORMS.json);
  if (contentType !== undefined && !isJson && !isOf(FORMS.text))
    throw new DocumentProblem(
      `the field '${name}' of its form is ${foundText(contentType)}, and only JSON and texts are supported`,
    );
  return { name, style, explode: explode === true, isReserved: allowReserved === true, isJson };
};

/** Writes a body. Fails the call for a value that is not of its form. */
export const writeBody = async (
  { form, mediaType, fields, parts }: BodyPlan,
  content: Json,
  place: BytesPlace,
): Promise<WrittenBody> => {
  switch (form) {
    case 'json':
      return { body: JSON.stringify(content), mediaType };
    case 'text':
      return typeof content === 'string'
        ? { body: content, mediaType }
        : failed(`Cannot send the body as it is not a text: found ${foundText(content)}`);
    case 'fields':
      return { body: writeFields(fields, content), mediaType };
    case 'parts':
      return writeParts(parts, content, place);
    case 'bytes': {
      // Of these types every file is one.
      const wanted = ANY_BYTES.test(mediaType) ? [] : [mediaType];
      const read = await readBytes(content, 'the body', wanted, place);
      return { body: read.bytes, mediaType: mediaType.includes('*') ? read.mediaType : mediaType };
    }
  }
};

const ANY_BYTES = /^(?:application\/(?:octet-stream|\*)|\*\/\*)/;

const writeFields = (fields: BodyPlan['fields'], content: Json): string =>
  isJsonObject(content)
    ? Object.entries(content)
        .flatMap(([name, value]) => writePairs(value, fields.get(name) ?? usualStyle(name, value)))
        .join('&')
    : failed(
        `Cannot send the body as it is not an object with the fields of a form: found ${foundText(content)}`,
      );

/** By the specification a list is a field for each item, and an object is its JSON. */
const usualStyle = (name: string, value: Json | undefined): WrittenStyle => ({
  name,
  style: 'form',
  explode: true,
  isReserved: false,
  isJson: isJsonObject(value),
});
