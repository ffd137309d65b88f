import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { failed } from '../../calls/tool-result.ts';
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
  text: /^text\/[\w.*+-]+\s*(?:;|$)/i,
} as const;

/** A way to write a body: as JSON, as the fields of a form, or as the text that it is. */
type BodyForm = keyof typeof FORMS;

/** The body of an operation's requests. */
export interface BodyPlan {
  readonly form: BodyForm;
  readonly mediaType: string;
  /** Fields of a form that are written in a way of their own, by their names. */
  readonly fields: ReadonlyMap<string, WrittenStyle>;
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
  const found = Object.entries(FORMS)
    .map(([form, type]) => ({ form: form as BodyForm, entry: types.find(([name]) => type.test(name)) }))
    .find(({ entry }) => entry !== undefined);
  if (found?.entry === undefined)
    throw new DocumentProblem(
      `its body is ${types.map(([type]) => type).join(' or ') || 'of no type'}, and only JSON, forms (application/x-www-form-urlencoded) and texts are supported`,
    );
  const { form, entry } = found;
  const [type, given] = entry;
  const media = isJsonObject(given) ? given : {};
  const plan: BodyPlan = { form, mediaType: sentType(form, type), fields: fieldStyles(form, media) };
  const schema = form === 'text' ? (media['schema'] ?? { type: 'string' }) : media['schema'];
  return { plan, schema, isRequired: required === true };
};

const sentType = (form: BodyForm, type: string): string => {
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
export const writeBody = ({ form, fields }: BodyPlan, content: Json): string => {
  if (form === 'json') return JSON.stringify(content);
  if (form === 'text')
    return typeof content === 'string'
      ? content
      : failed(`Cannot send the body as it is not a text: found ${foundText(content)}`);
  if (!isJsonObject(content))
    return failed(
      `Cannot send the body as it is not an object with the fields of a form: found ${foundText(content)}`,
    );
  return Object.entries(content)
    .flatMap(([name, value]) => writePairs(value, fields.get(name) ?? usualStyle(name, value)))
    .join('&');
};

/** By the specification a list is a field for each item, and an object is its JSON. */
const usualStyle = (name: string, value: Json | undefined): WrittenStyle => ({
  name,
  style: 'form',
  explode: true,
  isReserved: false,
  isJson: isJsonObject(value),
});
