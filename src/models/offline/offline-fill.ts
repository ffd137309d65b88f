import { isJsonObject, type Json, type JsonSchema } from '../../base/json/json.ts';
import { branchOf, listOf, propertiesOf, resolveSchema, typesOf } from './offline-schema.ts';
import { pickFrom } from './offline-choices.ts';
import { fillBoolean, fillNumber } from './offline-scalars.ts';
import { fillString, isTask } from './offline-strings.ts';
import { fitCount, workIn } from './offline-parts.ts';
import type { Material } from './offline-material.ts';

/** A value, with the number of its parts found in the prompt, and of required ones not found. */
export interface Filled {
  readonly value: Json | undefined;
  readonly found: number;
  readonly missing: number;
}

const nothing: Filled = { value: undefined, found: 0, missing: 0 };

/** Builds a value valid for `schema` from the material; `key` is the name of the property. */
export const fill = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired = true,
): Filled => {
  const plain = branchOf(resolveSchema(schema, root), root);
  const made = make(plain, key, material, root, isRequired);
  if (made.value !== undefined) return made;
  if ('default' in plain) return { value: isRequired ? plain['default'] : undefined, found: 0, missing: 0 };
  if (!isRequired) return nothing;
  if (typesOf(plain).includes('null')) return { value: null, found: 0, missing: 0 };
  return { value: fallback(plain, key, material, root), found: 0, missing: 1 };
};

const make = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired: boolean,
): Filled => {
  if ('const' in schema) return { value: schema['const'], found: 0, missing: 0 };
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return one(pickFrom(choices, key, material));
  const [type] = typesOf(schema).filter((each) => each !== 'null');
  switch (type) {
    case 'object':
      return fillObject(schema, key, material, root);
    case 'array':
      return fillArray(schema, key, material, root, isRequired);
    case 'integer':
    case 'number':
      return one(fillNumber(schema, key, material, isRequired));
    case 'boolean':
      return one(fillBoolean(schema, key, material, isRequired));
    case 'null':
      return { value: null, found: 0, missing: 0 };
    default:
      return one(fillString(schema, key, material, isRequired));
  }
};

const one = (value: Json | undefined): Filled => ({ value, found: value === undefined ? 0 : 1, missing: 0 });

const fillObject = (schema: JsonSchema, key: string, material: Material, root: JsonSchema): Filled => {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = listOf(schema['required']);
  const names = Object.keys(properties);
  const siblings = names.length > 0 ? names : [key];
  const pool = { ...material.pool, siblings };
  const values = new Map<string, Json>();
  let found = 0;
  let missing = 0;
  // The most specific properties are filled first, those that accept anything last.
  const order = names.toSorted((a, b) => vagueness(properties[a], root) - vagueness(properties[b], root));
  for (const name of order) {
    const property = properties[name];
    if (!isJsonObject(property)) continue;
    const filled = fill(property, name, { ...material, pool }, root, required.includes(name));
    found += filled.found;
    missing += filled.missing;
    if (filled.value !== undefined) values.set(name, filled.value);
  }
  const entries = names.flatMap((name): [string, Json][] => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { value: Object.fromEntries(entries), found, missing };
};

const vagueness = (schema: Json | undefined, root: JsonSchema): number => {
  if (!isJsonObject(schema)) return 9;
  const plain = branchOf(resolveSchema(schema, root), root);
  if ('enum' in plain || 'const' in plain || 'format' in plain || 'pattern' in plain) return 0;
  const [type] = typesOf(plain);
  return type === 'string' || type === undefined ? 3 : type === 'array' ? 2 : type === 'object' ? 4 : 1;
};

const fillArray = (
  schema: JsonSchema,
  key: string,
  material: Material,
  root: JsonSchema,
  isRequired: boolean,
): Filled => {
  const items = isJsonObject(schema['items']) ? branchOf(resolveSchema(schema['items'], root), root) : {};
  const least = countOf(schema['minItems'], 0);
  const most = countOf(schema['maxItems'], Infinity);
  const [type] = typesOf(items);
  if (type === 'object') {
    // What has been answered needs no more work.
    if (least === 0 && material.found !== undefined && !statesFindings(items))
      return { value: [], found: 0, missing: 0 };
    const texts = itemTexts(items, material);
    const sources = fitCount(texts, texts.length === 0 ? least : Math.max(least, 1), most);
    const filled = sources.map((part, turn) => fill(items, key, about(material, part, turn), root));
    const values = filled.flatMap(({ value }) => (value === undefined ? [] : [value]));
    return { value: values, found: values.length, missing: 0 };
  }
  if (
    type === 'string' &&
    !('enum' in items) &&
    material.purpose === 'answer' &&
    material.found === undefined &&
    isTask(key)
  ) {
    const parts = fitCount(workIn(material.question), least, most);
    const values = parts.flatMap(
      (part, turn) => make(items, key, about(material, part, turn), root, true).value ?? [],
    );
    if (values.length >= least) return { value: values, found: values.length, missing: 0 };
  }
  const wanted =
    material.found !== undefined && material.purpose === 'answer'
      ? Math.max(1, material.found.quotes.length)
      : 20;
  const values: Json[] = [];
  while (values.length < Math.min(most, wanted)) {
    const turn = values.length;
    // An item is as optional as the list: it is there only if the text names it.
    const { value } = make(items, key, { ...material, turn }, root, false);
    if (value === undefined || (values.includes(value) && schema['uniqueItems'] !== false)) break;
    values.push(value);
  }
  if (values.length < least) {
    if (material.purpose === 'call' && !isRequired) return nothing;
    const lacking = values.length === 0 ? 1 : 0;
    while (values.length < least) values.push(fallback(items, key, material, root));
    return { value: values, found: 0, missing: lacking };
  }
  return values.length === 0 && (!isRequired || 'default' in schema)
    ? nothing
    : { value: values, found: values.length, missing: 0 };
};

/** Checks whether the items of a list state findings, rather than tasks. */
const statesFindings = (items: JsonSchema): boolean =>
  Object.keys(propertiesOf(items)).some((name) =>
    /text|statement|fact|quote|claim|finding|sentence|source|citation/i.test(name),
  );

/** Returns the texts for the items of a list: findings if the items state them, else the parts of the request. */
const itemTexts = (items: JsonSchema, material: Material): string[] => {
  const states = statesFindings(items);
  const quotes = material.found?.quotes ?? [];
  return states && material.found !== undefined ? quotes.map(({ text }) => text) : workIn(material.question);
};

const about = (material: Material, part: string, turn: number): Material => {
  const quote = material.found?.quotes.find(({ text }) => text === part);
  return {
    ...material,
    turn,
    question: part,
    pool: { ...material.pool, text: part, used: new Set() },
    found:
      quote === undefined
        ? material.found
        : { text: quote.text, quotes: [quote], coverage: material.found?.coverage ?? 0 },
  };
};

const countOf = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** Builds a value that at least satisfies the schema, if the prompt contains none. */
const fallback = (schema: JsonSchema, key: string, material: Material, root: JsonSchema): Json => {
  const [choice] = 'const' in schema ? [schema['const']] : listOf(schema['enum']);
  if (choice !== undefined) return choice;
  const [example] = listOf(schema['examples']);
  if (example !== undefined) return example;
  switch (typesOf(schema).find((each) => each !== 'null')) {
    case 'object':
      return fillObject(schema, key, material, root).value ?? {};
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return lowest(schema);
    case 'boolean':
      return false;
    default:
      return fallbackText(schema, material);
  }
};

const lowest = (schema: JsonSchema): number => {
  const least = countOf(schema['minimum'], countOf(schema['exclusiveMinimum'], -1) + 1);
  const most = countOf(schema['maximum'], Infinity);
  return Math.min(Math.max(0, least), most);
};

const FORMATS: Readonly<Record<string, string>> = {
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00',
  email: 'unknown@example.com',
  uri: 'about:blank',
  url: 'about:blank',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '0.0.0.0',
};

const fallbackText = (schema: JsonSchema, material: Material): string => {
  const format = schema['format'];
  if (typeof format === 'string' && FORMATS[format] !== undefined) return FORMATS[format];
  if (material.purpose === 'call') return '';
  const text = material.found?.text ?? material.question;
  const most = countOf(schema['maxLength'], Infinity);
  return text.slice(0, most).padEnd(Math.min(countOf(schema['minLength'], 0), 10_000), '.');
};
