import type { Json, JsonObject, JsonSchema } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { trimEndOf } from '../../../base/text/trim-end.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { DocumentedOperation, OpenApiDocument } from './open-api-document.ts';
import { DocumentProblem } from './open-api-document.ts';
import type { Parameter } from './parameters.ts';
import { isStyle } from './parameters.ts';
import type { BodyPlan } from './request-body.ts';
import { JSON_TYPE, planBody } from './request-body.ts';
import { RequestSchemas } from './request-schema.ts';

/** All that the request of an operation needs beside its input. */
export interface RequestPlan {
  /** Without a slash at its end. */
  readonly server: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The body, and the property of the input that it is. */
  readonly body: (BodyPlan & { readonly property: string }) | undefined;
  /** The JSON Schema of the input. */
  readonly input: JsonSchema;
}

/** Parameters of these names are no part of an operation, by the specification. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * Plans the requests of an operation.
 *
 * @throws {DocumentProblem} for what is not supported, or wrong.
 */
export const planRequests = (
  document: OpenApiDocument,
  operation: DocumentedOperation,
  baseURL: string | undefined,
): RequestPlan => {
  const schemas = new RequestSchemas(document);
  const properties = new Map<string, JsonObject>();
  const required: string[] = [];
  const add = (name: string, place: string, schema: JsonObject, isRequired: boolean): string => {
    const property = freeProperty(name, place, properties);
    properties.set(property, schema);
    if (isRequired) required.push(property);
    return property;
  };
  const parameters = parametersOf(document, operation).flatMap((given): readonly Parameter[] => {
    const read = readParameter(given);
    if (read === undefined) return [];
    const { schema, description, ...parameter } = read;
    const shown = { ...schemas.convert(schema), ...(description === undefined ? {} : { description }) };
    return [{ ...parameter, property: add(parameter.name, parameter.in, shown, parameter.isRequired) }];
  });
  for (const name of templateNames(operation.path))
    if (!parameters.some((parameter) => parameter.in === 'path' && parameter.name === name))
      throw new DocumentProblem(`its path has '{${name}}', and it has no such parameter`);
  const body = planBody(document, operation);
  const property =
    body === undefined ? undefined : add('body', 'request', schemas.convert(body.schema), body.isRequired);
  return {
    server: serverOf(document, operation, baseURL),
    path: operation.path,
    parameters,
    body: body === undefined || property === undefined ? undefined : { ...body.plan, property },
    input: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: false,
      ...schemas.definitions(),
    },
  };
};

/** Providers take these characters in the names of properties. */
const freeProperty = (name: string, place: string, taken: ReadonlyMap<string, unknown>): string => {
  const plain = name.replaceAll(/[^\w.-]/g, '_').slice(0, 60);
  let property = taken.has(plain) ? `${place}_${plain}` : plain;
  for (let count = 2; taken.has(property); count += 1) property = `${plain}_${count}`;
  return property;
};

const templateNames = (path: string): readonly string[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);

/** An operation's own parameters stand for those of its path with the same name and place. */
const parametersOf = (
  document: OpenApiDocument,
  { item, own }: DocumentedOperation,
): readonly JsonObject[] => {
  const found = new Map<string, JsonObject>();
  for (const { parameters } of [item, own])
    for (const given of Array.isArray(parameters) ? parameters : []) {
      const parameter = document.follow(given, 'one of its parameters');
      found.set(JSON.stringify([parameter['in'], parameter['name']]), parameter);
    }
  return [...found.values()];
};

/** A parameter with its schema; undefined for one that is no part of the operation. */
const readParameter = (
  given: JsonObject,
):
  | (Omit<Parameter, 'property'> & { schema: Json | undefined; description: string | undefined })
  | undefined => {
  const { name, in: place, content, allowReserved } = given;
  if (typeof name !== 'string' || name === '')
    throw new DocumentProblem(`one of its parameters has no name: found ${foundText(given)}`);
  const isRequired = given['required'] === true || place === 'path';
  if (place === 'cookie' && !isRequired) return undefined;
  if (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw new DocumentProblem(
      `its parameter '${name}' is in ${foundText(place)}, and only path, query and header are supported`,
    );
  const style = given['style'] ?? (place === 'query' ? 'form' : 'simple');
  const media = isJsonObject(content) ? Object.entries(content)[0] : undefined;
  if (media !== undefined && !JSON_TYPE.test(media[0]))
    throw new DocumentProblem(`its parameter '${name}' is ${media[0]}, and only JSON is supported`);
  if (!isStyle(style, place))
    throw new DocumentProblem(
      `its parameter '${name}' has the style ${foundText(style)}, which is not supported in the ${place}`,
    );
  const inContent = media !== undefined && isJsonObject(media[1]) ? media[1]['schema'] : undefined;
  return {
    name,
    in: place,
    style,
    explode: typeof given['explode'] === 'boolean' ? given['explode'] : style === 'form',
    isReserved: allowReserved === true,
    isJson: media !== undefined,
    isRequired,
    schema: media === undefined ? given['schema'] : inContent,
    description: typeof given['description'] === 'string' ? given['description'] : undefined,
  };
};

/** The address that the caller gives, else the first server of the operation, its path or the document. */
const serverOf = (
  { root }: OpenApiDocument,
  { own, item }: DocumentedOperation,
  baseURL: string | undefined,
): string => {
  const given = baseURL ?? [own, item, root].map(firstServer).find((url) => url !== undefined);
  if (given === undefined || !URL.canParse(given))
    throw new DocumentProblem(
      `its server is not a whole address: found ${foundText(given)}. Give the option \`baseURL\``,
    );
  const { protocol, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '')
    throw new DocumentProblem(
      `its server is not one of http or https without a query: found ${foundText(given)}. Give the option \`baseURL\``,
    );
  return trimEndOf(given, '/');
};

const firstServer = ({ servers }: JsonObject): string | undefined => {
  const [server] = Array.isArray(servers) ? servers : [];
  if (!isJsonObject(server) || typeof server['url'] !== 'string') return undefined;
  const variables = isJsonObject(server['variables']) ? server['variables'] : {};
  return server['url'].replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) && typeof variable['default'] === 'string' ? variable['default'] : whole;
  });
};
