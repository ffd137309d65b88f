import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { failed } from '../../calls/tool-result.ts';

/** Styles of values, by their place. */
const STYLES = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
} as const;

/** The place of a parameter. */
export type ParameterPlace = keyof typeof STYLES;

/** A way to write lists and objects. */
export type ParameterStyle = (typeof STYLES)[ParameterPlace][number];

/** The name of a value, and the way in which it is written. */
export interface WrittenStyle {
  readonly name: string;
  readonly style: ParameterStyle;
  /** Each item and each field by itself. */
  readonly explode: boolean;
  /** Characters that have a meaning in addresses stay as they are. */
  readonly isReserved: boolean;
  /** Written as JSON. */
  readonly isJson: boolean;
}

/** A parameter of an operation. */
export interface Parameter extends WrittenStyle {
  /** Its property in the input. */
  readonly property: string;
  readonly in: ParameterPlace;
  readonly isRequired: boolean;
}

/** Checks whether a style may be used in a place. */
export const isStyle = (style: unknown, place: ParameterPlace): style is ParameterStyle =>
  STYLES[place].some((each) => each === style);

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** The path with its parameters in it. Fails the call for a value that would lead to another path. */
export const fillPath = (path: string, parameters: readonly Parameter[], input: JsonObject): string => {
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const text =
      parameter === undefined ? '' : simple(input[parameter.property], parameter, encodeURIComponent);
    return text === '' ? failed(`Cannot make the path '${path}' as '${name}' is empty.`) : text;
  });
  // A segment of dots is resolved before it is sent.
  const dots = filled.split('/').find((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  return dots === undefined
    ? filled
    : failed(`Cannot make the path '${path}' as a part of it would be '${dots}'.`);
};

/** The query, with its question mark; empty if there is none. */
export const writeQuery = (parameters: readonly Parameter[], input: JsonObject): string => {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => writePairs(input[parameter.property], parameter));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** Headers by their names. Fails the call for a value that no header can have. */
export const writeHeaders = (
  parameters: readonly Parameter[],
  input: JsonObject,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parameters.flatMap((parameter) => {
      const value = input[parameter.property];
      if (parameter.in !== 'header' || isNothing(value)) return [];
      const text = simple(value, parameter, String);
      if (!/^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(text))
        return failed(
          `Cannot send the header '${parameter.name}' as its value has characters that no header can have.`,
        );
      return [[parameter.name.toLowerCase(), text]];
    }),
  );

/** The pairs `name=value` of a query or a form; none for null. */
export const writePairs = (value: Json | undefined, written: WrittenStyle): readonly string[] => {
  if (isNothing(value)) return [];
  const { style, explode } = written;
  const encode = written.isReserved ? encodeReserved : encodeURIComponent;
  const name = encodeURIComponent(written.name);
  const pair = (key: string, each: Json | undefined): string => `${key}=${encode(textOf(each))}`;
  if (written.isJson) return [`${name}=${encode(JSON.stringify(value))}`];
  if (style === 'deepObject') return deepPairs(name, value, pair);
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (explode) return value.map((each: Json) => pair(name, each));
    return [`${name}=${value.map((each: Json) => encode(textOf(each))).join(SEPARATORS[style] ?? ',')}`];
  }
  if (!isJsonObject(value)) return [pair(name, value)];
  const fields = Object.entries(value).filter(([, each]) => !isNothing(each));
  if (explode) return fields.map(([key, each]) => pair(encodeURIComponent(key), each));
  const flat = fields.flatMap(([key, each]) => [encode(key), encode(textOf(each))]);
  return flat.length === 0 ? [] : [`${name}=${flat.join(SEPARATORS[style] ?? ',')}`];
};

/** `filter[age][min]=3`, and a list as several pairs of one name. */
const deepPairs = (
  name: string,
  value: Json | undefined,
  pair: (key: string, each: Json | undefined) => string,
): readonly string[] => {
  if (isNothing(value)) return [];
  if (Array.isArray(value)) return value.flatMap((each: Json) => deepPairs(name, each, pair));
  if (!isJsonObject(value)) return [pair(name, value)];
  return Object.entries(value).flatMap(([key, each]) =>
    deepPairs(`${name}${encodeURIComponent(`[${key}]`)}`, each, pair),
  );
};

/** The style of paths and headers: `a,b`, of objects `k,v` or, exploded, `k=v`. */
const simple = (
  value: Json | undefined,
  { explode, isJson }: Parameter,
  encode: (text: string) => string,
): string => {
  if (isJson) return encode(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((each: Json) => encode(textOf(each))).join(',');
  if (!isJsonObject(value)) return encode(textOf(value));
  return Object.entries(value)
    .filter(([, each]) => !isNothing(each))
    .map(([key, each]) => `${encode(key)}${explode ? '=' : ','}${encode(textOf(each))}`)
    .join(',');
};

/** Of the reserved characters, those that end a parameter or begin another are encoded all the same. */
const encodeReserved = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%(?:3A|2F|3F|40|24|2C|3B|5B|5D)/g, decodeURIComponent);

const textOf = (value: Json | undefined): string => {
  if (isNothing(value)) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const isNothing = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;
